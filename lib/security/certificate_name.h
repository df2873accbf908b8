#pragma once

#include <string>

namespace twofold::security {

/// A name that the first certificate of `pem` is for: the first DNS name or IP address among its
/// alternative names, else its common name; empty: it has none. Workers with certificates of one
/// name know each other by it, whatever their addresses are.
std::string CertificateName(const std::string& pem);

}  // namespace twofold::security
