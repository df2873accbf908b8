#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>

#include "lib/common/instant.h"
#include "workloads/objects/load/load.h"
#include "workloads/objects/load/permutation.h"

namespace twofold::objects {

/// The next request to make.
struct Order {
  Op op = Op::kGet;
  std::uint64_t name = 0;  ///< its number; of a read, among those that are there to be read
  bool listed = false;     ///< `name` is one of those, else one that is made by the rule
  std::uint64_t size = 0;  ///< of a PUT; of a read, what a run of this seed has put
  bool update = false;     ///< a GET that is followed by a PUT of the same name and size
  std::optional<Duration> planned = {};  ///< since the start; nullopt: at once
};

/// When the requests of a rate start: the first at once; then in equal gaps, or in random ones
/// whose lengths are exponential (a Poisson process).
class Arrivals {
 public:
  Arrivals(double rate, bool poisson, std::uint64_t seed);

  /// Since the start; never less than the one before.
  Duration Next();

 private:
  double gap_seconds_;
  bool poisson_;
  std::uint64_t seed_;
  std::uint64_t count_ = 0;
  double at_seconds_ = 0;
};

/// Which names this loader has put and may read or delete: those before the first that is still on
/// its way. Memory as for those on their way.
class Written {
 public:
  /// PUT number `put` (0, 1, ... of this loader) is over.
  void Ended(std::uint64_t put, bool succeeded);

  [[nodiscard]] std::uint64_t end() const { return end_; }
  /// Before the first that failed.
  [[nodiscard]] std::uint64_t whole() const { return failed_ ? *failed_ : end_; }

 private:
  std::uint64_t end_ = 0;
  std::set<std::uint64_t> early_;  ///< over, though one before them is not
  std::optional<std::uint64_t> failed_;
};

/// Deals out the requests of a loader, one after another. All of it follows from the seed: kinds,
/// sizes, names and order each from a stream of their own, so that no share depends on another.
///
/// Reads with `each_once` go through a permutation of all names, a new one each epoch; loaders that
/// split the names take turns in it, so together they read each name exactly once.
///
/// Time     No clock: `planned` counts from the start, wherever that is.
/// Threads  Not thread-safe.
/// Cost     O(log n) for n in flight, less than a microsecond; memory as for those in flight, and
/// spared.
class Orders {
 public:
  explicit Orders(const Load& load);

  /// nullopt: there is nothing left to do; Why() says why.
  std::optional<Order> Next();

  /// Each order that Next has dealt out ends here, a read with its update.
  void Ended(const Order& order, bool succeeded);

  /// "epochs", "maxputs", "totalputsize"; empty: there is more to do.
  [[nodiscard]] std::string_view Why() const;

  [[nodiscard]] std::uint64_t EpochsDone() const;  ///< of this loader's share
  /// Names from 0 to this one have been put by all loaders, if the others do as this one.
  [[nodiscard]] std::uint64_t ObjectsWritten() const;
  /// PUTs dealt out so far, and how many of the first of them were deleted again, but for the names
  /// that were being read just then.
  [[nodiscard]] std::uint64_t puts() const { return puts_; }
  [[nodiscard]] std::uint64_t deleted() const { return deleted_; }
  [[nodiscard]] const std::set<std::uint64_t>& spared() const { return spared_; }
  /// The number of the name of a PUT of this loader: 0 is the first.
  [[nodiscard]] std::uint64_t NumberOf(std::uint64_t put) const;

 private:
  [[nodiscard]] Op Draw(std::uint64_t ordinal) const;
  std::optional<Order> Put(std::uint64_t ordinal);
  std::optional<Order> Read(Op op, std::uint64_t ordinal);
  std::optional<Order> Delete(std::uint64_t ordinal);
  std::optional<std::uint64_t> NextOfEpochs();
  [[nodiscard]] std::uint64_t SizeOf(std::uint64_t name) const;
  [[nodiscard]] std::uint64_t PerEpoch() const;

  const Load load_;
  Arrivals arrivals_;
  std::uint64_t ordinal_ = 0;
  std::uint64_t puts_ = 0;
  std::uint64_t put_bytes_ = 0;
  std::uint64_t deleted_ = 0;
  std::set<std::uint64_t> spared_;
  std::multiset<std::uint64_t> reading_;  ///< names that this loader has put, and reads just now
  std::uint64_t reads_ = 0;
  std::uint64_t epoch_ = 0;
  std::optional<Permutation> order_;  ///< of `epoch_`
  Written written_;
  std::string_view why_;
};

}  // namespace twofold::objects
