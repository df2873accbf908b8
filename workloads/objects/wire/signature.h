#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace twofold::objects {

/// Who a request comes from. Never in a spec, a command line or a log.
struct Credentials {
  std::string access_key;  ///< empty: requests are not signed
  std::string secret_key;
  std::string session_token;  ///< of temporary ones; else empty
};

/// What S3's header says of content that a signature does not cover.
inline constexpr std::string_view kUnsignedPayload = "UNSIGNED-PAYLOAD";

/// SHA-256 in hex.
std::string Sha256Hex(std::string_view text);

/// Signs requests as S3 wants it (AWS Signature Version 4, in headers).
///
/// Time     The caller's: seconds since 1970.
/// Threads  Not thread-safe: it keeps the key of the day. One a thread.
/// Cost     Some microseconds.
/// Source   "Signature Calculations for the Authorization Header", Amazon S3 API Reference.
class Signer {
 public:
  using Header = std::pair<std::string_view, std::string_view>;  ///< name in lower case, value

  Signer(Credentials credentials, std::string region)
      : credentials_(std::move(credentials)), region_(std::move(region)) {}

  [[nodiscard]] bool has_key() const { return !credentials_.access_key.empty(); }

  /// The value of the header Authorization. `headers` are those to sign, by name; `target` is
  /// percent-encoded; `when` is such as "20130524T000000Z".
  std::string Authorization(std::string_view method, std::string_view target,
                            std::span<const Header> headers, std::string_view sha256,
                            std::string_view when);

  /// Appends all header lines that a request needs beside Host; nothing without a key.
  /// `sha256` is that of the content; empty: not covered.
  void Append(std::string_view method, std::string_view target, std::string_view host,
              std::string_view sha256, std::int64_t now, std::string& out);

 private:
  const std::string& KeyOf(std::string_view day);

  Credentials credentials_;
  std::string region_;
  std::string day_;
  std::string key_;  ///< of `day_`
};

}  // namespace twofold::objects
