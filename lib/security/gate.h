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

/// Why somebody was turned away.
enum class Reason : std::uint8_t {
  kNoToken,        ///< none was shown
  kUnknownToken,   ///< nobody has it
  kRole,           ///< its holder may not do that
  kNoCertificate,  ///< HTTP: no certificate was shown (gRPC ends such connections itself)
  kTooMany,        ///< the peer has as many calls or connections open as it may
  kNoRoom,         ///< a connection for which there was no memory or descriptor left
  kOtherSite,      ///< HTTP: a page of another site made a browser ask for a change
};
inline constexpr std::array<std::string_view, 7> kReasonNames = {
    "no_token", "unknown_token", "role", "no_certificate", "too_many", "no_room", "other_site"};

/// Decides on calls at one door (one listening port), and counts those it turns away.
///
/// Threads  Safe.
class Gate {
 public:
  /// `door` is for the log and the metric. `tokens` null: no token is asked for.
  Gate(std::string door, std::shared_ptr<Reloaded<Tokens>> tokens)
      : door_(std::move(door)), tokens_(std::move(tokens)) {}

  struct Denial {
    Reason reason;
    std::string message;  ///< for the peer
  };

  /// Whether a call of `what` that only `allowed` may make can go on. `authorization` is the header
  /// of that name, empty if it was not sent. nullopt: it can.
  /// Cost     A look at the tokens file, a digest, a comparison with each token.
  std::optional<Denial> Check(std::string_view what, Roles allowed, std::string_view authorization);

  /// Counts one that was turned away for a reason found elsewhere.
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
