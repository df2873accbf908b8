#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "kubernetes/api/call.h"
#include "lib/common/instant.h"

namespace twofold::controller {

/// What people shall read in `kubectl describe` and `kubectl get events`.
struct Happening {
  bool is_warning = false;
  std::string reason;  ///< one word in CamelCase: "RunBegun"
  std::string action;  ///< what was done or tried, one word: "Begin"
  std::string note;    ///< a sentence
};

struct EventOptions {
  std::string controller;  ///< reportingController: "twofold.dev/operator"
  std::string instance;    ///< reportingInstance: the pod
  Duration series_within = std::chrono::minutes(6);  ///< the same again is one more of a series
  Duration refill = std::chrono::minutes(5);         ///< of an object's burst, by one event
  std::uint32_t burst = 25;                          ///< events of one object at once
  std::size_t most_known = 4096;
};

/// Makes the Events of a controller: what happens again within minutes is counted in the event that
/// is there, and an object that has too much to tell is silent for a while. An event that another
/// process has made for the same happening has the same name, so a restart doubles none; creating
/// it is answered with AlreadyExists then, which is no failure.
///
/// Time     Passed in.
/// Threads  Not thread-safe.
/// Memory   most_known events; beyond that the oldest are forgotten.
/// Source   client-go's tools/events (series of six minutes) and tools/record (25 at once, one more
///          each five minutes).
class EventBook {
 public:
  explicit EventBook(EventOptions options) : options_(std::move(options)) {}

  /// The call that tells `what` of `object`; nullopt: nothing is told, as there was too much of it.
  std::optional<kube::Call> Tell(const kube::Json& object, const Happening& what, Instant now,
                                 kube::UnixTime wall);

  [[nodiscard]] std::uint64_t suppressed() const { return suppressed_; }

 private:
  struct Known {
    Instant last;
    std::int64_t count = 1;
  };

  bool MaySay(const std::string& uid, Instant now);
  void Forget(Instant now);
  [[nodiscard]] kube::Json EventOf(const kube::Json& object, const Happening& what,
                                   const kube::ObjectName& name, kube::UnixTime wall) const;

  const EventOptions options_;
  std::map<kube::ObjectName, Known> known_;
  std::map<std::string, Instant> full_at_;  // by uid: when all of the burst may be used again
  std::uint64_t suppressed_ = 0;
};

}  // namespace twofold::controller
