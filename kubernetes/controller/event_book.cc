#include "kubernetes/controller/event_book.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "kubernetes/controller/conditions.h"
#include "lib/common/printable.h"
#include "lib/common/random.h"

namespace twofold::controller {
namespace {

using kube::Json;

constexpr std::size_t kLongestNote = 1024;  // bytes; the API takes no more
constexpr std::size_t kLongestPrefix = 200;

/// The same for the same happening of the same object, in every process.
kube::ObjectName NameOfEvent(const Json& object, const Happening& what) {
  const kube::ObjectName about = kube::NameOf(object);
  const std::string text = absl::StrCat(kube::TextAt(object, "/metadata/uid"), "\n", what.reason,
                                        "\n", what.action, "\n", what.note);
  std::string prefix = about.name.substr(0, kLongestPrefix);
  while (prefix.ends_with('.') || prefix.ends_with('-')) prefix.pop_back();
  return {about.space.empty() ? "default" : about.space,
          absl::StrCat(prefix, ".", absl::Hex(Random(0, text).Next(), absl::kZeroPad16))};
}

Json Reference(const Json& object) {
  Json reference = {{"apiVersion", kube::TextAt(object, "/apiVersion")},
                    {"kind", kube::TextAt(object, "/kind")},
                    {"name", kube::TextAt(object, "/metadata/name")},
                    {"uid", kube::TextAt(object, "/metadata/uid")}};
  const std::string space = kube::NameOf(object).space;
  if (!space.empty()) reference["namespace"] = space;
  return reference;
}

}  // namespace

std::optional<kube::Call> EventBook::Tell(const Json& object, const Happening& what, Instant now,
                                          kube::UnixTime wall) {
  if (!MaySay(kube::TextAt(object, "/metadata/uid"), now)) {
    ++suppressed_;
    return std::nullopt;
  }
  const kube::ObjectName name = NameOfEvent(object, what);
  const auto known = known_.find(name);
  if (known != known_.end() && now - known->second.last <= options_.series_within) {
    known->second.last = now;
    const Json series = {{"count", ++known->second.count},
                         {"lastObservedTime", MicroTimeText(wall)}};
    return kube::Patch(kube::kEvents, name, kube::PatchKind::kMerge, {{"series", series}});
  }
  Forget(now);
  known_[name] = {now};
  return kube::Create(kube::kEvents, EventOf(object, what, name, wall));
}

Json EventBook::EventOf(const Json& object, const Happening& what, const kube::ObjectName& name,
                        kube::UnixTime wall) const {
  return {{"apiVersion", kube::ApiVersion(kube::kEvents)},
          {"kind", kube::kEvents.kind},
          {"metadata", {{"name", name.name}, {"namespace", name.space}}},
          {"eventTime", MicroTimeText(wall)},
          {"type", what.is_warning ? "Warning" : "Normal"},
          {"reason", what.reason},
          {"action", what.action},
          {"note", Printable(what.note, kLongestNote)},
          {"reportingController", options_.controller},
          {"reportingInstance", options_.instance},
          {"regarding", Reference(object)}};
}

/// A token bucket an object, which knows only when it is full again.
bool EventBook::MaySay(const std::string& uid, Instant now) {
  const Instant full_at = std::max(full_at_[uid], now) + options_.refill;
  if (full_at - now > options_.refill * options_.burst) return false;
  full_at_[uid] = full_at;
  return true;
}

/// What is old makes room; if nothing is, what was said longest ago.
void EventBook::Forget(Instant now) {
  if (known_.size() < options_.most_known && full_at_.size() < options_.most_known) return;
  std::erase_if(known_,
                [&](const auto& each) { return now - each.second.last > options_.series_within; });
  std::erase_if(full_at_, [&](const auto& each) { return each.second <= now; });
  if (known_.size() >= options_.most_known) {
    known_.erase(std::min_element(known_.begin(), known_.end(), [](const auto& a, const auto& b) {
      return a.second.last < b.second.last;
    }));
  }
  if (full_at_.size() >= options_.most_known) {
    full_at_.erase(
        std::min_element(full_at_.begin(), full_at_.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; }));
  }
}

}  // namespace twofold::controller
