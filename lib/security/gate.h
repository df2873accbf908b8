#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lib/security/reloaded.h"
#include "lib/security/tokens.h"

namespace twofold::security {

/// Why a call was refused.
enum class Reason : std::uint8_t {
  kNoToken,        ///< none was shown
  kUnknownToken,   ///< nobody has it
  kRole,           ///< its holder may not do that
  kNoCertificate,  ///< HTTP: no certificate was shown (gRPC ends such connections itself)
  kTooMany,        ///< the peer has as many calls or connections open as it may
  kNoRoom,         ///< no memory or descriptor was left for the connection
  kOtherSite,      ///< HTTP: a page of another site made a browser ask for a change
};
inline constexpr std::array<std::string_view, 7> kReasonNames = {
    "no_token", "unknown_token", "role", "no_certificate", "too_many", "no_room", "other_site"};

/// Decides on calls at one door (one listening port), and counts those that it refuses.
///
/// Threads  Safe.
class Gate {
 public:
  /// `door` is for the log and the metric. `tokens` null: no token is required.
  Gate(std::string door, std::shared_ptr<Reloaded<Tokens>> tokens)
      : door_(std::move(door)), tokens_(std::move(tokens)) {}

  struct Denial {
    Reason reason;
    std::string message;  ///< for the peer
  };

  /// Why a call of `what`, which only `allowed` may make, is refused; nullopt: it may go on.
  /// `authorization` is the header of that name, empty if it was not sent.
  /// Cost     A system call for the tokens file, a digest, a comparison with each token.
  std::optional<Denial> Check(std::string_view what, Roles allowed, std::string_view authorization);

  /// Whether a token is required.
  [[nodiscard]] bool asks_token() const { return tokens_ != nullptr; }

  /// Who shows this `authorization`; nullopt: nobody that is known, or no token is required.
  /// Cost     As Check.
  [[nodiscard]] std::optional<Tokens::Holder> HolderOf(std::string_view authorization) const;

  /// Counts a call that was refused elsewhere.
  void Count(Reason reason) { ++denied_[static_cast<std::size_t>(reason)]; }

  [[nodiscard]] const std::string& door() const { return door_; }
  [[nodiscard]] std::uint64_t denied(Reason reason) const {
    return denied_[static_cast<std::size_t>(reason)];
  }

 private:
  std::optional<Denial> Decide(std::string_view what, Roles allowed,
                               std::string_view authorization);

  const std::string door_;
  const std::shared_ptr<Reloaded<Tokens>> tokens_;
  std::array<std::atomic<std::uint64_t>, kReasonNames.size()> denied_{};
};

}  // namespace twofold::security
