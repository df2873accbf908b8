#pragma once

#include <memory>
#include <string>

#include "lib/common/result.h"
#include "lib/security/options.h"
#include "lib/security/reloaded.h"

namespace twofold::security {

/// The PEM texts, checked.
struct TlsMaterial {
  std::string cert;  ///< empty: none
  std::string key;   ///< empty if `cert` is
  std::string ca;    ///< empty: none
};

/// Reads the named files and checks them: they contain certificates, the key belongs to the first
/// one and needs no password, and OpenSSL shows them (it refuses short keys, by the system's
/// security level). Accepts expired certificates; peers will refuse them.
///
/// Errors   kInvalidArgument: one line that names the flag, the file and what is wrong.
Result<TlsMaterial> LoadTls(const TlsPaths& paths);

/// The same, and again when one of the files has changed.
Result<std::shared_ptr<Reloaded<TlsMaterial>>> OpenTls(const TlsPaths& paths);

/// A name of the first certificate in `pem`: the first DNS name or IP address among its alternative
/// names, else its common name; empty: it has none. Workers whose certificates share a name
/// recognize each other by it, whatever their addresses.
std::string CertificateName(const std::string& pem);

}  // namespace twofold::security
