#pragma once

#include <algorithm>
#include <string>

namespace twofold {

/// An address as a word for programs that take a colon for the end of a host, as Open MPI does:
/// "fd00::1" is "fd00--1". Names and IPv4 addresses stay as they are.
inline std::string HostWord(std::string address) {
  std::replace(address.begin(), address.end(), ':', '-');
  return address;
}

}  // namespace twofold
