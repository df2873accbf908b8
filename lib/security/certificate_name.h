#pragma once

#include <string>

namespace twofold::security {

/// A name of the first certificate in `pem`: the first DNS name or IP address among its alternative
/// names, else its common name; empty: it has none. Workers whose certificates share a name
/// recognize each other by it, whatever their addresses.
std::string CertificateName(const std::string& pem);

}  // namespace twofold::security
