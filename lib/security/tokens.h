#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/result.h"

namespace twofold::security {

/// The role of a token's holder.
enum class Role : std::uint8_t { kClient, kWorker, kAdmin, kReadOnly };

inline constexpr std::array<std::string_view, 4> kRoleNames = {"client", "worker", "admin",
                                                               "read-only"};
inline std::string_view Name(Role role) { return kRoleNames[static_cast<std::size_t>(role)]; }

/// A set of roles. Open: no role is needed.
class Roles {
 public:
  constexpr Roles(std::initializer_list<Role> roles) {
    for (const Role role : roles) bits_ |= Bit(role);
  }
  static constexpr Roles Open() {
    Roles open{};
    open.bits_ = kOpen;
    return open;
  }

  [[nodiscard]] constexpr bool open() const { return bits_ == kOpen; }
  [[nodiscard]] constexpr bool Has(Role role) const { return open() || (bits_ & Bit(role)) != 0; }
  /// "client or admin", for messages.
  [[nodiscard]] std::string ToString() const;

  friend constexpr bool operator==(const Roles&, const Roles&) = default;

 private:
  static constexpr std::uint8_t kOpen = 0xff;
  static constexpr std::uint8_t Bit(Role role) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(role));
  }
  std::uint8_t bits_ = 0;
};

/// Who has which token. Only digests of the tokens are kept.
class Tokens {
 public:
  struct Holder {
    Role role;
    std::string name;  ///< for the log; several holders may share one
  };

  static constexpr std::size_t kLeastBytes = 16;
  static constexpr std::size_t kMostBytes = 512;

  /// Reads lines of ROLE NAME TOKEN; ignores blank lines and lines that begin with #.
  ///
  /// Errors   kInvalidArgument: the number of the line and what is wrong with it, never the token.
  static Result<Tokens> Parse(const std::string& text);

  /// The holder of this token; nullptr: nobody. Takes the same time for every token: a digest is
  /// compared with those of all tokens.
  [[nodiscard]] const Holder* Find(std::string_view token) const;

 private:
  using Digest = std::array<std::uint8_t, 32>;  // SHA-256
  struct Entry {
    Digest digest;
    Holder holder;
  };

  static Digest DigestOf(std::string_view token);
  Status Add(const std::vector<std::string>& fields);

  std::vector<Entry> entries_;
};

/// Why `token` is not a valid token; empty if it is.
std::string CheckToken(std::string_view token);

}  // namespace twofold::security
