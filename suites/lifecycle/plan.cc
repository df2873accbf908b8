#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "lib/suite/flags.h"
#include "suites/lifecycle/lifecycle.h"

namespace twofold::suite::lifecycle {
namespace {

// The clean-up of a run may take two minutes, and it begins after calls that are under way.
constexpr Duration kStopGrace = std::chrono::seconds(150);

// Of a run: with the numbers of workloads and pods behind it, it fits into the names of every kind.
constexpr std::size_t kLongestName = 30;

/// Names of gangs have what file names may have, names of runs what names of Kubernetes may:
/// of some kinds they begin with a letter.
std::string RunName(const std::string& gang) {
  std::string name;
  if (gang.empty()) return "run";
  for (const char c : gang) {
    const auto byte = static_cast<unsigned char>(c);
    const bool fits = absl::ascii_isalnum(byte) || (c == '-' && !name.empty());
    name += fits ? absl::ascii_tolower(byte) : '0';
  }
  name = name.substr(name.size() - std::min(name.size(), kLongestName));
  if (!absl::ascii_islower(static_cast<unsigned char>(name.front()))) name.front() = 'r';
  if (name.back() == '-') name.back() = '0';
  return name;
}

/// What only the worker's operator can allow: elsewhere than in the namespace of the worker's own
/// credentials, other programs than those of the image of the defaults, a share of somebody's
/// queue, nodes or disks.
std::vector<Ask> AsksOf(const Spec& spec) {
  std::vector<Ask> asks;
  if (spec.has_namespace_()) asks.push_back({"namespace", spec.namespace_()});
  if (spec.has_container_image()) asks.push_back({"containerImage", spec.container_image()});
  if (spec.has_queue()) asks.push_back({"queue", spec.queue()});
  if (spec.has_scheduler()) asks.push_back({"scheduler", spec.scheduler()});
  if (spec.has_pvc()) asks.push_back({"pvc", spec.pvc()});
  if (spec.has_storage_class()) asks.push_back({"storageClass", spec.storage_class()});
  for (const std::string& each : spec.tolerations()) asks.push_back({"tolerations", each});
  return asks;
}

}  // namespace

GangPlan Plan(const Spec& spec, const Gang& gang) {
  Stage stage{.name = std::string(kStage),
              .argv = {"twofold", "lifecycle", "run", "--output=json", "--times=times.csv",
                       absl::StrCat("--name=", RunName(gang.name))},
              .collect = {"times.csv"},
              .stop_grace = kStopGrace};
  for (std::string& argument : FieldArguments(spec)) stage.argv.push_back(std::move(argument));
  return {.ranks = {{.stages = {std::move(stage)}}}, .asks = AsksOf(spec)};
}

}  // namespace twofold::suite::lifecycle
