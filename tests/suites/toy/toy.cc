#include "tests/suites/toy/toy.h"

#include <absl/strings/str_cat.h>

#include <string>

#include "lib/suite/spec.h"
#include "lib/suite/text.h"

namespace twofold::suite::toy {
namespace {

using Spec = v1::suites::ToySpec;

Stage Counting(const Spec& spec) {
  const std::string last = absl::StrCat(spec.last());
  if (spec.order() == "down") return {.name = "count", .argv = {"seq", last, "-1", "1"}};
  return {.name = "count", .argv = {"seq", "1", last}};
}

}  // namespace

Result<Spec> ReadSpec(std::string_view json) { return ReadByRules<Spec>(json); }

GangPlan Plan(const Spec& spec, const Gang& gang) {
  GangPlan plan;
  plan.ending = Ending::kEveryRank;
  plan.ranks.resize(gang.members.size());
  for (RankPlan& rank : plan.ranks) rank.stages = {Counting(spec)};
  return plan;
}

Result<Measurements> Parse(const Outputs& outputs) {
  Measurements result;
  double lines = 0;
  for (const StageOutput& output : outputs.stages) {
    if (const std::string end = BadEnd(output); !end.empty()) return ToolFailed("count", end);
    for (const std::string_view line : Lines(output.out)) {
      if (!ToNumber(line)) return Unreadable("count", "a line is no number");
      ++lines;
    }
  }
  if (lines == 0) return Unreadable("count", "no output");
  result.measurements = {{"lines", lines, "lines", Better::kHigher, true, {}}};
  return result;
}

}  // namespace twofold::suite::toy
