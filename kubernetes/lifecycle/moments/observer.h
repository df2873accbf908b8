#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kubernetes/lifecycle/moments/inputs.h"
#include "kubernetes/lifecycle/moments/kind.h"
#include "kubernetes/lifecycle/moments/life.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"

namespace twofold::lifecycle {

/// What was left out or not believed; each is 0 in a run without faults.
struct Unusual {
  std::uint64_t foreign = 0;   ///< events of objects that belong to no workload of this run
  std::uint64_t stale = 0;     ///< events with an older version of an object than was known
  std::uint64_t broken = 0;    ///< events whose object has no kind, name or uid
  std::uint64_t relists = 0;   ///< lists after a watch had been broken
  std::uint64_t left_out = 0;  ///< pods beyond the limit of their workload
};

/// How late the watch is, by objects written for this alone.
struct CanaryLag {
  Duration after_reply;  ///< from the answer to a write until the watch showed it; may be negative
  Duration at_most;      ///< the same from before the write was sent
};

/// Follows the workloads of one run by what a watch shows, and keeps for each when it was first
/// seen at each moment.
///
/// Every workload is announced by a Plan before it is sent, so that an event may come before the
/// answer to the POST. Objects are told apart by UID: doubled, disordered and late events change
/// nothing that is known, and objects of the same name that come later are counted, not mixed in.
/// What a list shows for the first time has an interval that begins when its stream was last alive.
///
/// Time     Callers pass instants of one monotonic clock, taken when the bytes were read.
/// Threads  Not thread-safe.
/// Errors   kAlreadyExists: the name is planned twice. kInvalidArgument: a workload without pods,
/// or
///          with more than kMostSlots. kResourceExhausted: more than Limits allow.
/// Cost     Seen O(size of the object) and O(1) look-ups. Memory: about 1.8 KiB a workload and
///          0.9 KiB a pod, of which there are at most 4 x slots + 16 a workload, and claims of
///          volumes likewise; 150 bytes for each object beside them.
class Observer {
 public:
  struct Limits {
    std::size_t workloads = 200'000;
    std::size_t pods = 1'000'000;   ///< slots of all workloads together
    std::size_t waiting = 100'000;  ///< objects that came before their workload could be told
  };

  /// `kind` must outlive the observer. `run` is the value of the run label.
  Observer(const Kind& kind, std::string run);
  Observer(const Kind& kind, std::string run, Limits limits);

  // inputs.h says what each of them means.
  Status Tell(const input::Expect& expected);
  Status Tell(const input::Plan& planned);
  void Tell(const input::Sent& sent);
  void Tell(const input::Replied& replied);
  void Tell(const input::Refused& refused);
  void Tell(const input::Seen& seen);
  void Tell(const input::Alive& alive);
  void Tell(const input::Listing& listing);
  void Tell(const input::Listed& listed);
  void Tell(const input::CanaryWritten& written);
  void Tell(const input::CanarySeen& seen);
  void Tell(const input::Resume& resume);

  /// Whichever it is. Errors   those of Expect and Plan.
  Status Tell(const Input& input);

  /// All that is told from now on is passed on, once it is known to be right: another Observer that
  /// is told the same knows the same.
  void SetHearer(Hearer hearer) { hearer_ = std::move(hearer); }

  /// The workload of that name; nullptr: it was not announced.
  [[nodiscard]] const Life* LifeNamed(std::string_view space, std::string_view name) const;
  /// The last instant at which something was seen or done.
  [[nodiscard]] Instant latest() const { return latest_; }
  [[nodiscard]] const std::vector<Life>& lives() const { return lives_; }
  [[nodiscard]] const Unusual& unusual() const { return unusual_; }
  [[nodiscard]] const std::vector<CanaryLag>& lags() const { return lags_; }
  /// The scheduler that all pods name; as long as none was seen, the kind's. Empty: they differ.
  [[nodiscard]] std::string scheduler() const;
  /// Canaries written and not seen, or the other way round.
  [[nodiscard]] std::size_t open_canaries() const { return canaries_.size(); }

 private:
  /// One watch.
  struct Stream {
    std::optional<Instant> alive;  ///< it last showed something as it happened
    bool listed = false;           ///< once at least
    std::uint64_t generation = 1;  ///< number of the list that goes on or comes next
  };

  /// What is known of one object.
  struct Known {
    std::size_t life = 0;
    std::int32_t pod = -1;    ///< which of the life's pods; -1: it is none
    std::int32_t claim = -1;  ///< which of its claims
    std::string kind;
    std::uint64_t version = 0;    ///< its newest resourceVersion
    std::uint64_t listed_in = 0;  ///< number of the last list that had it
    bool gone = false;
    bool ignored = false;  ///< of another life than the one that is followed
  };

  /// When something is seen, and after when it can have happened.
  struct When {
    Instant at;
    Instant after;
  };

  /// An object that was seen before its workload could be told.
  struct Waiting {
    Instant at;
    bool late = false;                   ///< it may have been there long before
    std::optional<Instant> blind_since;  ///< but not before this
  };

  struct Canary {
    std::optional<Instant> sent;
    std::optional<Instant> replied;
    std::optional<Instant> seen;
  };

  template <typename Workload>
  Status Announce(const Workload& workload);
  template <typename One>
  void Hear(One one);
  Life* Find(std::string_view space, std::string_view name);
  [[nodiscard]] std::optional<std::size_t> LifeOf(const Object& object) const;
  [[nodiscard]] std::optional<std::size_t> ByName(const Object& object,
                                                  const std::string& name) const;
  [[nodiscard]] std::optional<std::size_t> ByOwner(const Object& object) const;
  Known* Recognise(const Object& object, const Waiting& seen);
  Known NewKnown(const Object& object, std::size_t life);
  [[nodiscard]] bool BelongsToAnother(const Object& object, const Life& life) const;
  [[nodiscard]] static When WhenOf(const Life& life, Instant at,
                                   std::optional<Instant> blind_since);
  [[nodiscard]] static When WhenOf(const Life& life, const Waiting& seen);
  bool IsNews(const Object& object, Known& known);
  void Show(const input::Seen& seen, Known& known, const Waiting& look);
  void SeePod(const Object& object, const Known& known, const When& when);
  std::int32_t AddPod(const Object& object, Life& life);
  static std::int32_t AddClaim(Life& life);
  void SeeClaim(const Object& object, const Known& known, const When& when);
  void SeeDecision(const Object& object, const When& when);
  void SeeSigns(const Object& object, Life& life, const When& when);
  void SeeGone(Known& known, const std::string& uid, const When& when);
  void SetLag(std::string_view name);

  const Kind& kind_;
  const std::string run_;
  const Limits limits_;
  std::vector<Life> lives_;
  std::unordered_map<std::string, std::size_t> by_name_;  // "namespace/name"
  std::unordered_map<std::string, Known> known_;          // by uid
  std::unordered_map<std::string, Waiting> waiting_;      // by uid
  std::map<std::string, Stream, std::less<>> streams_;
  std::map<std::string, Canary, std::less<>> canaries_;
  std::set<std::string> schedulers_;  // of the pods
  std::vector<CanaryLag> lags_;
  std::size_t slots_ = 0;
  Instant latest_;
  Hearer hearer_;
  Unusual unusual_;
};

}  // namespace twofold::lifecycle
