#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kubernetes/lifecycle/moments/kind.h"
#include "kubernetes/lifecycle/moments/life.h"
#include "kubernetes/lifecycle/moments/said.h"
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
  Duration
      after_reply;   ///< from the answer to the write until the watch showed it; may be negative
  Duration at_most;  ///< the same from before the write was sent
};

/// Follows the workloads of one run by what a watch shows, and keeps for each when it was first
/// seen at each moment.
///
/// Every workload is announced with Plan before it is sent, so that an event may come before the
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

  Status Plan(const std::string& space, const std::string& name, std::uint32_t slots,
              Instant planned, const Planned& beside = {});

  /// Announces a workload that another process sends: Plan and Sent may follow once its object says
  /// when that was. Nothing of it has happened before `begin`.
  Status Expect(const std::string& space, const std::string& name, std::uint32_t slots,
                Instant begin, const Planned& beside = {});

  void Sent(const std::string& space, const std::string& name, Instant at);
  void Replied(const std::string& space, const std::string& name, Instant at);
  void Refused(const std::string& space, const std::string& name, const std::string& why);

  /// An object of any of the watched resources, with its kind. `blind_since`: what it shows may
  /// have happened at any time since then, as its watch was broken; nullopt: as far as is known by
  /// itself.
  void Seen(Event event, const Object& object, Instant at,
            std::optional<Instant> blind_since = std::nullopt);

  /// The stream of objects of `object_kind` is up to date at `at`: a bookmark, for example.
  void Alive(std::string_view object_kind, Instant at);

  /// A list of these objects begins; of one that did not end, what it had is forgotten.
  void Listing(std::string_view object_kind);

  /// A list of these objects has ended: of those known, what was not in it is gone.
  void Listed(std::string_view object_kind, Instant at);

  /// A canary was written: `sent` before the request, `replied` after its answer.
  void CanaryWritten(const std::string& name, Instant sent, Instant replied);
  /// The watch has shown it.
  void CanarySeen(const std::string& name, Instant at);

  /// Another process goes on where one has ended: nobody sees the canaries of that one any more.
  void Resume(Instant at);

  /// All that is told from now on is passed on, once it is known to be right. Tell (said.h) tells
  /// it to another Observer, which then knows what this one does.
  void SetHearer(Hearer hearer) { hearer_ = std::move(hearer); }

  /// The workload of that name; nullptr: it was not announced.
  [[nodiscard]] const Life* LifeNamed(const std::string& space, const std::string& name) const;
  /// The last instant at which something was seen or done.
  [[nodiscard]] Instant latest() const { return latest_; }
  [[nodiscard]] const std::vector<Life>& lives() const { return lives_; }
  [[nodiscard]] const Unusual& unusual() const { return unusual_; }
  [[nodiscard]] const std::vector<CanaryLag>& lags() const { return lags_; }
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

  Status Announce(const std::string& space, const std::string& name, std::uint32_t slots,
                  Instant begin, const Planned& beside);
  void Hear(Said said);
  Life* Find(const std::string& space, const std::string& name);
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
  void SeePod(const Object& object, const Known& known, const When& when);
  std::int32_t AddPod(const Object& object, Life& life);
  static std::int32_t AddClaim(Life& life);
  void SeeClaim(const Object& object, const Known& known, const When& when);
  void SeeDecision(const Object& object, const When& when);
  void SeeSigns(const Object& object, Life& life, const When& when);
  void SeeGone(Known& known, const std::string& uid, const When& when);
  void SetLag(const std::string& name);

  const Kind& kind_;
  const std::string run_;
  const Limits limits_;
  std::vector<Life> lives_;
  std::unordered_map<std::string, std::size_t> by_name_;  // "namespace/name"
  std::unordered_map<std::string, Known> known_;          // by uid
  std::unordered_map<std::string, Waiting> waiting_;      // by uid
  std::map<std::string, Stream, std::less<>> streams_;
  std::map<std::string, Canary> canaries_;
  std::vector<CanaryLag> lags_;
  std::size_t slots_ = 0;
  Instant latest_;
  Hearer hearer_;
  Unusual unusual_;
};

}  // namespace twofold::lifecycle
