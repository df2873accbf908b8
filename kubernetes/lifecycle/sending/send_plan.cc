#include "kubernetes/lifecycle/sending/send_plan.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

#include "kubernetes/lifecycle/journal/record.h"

namespace twofold::lifecycle {
namespace {

constexpr std::size_t kLongestRun = 40;  // leaves room for the number of the workload

}  // namespace

PaceSettings PaceOf(const v1::suites::LifecycleSpec& spec) {
  return {.count = spec.count(),
          .rate = spec.has_parallel() ? 0 : spec.rate(),
          .wave = spec.wave(),
          .delay = FromSeconds(spec.delay())};
}

int ConnectionsOf(const v1::suites::LifecycleSpec& spec) {
  return static_cast<int>(spec.has_parallel() ? spec.parallel() : spec.connections());
}

SendPlan FillingOf(const SendPlan& plan) {
  SendPlan filling = plan;
  filling.each.phase = kFillPhase;
  v1::suites::LifecycleSpec& spec = filling.each.spec;
  spec.set_parallel(static_cast<std::uint32_t>(ConnectionsOf(spec)));
  if (spec.has_fill_rate()) {
    spec.set_connections(spec.parallel());
    spec.clear_parallel();
    spec.set_rate(spec.fill_rate());
  }
  spec.set_count(spec.fill());
  spec.clear_wave();
  return filling;
}

Result<std::vector<Object>> RenderOne(const SendPlan& plan, std::uint32_t index) {
  Workload each = plan.each;
  each.index = index;
  each.name =
      WorkloadName(each.phase.empty() ? each.run : absl::StrCat(each.run, "-", each.phase), index);
  return Render(*plan.kind, plan.text, each);
}

Status CheckRunName(const std::string& name) {
  const auto plain = [](char c) { return ('a' <= c && c <= 'z') || ('0' <= c && c <= '9'); };
  const bool fits =
      !name.empty() && name.size() <= kLongestRun && plain(name.front()) && plain(name.back()) &&
      std::all_of(name.begin(), name.end(), [&](char c) { return plain(c) || c == '-'; });
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("'", name, "' is not a name of at most ", kLongestRun,
                   " small letters, digits and dashes, with a letter or digit at both ends"));
}

}  // namespace twofold::lifecycle
