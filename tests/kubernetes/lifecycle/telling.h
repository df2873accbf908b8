#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "kubernetes/lifecycle/moments/observer.h"
#include "kubernetes/lifecycle/moments/stamps.h"
#include "kubernetes/lifecycle/moments/trim.h"
#include "tests/kubernetes/lifecycle/objects.h"

/// An Observer that is told everything, and all that it knows then.
namespace twofold::lifecycle {

/// What servers send beside, and no moment reads.
inline Object WithNoise(Object object) {
  object["metadata"]["managedFields"] = {{{"manager", "m"}, {"fieldsV1", {{"f:status", 1}}}}};
  object["metadata"]["annotations"] = {{"other", "x"}, {kSentStamp, "1790000000000001"}};
  object["metadata"]["labels"]["other"] = "x";
  object["spec"]["containers"] = {{{"name", "main"}, {"image", "busybox"}}};
  object["status"]["hostIP"] = "10.0.0.1";
  object["status"]["containerStatuses"] = {
      {{"name", "main"},
       {"imageID", "sha"},
       {"restartCount", 2},
       {"state", {{"running", {{"startedAt", "2026-11-23T10:00:02Z"}}}}}}};
  return object;
}

inline Object OwnedBy(Object object, const std::string& kind, const std::string& uid) {
  object["metadata"]["ownerReferences"] = {
      {{"kind", kind}, {"name", "w"}, {"uid", uid}, {"controller", true}}};
  return object;
}

/// Everything that an Observer of Jobs can be told, once at least.
inline void TellAll(Observer& observer, const Kind& kind, bool trimmed) {
  const auto see = [&](Event event, const Object& object, double ms,
                       std::optional<Instant> blind = std::nullopt) {
    observer.Tell(input::Seen{event, trimmed ? Trimmed(kind, object) : object, At(ms), blind});
  };
  ASSERT_TRUE(observer.Tell(input::Expect{"load", "w", 1, At(0)}).ok());
  ASSERT_TRUE(observer.Tell(input::Plan{"load", "w", 1, At(5)}).ok());
  observer.Tell(input::Sent{"load", "w", At(10)});
  observer.Tell(input::Replied{"load", "w", At(15)});
  ASSERT_TRUE(observer.Tell(input::Plan{"load", "x", 1, At(5)}).ok());
  observer.Tell(input::Refused{"load", "x", "no quota", At(15)});
  for (const char* stream : {"Job", "Pod"}) {
    observer.Tell(input::Listing{stream, At(12)});
    observer.Tell(input::Listed{stream, At(12)});
  }
  Object job = WithNoise(Made("Job", "w", "j"));
  job["spec"]["suspend"] = true;
  see(Event::kAdded, Version(job, 5), 20);
  job["spec"]["suspend"] = false;
  see(Event::kModified, Version(job, 6), 30);
  const Object pod = WithNoise(OwnedBy(PodOf("w", "p"), "Job", "j"));
  see(Event::kAdded, Version(pod, 7), 40);
  see(Event::kModified, Version(Ready(pod), 8), 60, At(50));
  observer.Tell(input::Alive{"Pod", At(70)});
  observer.Tell(input::CanaryWritten{"c 1", At(71), At(72)});
  observer.Tell(input::CanarySeen{"c 1", At(73)});
  observer.Tell(input::CanaryWritten{"c 2", At(74), At(75)});
  observer.Tell(input::Resume{At(76)});
  observer.Tell(input::Listing{"Pod", At(76)});
  see(Event::kListed, Version(Over(pod), 9), 80);
  observer.Tell(input::Listed{"Pod", At(81)});
  see(Event::kDeleted, Version(Put(job, "Complete", true), 10), 90);
}

/// All that a report could show of it.
inline std::string Known(const Observer& observer) {
  Object all = Object::array();
  for (const Life& life : observer.lives()) {
    for (const auto& sight : SightsOf(life)) {
      all.push_back(sight
                        ? Object{Ms(sight->at), Ms(sight->after), sight->cluster_second.value_or(0)}
                        : Object());
    }
    for (const Duration each : PendingOf(life, At(100))) all.push_back(each.count());
    all.push_back({life.name, life.refused, life.uid, RestartsOf(life), life.pods.size()});
  }
  const Unusual& unusual = observer.unusual();
  all.push_back({unusual.foreign, unusual.stale, unusual.broken, unusual.relists,
                 observer.open_canaries(), observer.lags().size(), Ms(observer.latest())});
  return all.dump();
}

}  // namespace twofold::lifecycle
