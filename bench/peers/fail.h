#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace twofold::bench {

/// Ends a measuring process (never the one that drives the series): what it measures has become
/// worthless, whatever thread notices. The driver reads the line and goes on with the next cell.
[[noreturn]] inline void Fail(const std::string& message) {
  std::fprintf(stderr, "bench_peers: %s\n", message.c_str());
  std::fflush(stderr);
  std::_Exit(1);
}

}  // namespace twofold::bench
