#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "lib/common/backoff.h"
#include "workloads/objects/caller.h"
#include "workloads/objects/load/names.h"
#include "workloads/objects/load/orders.h"
#include "workloads/objects/load/tally.h"
#include "workloads/objects/wire/checksum.h"

namespace twofold::objects {

/// What workers take their requests from.
///
/// Threads  Safe.
class Source {
 public:
  virtual ~Source() = default;
  virtual std::optional<Order> Next() = 0;
  virtual void Ended(const Order& order, bool succeeded) = 0;
};

/// How requests are made, as the spec has it.
struct Manner {
  explicit Manner(const Spec& spec);

  std::uint64_t seed;
  std::uint64_t offset;  ///< of GETs
  std::uint64_t length;  ///< of GETs; 0: to the end
  std::uint32_t parts;   ///< of uploads in parts
  std::uint32_t retries;
  bool validate;         ///< content of GETs
  bool knows_sizes;      ///< of what is read, by the rule that made it
  bool verify;           ///< checksums of GETs
  std::string checksum;  ///< of PUTs to AIStore; empty: none is sent
  bool sign_content;
};

/// What the workers of a run share.
struct Shared {
  const Store& store;
  const Manner manner;
  const Names& names;
  const std::vector<std::string>& listed;  ///< if there are, reads choose from them by number
  Source& source;
  Instant start;  ///< planned starts count from here
  std::atomic<bool> stop = false;
  std::atomic<bool> all_busy = true;         ///< no worker has run out of orders
  std::atomic<Duration::rep> full_until{0};  ///< since the clock's beginning; 0: still so
};

/// Compares what a GET brings with what should be there.
class Check : public Sink {
 public:
  /// `content` null: it is not compared. `type` empty: there is no checksum.
  Check(const Content* content, std::uint64_t offset, std::string_view type);
  void Take(std::string_view bytes) override;

  /// What is wrong, in a few words; empty: nothing. `expected` in hex; empty: not known.
  std::string Fault(std::string_view expected);
  [[nodiscard]] Duration spent() const { return spent_; }

 private:
  const Content* content_;
  std::uint64_t at_;
  std::unique_ptr<Checksum> checksum_;
  bool equal_ = true;
  Duration spent_{};
};

/// One slot of load: makes the requests that the source deals out, one at a time.
///
/// Threads  That of its io_context; `tally` is that thread's.
class Worker {
 public:
  template <typename T>
  using Task = boost::asio::awaitable<T>;

  Worker(boost::asio::io_context& io, Shared& shared, std::size_t number, std::size_t buffer_bytes,
         Duration timeout, LockedTally& tally);

  /// Until the source has nothing more, or the run is stopped.
  Task<void> Run();

  Caller& caller() { return caller_; }

 private:
  Task<bool> Perform(Op op, const Order& order);
  Task<void> Once(Op op, const Order& order, Outcome& outcome);
  Task<void> Get(const Order& order, Outcome& outcome);
  Task<void> Put(const Order& order, Outcome& outcome);
  Task<void> PutInParts(const Order& order, Outcome& outcome);
  Task<void> Simple(Verb verb, Outcome& outcome);
  /// The load has ended before the request did.
  void Abandon(const Order& order);
  void NameIt(const Order& order);
  void Take(const Reply& reply, Outcome& outcome);
  void FindFault(const Order& order, Check* check, Outcome& outcome);
  std::string HashOf(std::string_view type, const Content& content, std::uint64_t offset,
                     std::uint64_t size);
  void Spent(Duration content, Duration check);

  Shared& shared_;
  LockedTally& tally_;
  Caller caller_;
  Backoff backoff_;
  std::string name_;
  bool may_retry_ = false;
};

}  // namespace twofold::objects
