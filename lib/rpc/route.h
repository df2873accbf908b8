#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/backoff.h"
#include "lib/common/instant.h"
#include "lib/rpc/limits.h"

namespace twofold::rpc {

/// The next connection of a caller.
struct Dial {
  std::string address;      ///< host:port
  bool named = false;       ///< by a Moved: use security::Client::WithoutServerName
  std::uint64_t epoch = 0;  ///< of that Moved, for the field moved_epoch; 0 if not `named`
  Instant at{};             ///< not before
  /// Why addresses of the Moved were left out, for the log; empty: none was.
  std::string skipped = {};
};

/// How long a Route waits. Each wait is random, between 0 and the time here.
struct RoutePauses {
  Duration hop = std::chrono::milliseconds(50);     ///< before following a Moved
  Duration first = std::chrono::milliseconds(100);  ///< before returning to the first contact
  Duration most = std::chrono::seconds(5);          ///< that pause doubles up to this
  /// A stream that was served for so long has worked: hops and pauses start over. Not random.
  Duration settled = std::chrono::seconds(10);
};

/// Finds the owner of a queue for one stream: says which frontend to dial next, and when.
///
/// A stream begins at the first contact, an address that leads to any frontend. A frontend that
/// does not own the queue names who does (the message Moved of queue.proto), and the caller
/// follows. The rules:
///
/// - After three hops in a row the caller returns to the first contact, and after a stream that
///   broke as well. Returns have pauses, which grow until a stream has worked.
/// - While nobody owns the queue (a Moved without addresses) it asks the first contact again.
/// - A Moved that is older than one before it does not count: the caller asks the same frontend
///   again, after a pause. The third such one in a row counts, for then the database with the
///   epochs was set back.
/// - Of several addresses it takes one at random.
///
/// Time     Callers pass `now`; the same seed and the same calls give the same answers.
/// Threads  Not thread-safe.
/// Errors   None. Unusable addresses are skipped, and Dial::skipped says why.
/// Cost     Follow: O(n) for n addresses; it reads the first kMaxAddresses.
class Route {
 public:
  static constexpr int kMaxHops = 3;
  static constexpr int kMaxOutdated = 3;             ///< the last of them is believed
  static constexpr std::size_t kMaxAddresses = 256;  ///< as many parts as a queue may have
  /// The longest name with a port.
  static constexpr std::size_t kMaxAddressBytes = kMaxNameBytes + std::string_view(":65535").size();

  /// `first` is the address of the first contact.
  Route(std::string first, std::uint64_t seed, const RoutePauses& pauses = {});

  /// Where the stream is, or goes next. At the beginning: the first contact, without a pause.
  [[nodiscard]] const Dial& dial() const { return dial_; }

  /// The frontend there said Moved, with these addresses for callers of this kind. Says where to go
  /// when this stream is done; do not report its end as Lost.
  Dial Follow(std::uint64_t epoch, const std::vector<std::string_view>& addresses, Instant now);

  /// What comes is about another queue, whose epochs are others.
  void Forget() { epoch_ = 0; }

  /// The stream broke, or could not be made.
  Dial Lost(Instant now);

  /// The frontend there owns the queue and has accepted the stream.
  void Served(Instant now);

 private:
  void EndStream(Instant now);
  bool IsOutdated(std::uint64_t epoch);
  void AskAgain(Instant now);
  void ReturnToFirst(Instant now);
  void Hop(std::string_view address, Instant now);
  Duration UpTo(Duration most);

  const std::string first_;
  const RoutePauses pauses_;
  Backoff backoff_;
  std::mt19937_64 random_;

  Dial dial_;
  std::uint64_t epoch_ = 0;              // of the last Moved that counted
  int outdated_ = 0;                     // older ones since then, in a row
  int hops_ = 0;                         // in a row
  std::optional<Instant> served_since_;  // nullopt: the stream is not served yet
};

}  // namespace twofold::rpc
