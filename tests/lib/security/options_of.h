#pragma once

#include <string>

#include "lib/security/options.h"

/// Options as values, for tests.
namespace twofold::security {

inline ServerOptions Serving(const std::string& cert, const std::string& key = "",
                             const std::string& ca = "", const std::string& token_file = "") {
  return {{"", cert, key, ca}, token_file};
}

inline ServerOptions WithTokens(const std::string& token_file) {
  return Serving("", "", "", token_file);
}

inline ClientOptions Connecting(const std::string& ca, const std::string& cert = "",
                                const std::string& key = "", const std::string& server_name = "") {
  return {{"", cert, key, ca}, server_name, ""};
}

inline ClientOptions WithToken(const std::string& token_file) {
  return {{}, "", token_file};
}

}  // namespace twofold::security
