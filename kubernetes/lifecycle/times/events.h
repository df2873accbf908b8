#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kubernetes/lifecycle/moments/kind.h"
#include "kubernetes/lifecycle/moments/life.h"
#include "kubernetes/lifecycle/times/differences.h"

namespace twofold::lifecycle {

/// When an Event (events.k8s.io/v1 or v1) says that it happened, better than to the second: its
/// eventTime; else the nanoseconds that recorders put into its name, if they agree with its second.
/// nullopt: it does not say.
std::optional<UnixNs> ExactTimeOf(const Object& event);

struct EventCounts {
  std::uint64_t seen = 0;               ///< events of the reasons that are compared, each once
  std::uint64_t late = 0;               ///< of those, shown more than kLateEvent after their time
  std::uint64_t inexact = 0;            ///< with a whole second alone: not compared
  std::uint64_t failed_scheduling = 0;  ///< objects with such an event
  std::uint64_t foreign = 0;            ///< of objects of no workload of the run
  std::uint64_t left_out = 0;           ///< beyond the limit
};
inline constexpr UnixNs kLateEvent = 10'000'000'000;

/// Keeps what Events say of objects, by their uid, until the run is over. Events get lost, come
/// late, twice and in any order: what is missing is counted, and of what comes twice the first time
/// counts.
///
/// Threads  Not thread-safe.
/// Cost     Some 250 bytes an object, of `most` objects.
class EventNotes {
 public:
  /// Events from before `begin` are of no interest.
  explicit EventNotes(UnixNs begin, std::size_t most = 500'000) : begin_(begin), most_(most) {}

  /// `arrived` by the watcher's clock.
  void Seen(const Object& event, UnixNs arrived);

  [[nodiscard]] std::vector<EvidenceRow> Rows(const Kind& kind, const std::vector<Life>& lives,
                                              const ClockFit& clocks) const;
  [[nodiscard]] EventCounts CountsOf(const std::vector<Life>& lives) const;

  static constexpr std::size_t kCompared = 7;

 private:
  using Times = std::array<UnixNs, kCompared>;  // 0: none

  [[nodiscard]] UnixNs Find(const std::string& key, std::size_t reason) const;

  const UnixNs begin_;
  const std::size_t most_;
  EventCounts counts_;
  std::unordered_map<std::string, Times> times_;  // by uid; of created pods by "namespace/name"
};

}  // namespace twofold::lifecycle
