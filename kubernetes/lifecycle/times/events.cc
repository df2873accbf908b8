#include "kubernetes/lifecycle/times/events.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <unordered_set>

#include "kubernetes/lifecycle/moments/kind.h"

namespace twofold::lifecycle {
namespace {

constexpr UnixNs kSecond = 1'000'000'000;

/// What an event is about, and the moment that it is compared with.
struct ReasonRow {
  std::string_view reason;
  std::string_view clock;
  std::optional<PodPhase> phase;  // of the pod; else:
  Moment moment;                  // of the workload, and the name of the row
};

// Pulled and Created come before the container runs, so their differences have that time in them.
constexpr std::array<ReasonRow, EventNotes::kCompared> kRows = {{
    {"SuccessfulCreate", "controller", PodPhase::kCreated, Moment::kLastPod},
    {"Scheduled", "scheduler", PodPhase::kScheduled, Moment::kScheduled},
    {"Pulled", "kubelet", PodPhase::kStarted, Moment::kStarted},
    {"Created", "kubelet", PodPhase::kStarted, Moment::kStarted},
    {"Started", "kubelet", PodPhase::kStarted, Moment::kStarted},
    {"Completed", "controller", std::nullopt, Moment::kComplete},
    {"FailedScheduling", "scheduler", std::nullopt, Moment::kScheduled},
}};
constexpr std::size_t kCreation = 0;
constexpr std::size_t kFailedScheduling = 6;

std::optional<std::size_t> IndexOf(const std::string& reason) {
  const auto* found = std::find_if(kRows.begin(), kRows.end(),
                                   [&](const ReasonRow& row) { return row.reason == reason; });
  if (found == kRows.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kRows.begin());
}

/// The text at the first of these paths that has one: the two versions of Event differ in names.
std::string Either(const Object& event, std::string_view path, std::string_view other) {
  std::string text = TextAt(event, path);
  return text.empty() ? TextAt(event, other) : text;
}

/// "x-abc.18c2f0e1a2b3c4d5": what recorders add is the time of the first occurrence.
std::optional<UnixNs> TimeInName(const std::string& name) {
  constexpr std::size_t kMostDigits = 16;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return std::nullopt;
  const std::string digits = name.substr(dot + 1);
  const bool is_hex = !digits.empty() && digits.size() <= kMostDigits &&
                      std::all_of(digits.begin(), digits.end(), [](char c) {
                        return std::isxdigit(static_cast<unsigned char>(c)) != 0;
                      });
  if (!is_hex) return std::nullopt;
  const std::uint64_t value = std::strtoull(digits.c_str(), nullptr, 16);
  constexpr std::uint64_t kEnd = (std::uint64_t{1} << 33) * kSecond;
  if (value >= kEnd) return std::nullopt;
  return static_cast<UnixNs>(value);
}

/// "Created pod: NAME"; empty: it is none.
std::string PodIn(const Object& event) {
  constexpr std::string_view kBefore = "Created pod: ";
  const std::string note = Either(event, "/note", "/message");
  return note.rfind(kBefore, 0) == 0 ? note.substr(kBefore.size()) : "";
}

std::string NameKey(const std::string& space, const std::string& name) {
  return absl::StrCat(space, "/", name);
}

std::string KeyOf(const Object& event, std::size_t reason) {
  if (reason != kCreation) return Either(event, "/regarding/uid", "/involvedObject/uid");
  const std::string pod = PodIn(event);
  return pod.empty() ? "" : NameKey(TextAt(event, "/metadata/namespace"), pod);
}

}  // namespace

std::optional<UnixNs> ExactTimeOf(const Object& event) {
  if (const auto time = kube::TimeAt(event, "/eventTime")) return time->time_since_epoch().count();
  const auto named = TimeInName(TextAt(event, "/metadata/name"));
  const auto second = SecondOf(Either(event, "/deprecatedFirstTimestamp", "/firstTimestamp"));
  if (!named || !second) return std::nullopt;
  // The second is the same instant cut off; a name of somebody's own making agrees by chance only.
  return *named / kSecond == *second ? named : std::nullopt;
}

void EventNotes::Seen(const Object& event, UnixNs arrived) {
  const auto reason = IndexOf(TextAt(event, "/reason"));
  if (!reason) return;
  const std::string key = KeyOf(event, *reason);
  const auto time = ExactTimeOf(event);
  if (time && *time < begin_) return;
  const bool is_known = times_.contains(key);
  if (key.empty() || !time) {
    ++counts_.inexact;
    return;
  }
  if (!is_known && times_.size() >= most_) {
    ++counts_.left_out;
    return;
  }
  UnixNs& known = times_[key][*reason];
  if (known != 0) {
    known = std::min(known, *time);
    return;
  }
  known = *time;
  ++counts_.seen;
  if (*reason == kFailedScheduling) ++counts_.failed_scheduling;
  if (arrived - *time > kLateEvent) ++counts_.late;
}

UnixNs EventNotes::Find(const std::string& key, std::size_t reason) const {
  const auto found = times_.find(key);
  return found == times_.end() ? 0 : found->second[reason];
}

std::vector<EvidenceRow> EventNotes::Rows(const Kind& kind, const std::vector<Life>& lives,
                                          const ClockFit& clocks) const {
  const std::vector<Moment> moments = kind.Moments();
  std::vector<EvidenceRow> rows;
  for (std::size_t i = 0; i < kFailedScheduling; ++i) {
    const ReasonRow& row = kRows[i];
    const std::string moment(i == kCreation ? "pod_created" : Name(row.moment));
    Differences differences(
        {absl::StrCat("event ", std::string(row.reason)), moment, std::string(row.clock)}, clocks);
    const auto compare = [&](const std::optional<Sight>& sight, const std::string& key) {
      if (!sight) return;
      const UnixNs theirs = Find(key, i);
      if (theirs == 0) return differences.AddMissing();
      differences.Add(*sight, theirs);
    };
    const bool applies =
        row.phase ? !(kind.IsPod() && i == kCreation)
                  : std::find(moments.begin(), moments.end(), row.moment) != moments.end();
    if (!applies) continue;
    for (const Life& life : lives) {
      if (!row.phase) compare(Of(life.own, row.moment), life.uid);
      for (const PodLife& pod : life.pods) {
        if (!row.phase) break;
        compare(Of(pod.sights, *row.phase),
                i == kCreation ? NameKey(life.space, pod.name) : pod.uid);
      }
    }
    rows.push_back(differences.Row());
  }
  return rows;
}

EventCounts EventNotes::CountsOf(const std::vector<Life>& lives) const {
  std::unordered_set<std::string> ours;
  for (const Life& life : lives) {
    ours.insert(life.uid);
    for (const PodLife& pod : life.pods) {
      ours.insert(pod.uid);
      ours.insert(NameKey(life.space, pod.name));
    }
  }
  EventCounts counts = counts_;
  counts.foreign = static_cast<std::uint64_t>(std::count_if(
      times_.begin(), times_.end(), [&](const auto& each) { return !ours.contains(each.first); }));
  return counts;
}

}  // namespace twofold::lifecycle
