#include "lib/load/counts.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <climits>
#include <map>
#include <set>
#include <utility>

#include "lib/common/printable.h"
#include "lib/rpc/limits.h"
#include "lib/words/word.h"

namespace twofold::load {
namespace {

std::string Name(std::string_view text) { return Printable(text, rpc::kMaxNameBytes); }

bool Parse(std::string_view bytes, v1::Report& report) {
  return bytes.size() <= INT_MAX &&
         report.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

constexpr std::string_view kBlank(" \t\r\n\0", 5);
constexpr std::size_t kMostOfOutput = 200;  // bytes

/// The last line that is not blank: where programs say what went wrong. A carriage return begins a
/// line, too, as progress bars are drawn with it.
std::string LastLine(std::string_view output) {
  output = output.substr(0, output.find_last_not_of(kBlank) + 1);
  output.remove_prefix(output.find_last_of("\r\n") + 1);  // npos + 1 is 0
  output.remove_prefix(std::min(output.find_first_not_of(kBlank), output.size()));
  return Printable(output, kMostOfOutput);
}

std::string Ending(v1::Outcome outcome, const v1::Report& report) {
  if (!report.error().empty()) return report.error();
  if (report.signal() != 0) return absl::StrCat("signal ", report.signal());
  if (report.exit_code() != 0) return absl::StrCat("exit code ", report.exit_code());
  return Word(outcome);
}

}  // namespace

Places::Index Places::Find(std::string_view node, std::string_view pod, std::string_view device) {
  const auto found = index_.find(View{node, pod, device});
  if (found != index_.end()) return found->second;
  return Add({Name(node), Name(pod), Name(device)});
}

Places::Index Places::Add(Key names) {
  if (all_.size() >= kMost) names = {"other", "other", ""};
  const auto [entry, added] = index_.try_emplace(std::move(names), static_cast<Index>(all_.size()));
  if (added) {
    const auto& [node, pod, device] = entry->first;
    all_.push_back({node, pod, device});
  }
  return entry->second;
}

std::vector<PlaceGroup> GroupPlaces(const std::vector<Place>& places, By by) {
  using Key = std::pair<std::string, std::string>;
  std::map<Key, PlaceGroup> groups;
  std::set<std::tuple<Key, std::string, std::string>> pods;
  for (const Place& place : places) {
    if (place.succeeded + place.failed == 0) continue;
    const Key key{by == By::kPod ? place.pod : place.node,
                  by == By::kWholeNode ? "" : place.device};
    PlaceGroup& group = groups[key];
    group.name = key.first;
    group.device = key.second;
    group.workers += pods.emplace(key, place.node, place.pod).second ? 1U : 0U;
    group.succeeded += place.succeeded;
    group.failed += place.failed;
    group.runs.Merge(place.runs);
  }
  std::vector<PlaceGroup> sorted;
  for (auto& [key, group] : groups) sorted.push_back(std::move(group));
  return sorted;
}

std::string ErrorText(v1::Outcome outcome, std::string_view bytes) {
  v1::Report report;
  if (!Parse(bytes, report)) return "the report of the job cannot be read";
  const std::string ending = Ending(outcome, report);
  const bool ran = report.signal() != 0 || report.exit_code() != 0;
  const std::string said = ran ? LastLine(report.output()) : "";
  const bool is_new = ending.find(said) == std::string::npos;  // nothing is in every text
  return is_new ? absl::StrCat(ending, ": ", said) : ending;
}

}  // namespace twofold::load
