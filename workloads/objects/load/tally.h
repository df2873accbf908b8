#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/stats/histogram.h"
#include "workloads/objects/load/load.h"

namespace twofold::objects {

/// How a request went wrong.
struct Failure {
  unsigned code = 0;     ///< HTTP status; 0: there was no answer
  std::string cause;     ///< "SlowDown", "timeout"
  std::string example;   ///< what was said, and of which object
  std::string reason{};  ///< what is to be mended, if the store's answer shows it
};

/// How a request went, with its retries. Times are of its last try, but for `planned`.
struct Outcome {
  Op op = Op::kGet;
  std::uint64_t bytes = 0;
  Instant ended{};
  Duration first_byte{};
  Duration last_byte{};
  std::optional<Duration> redirect{};  ///< until the last redirect was there
  std::optional<Duration> planned{};   ///< from the planned start to the end
  std::optional<Duration> late{};      ///< from the planned start to the first byte sent
  std::uint32_t retries = 0;
  std::uint32_t redirects = 0;
  std::optional<Failure> failure{};
};

/// Of one kind of request.
struct OpTally {
  struct Second {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
    std::uint64_t errors = 0;
  };
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::uint64_t errors = 0;
  std::uint64_t retries = 0;
  std::uint64_t redirects = 0;
  std::uint64_t full_count = 0;  ///< those that ended while all had something to do
  std::uint64_t full_bytes = 0;
  stats::Histogram first_byte;
  stats::Histogram last_byte;
  stats::Histogram planned;
  stats::Histogram redirect;
  stats::Histogram open;  ///< ages of those that were planned and had not ended when the load did
  std::vector<Second> seconds;

  void Merge(const OpTally& other);
};

/// Counts what requests came to, in the measured part of a run. Each thread has one; merged they
/// are what one alone would be. Requests of a rate that were planned in it are in `planned`, `open`
/// or the failures of their kind.
///
/// Time     Outcomes bring their instants.
/// Threads  Not thread-safe.
/// Cost     Add: O(1). Memory: constant but for 24 bytes a second and kind.
class Tally {
 public:
  /// What ends before `from` or at `to` and later does not count.
  Tally(Instant from, Instant to) : from_(from), to_(to) {}

  void Add(const Outcome& outcome, bool all_busy);
  /// A request was planned and had not ended at `now`, when the load did, or had not even begun.
  void Open(Op op, Instant planned, Instant now);
  void Connected(Duration tcp, std::optional<Duration> tls);
  void ConnectFailed() { ++connects_failed; }
  void Spent(Duration content, Duration check);

  void Merge(const Tally& other);

  /// All requests, failed ones too, and the bytes of the others.
  [[nodiscard]] OpTally::Second Totals() const;

  std::array<std::unique_ptr<OpTally>, kOps> ops;  ///< null: none of that kind
  std::map<std::tuple<Op, unsigned, std::string>, std::pair<std::uint64_t, std::string>> failures;
  std::uint64_t connects_failed = 0;
  stats::Histogram connect;
  stats::Histogram tls;
  stats::Histogram late;
  Duration content{};
  Duration check{};

 private:
  Instant from_;
  Instant to_;
};

/// A tally that one thread fills while others read it.
class LockedTally {
 public:
  LockedTally(Instant from, Instant to) : tally_(from, to) {}

  /// Calls `use(tally)` under the lock.
  template <typename Use>
  auto With(Use use) const {
    const MutexLock lock(mutex_);
    return use(tally_);
  }

 private:
  mutable Mutex mutex_;
  mutable Tally tally_;
};

/// Writes what was counted into the report. `load` has the shares that were asked for.
void Report(const Tally& tally, const Load& load, v1::suites::ObjectStorageReport& report);

}  // namespace twofold::objects
