#pragma once

#include <string>

#include "lib/common/result.h"

namespace twofold::security {

/// Paths of the PEM files, and the prefix of the flags that named them (for messages).
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

/// Reads the named files and checks them: they contain certificates, and the key belongs to the
/// first one and needs no password. Accepts expired certificates; peers will refuse them.
///
/// Errors   kInvalidArgument: one line that names the flag, the file and what is wrong.
Result<TlsMaterial> LoadTls(const TlsPaths& paths);

/// A name of the first certificate in `pem`: the first DNS name or IP address among its alternative
/// names, else its common name; empty: it has none. Workers whose certificates share a name
/// recognize each other by it, whatever their addresses.
std::string CertificateName(const std::string& pem);

}  // namespace twofold::security
