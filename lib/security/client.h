#pragma once

#include <memory>
#include <string>

#include "lib/common/result.h"
#include "lib/security/options.h"
#include "lib/security/reloaded.h"
#include "lib/security/tls_material.h"

namespace twofold::security {

/// The environment variable with the token of a program that has no --token-file.
inline constexpr const char* kTokenVariable = "TWOFOLD_TOKEN";

/// Takes it out of the environment, and its text out of what others of this user can read as
/// /proc/PID/environ. Threads  Before there are others.
void ForgetTokenVariable();

/// What a program that connects shows and trusts, loaded again when its files change. A default one
/// is plain text without a token.
///
/// Threads  Safe to share; copies share the same files.
class Client {
 public:
  Client() = default;

  /// Errors   kInvalidArgument: one line that names the flag, the file and what is wrong.
  static Result<Client> Open(const ClientOptions& options);

  /// Plain text with this token, which must be fit for a header (CheckToken).
  static Client WithToken(std::string token);

  /// The same without a token, for servers whose address somebody else may have written.
  [[nodiscard]] Client WithoutToken() const;

  /// Whom to trust and what to show; null: plain text. The same pointer as long as nothing changed.
  [[nodiscard]] std::shared_ptr<const TlsMaterial> Tls() const {
    return tls_ == nullptr ? nullptr : tls_->Get();
  }
  [[nodiscard]] bool has_tls() const { return tls_ != nullptr; }

  /// The server's name in its certificate; empty: the host of its address.
  [[nodiscard]] const std::string& server_name() const { return server_name_; }

  /// The header `authorization` of every call; empty: none.
  [[nodiscard]] std::string Authorization() const;

 private:
  std::shared_ptr<Reloaded<TlsMaterial>> tls_;
  std::string server_name_;
  std::shared_ptr<Reloaded<std::string>> token_file_;
  std::string token_;  // if there is no file
};

}  // namespace twofold::security
