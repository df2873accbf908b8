#pragma once

#include <string>

#include "lib/common/result.h"

namespace twofold::security {

/// Where the PEM files are, and how the flags are called that named them (for messages).
struct TlsPaths {
  std::string cert;
  std::string key;
  std::string ca;
  std::string flag_prefix;  ///< "", "http-"
};

/// The PEM texts, checked.
struct TlsMaterial {
  std::string cert;  ///< empty: none
  std::string key;   ///< empty if `cert` is
  std::string ca;    ///< empty: none
};

/// Reads what is named, and checks that it can be used: the certificates are some, and the key is
/// that of the first one and needs no password. What has expired is taken; peers will say so.
///
/// Errors   kInvalidArgument: one line that names the flag, the file and what is wrong.
Result<TlsMaterial> LoadTls(const TlsPaths& paths);

}  // namespace twofold::security
