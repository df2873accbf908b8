#pragma once

#include <absl/strings/str_cat.h>
#include <absl/time/time.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kubernetes/lifecycle/moments/observer.h"
#include "kubernetes/lifecycle/times/differences.h"
#include "tests/kubernetes/lifecycle/objects.h"

namespace twofold::lifecycle {

inline constexpr UnixNs kMs = 1'000'000;
inline const Anchor kOurClock{At(0), 1'795'428'000'000'000'000};

/// What the API server's clock, which is 2.5 s ahead, shows at At(ms).
inline UnixNs ServerTime(double ms) { return kOurClock.UnixNs(At(ms)) + 2'500'000'000; }

/// The offset is known to 10 ms either way, the watch is late by 20 ms at most.
inline const ClockFit kClocks{kOurClock, Between{2.49, 2.51}, 0.02};

inline std::string Rfc3339(UnixNs time, const char* format = "%Y-%m-%dT%H:%M:%E6SZ") {
  return absl::FormatTime(format, absl::FromUnixNanos(time), absl::UTCTimeZone());
}
inline std::string WholeSecond(UnixNs time) { return Rfc3339(time, "%Y-%m-%dT%H:%M:%SZ"); }

/// When what happens to Job number i, in ms; spread over all parts of a second.
inline double SentAt(int i) { return 137.0 * i; }
inline double CreatedAt(int i) { return SentAt(i) + 5; }
inline double PodAt(int i) { return SentAt(i) + 20; }
inline double BoundAt(int i) { return SentAt(i) + 30; }
inline double RunningAt(int i) { return SentAt(i) + 490; }
inline double ReadyAt(int i) { return SentAt(i) + 500; }
inline double OverAt(int i) { return SentAt(i) + 1500; }
inline double CompleteAt(int i) { return SentAt(i) + 1600; }

inline std::string JobName(int i) { return absl::StrCat("r1-", i); }
inline std::string JobUid(int i) { return absl::StrCat("job", i); }
inline std::string PodUid(int i) { return absl::StrCat("pod", i); }
inline std::string PodName(int i) { return absl::StrCat(JobName(i), "-", PodUid(i)); }

/// Jobs of one pod each, seen at these times. Kubelets' clocks are `kubelet_behind_ms` behind.
class SeenRun {
 public:
  explicit SeenRun(int jobs, double kubelet_behind_ms = 0) {
    for (int i = 0; i < jobs; ++i) Live(i, kubelet_behind_ms);
  }

  [[nodiscard]] const std::vector<Life>& lives() const { return observer_.lives(); }
  Observer& observer() { return observer_; }

 private:
  void Live(int i, double behind) {
    const auto time = [](double ms) { return WholeSecond(ServerTime(ms)); };
    ASSERT_TRUE(observer_.Tell(input::Plan{"load", JobName(i), 1, At(SentAt(i) - 1)}).ok());
    observer_.Tell(input::Sent{"load", JobName(i), At(SentAt(i))});
    observer_.Tell(input::Replied{"load", JobName(i), At(SentAt(i) + 3)});
    Object job = Made("Job", JobName(i), JobUid(i));
    job["metadata"]["creationTimestamp"] = time(CreatedAt(i));
    observer_.Tell(input::Seen{Event::kAdded, job, At(CreatedAt(i))});
    Object pod = PodOf(JobName(i), PodUid(i));
    pod["metadata"]["creationTimestamp"] = time(PodAt(i));
    observer_.Tell(input::Seen{Event::kAdded, pod, At(PodAt(i))});
    pod = Bound(pod);
    pod["status"]["conditions"][0]["lastTransitionTime"] = time(BoundAt(i));
    observer_.Tell(input::Seen{Event::kModified, pod, At(BoundAt(i))});
    pod["status"]["phase"] = "Running";
    observer_.Tell(input::Seen{Event::kModified, pod, At(RunningAt(i))});
    Put(pod, "Ready", true);
    pod["status"]["conditions"].back()["lastTransitionTime"] = time(ReadyAt(i) - behind);
    observer_.Tell(input::Seen{Event::kModified, pod, At(ReadyAt(i))});
    pod["status"]["phase"] = "Succeeded";
    observer_.Tell(input::Seen{Event::kModified, pod, At(OverAt(i))});
    observer_.Tell(input::Seen{Event::kModified, Put(job, "Complete", true), At(CompleteAt(i))});
  }

  Observer observer_{*FindKind("job").value(), "r1"};
};

/// The row of a source and moment; a failure if there is none.
inline EvidenceRow RowOf(const std::vector<EvidenceRow>& rows, const std::string& source,
                         const std::string& moment) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const EvidenceRow& row) {
    return row.source == source && row.moment == moment;
  });
  if (found != rows.end()) return *found;
  ADD_FAILURE() << "no row " << source << " " << moment;
  return {};
}

}  // namespace twofold::lifecycle
