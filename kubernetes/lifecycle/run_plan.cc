#include "kubernetes/lifecycle/run_plan.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

#include "kubernetes/lifecycle/templates/template.h"

namespace twofold::lifecycle {
namespace {

/// Whether there is something beyond being ready that workloads of this kind come to.
bool Completes(const Kind& kind) {
  const auto is_end = [](const MomentSign& each) { return each.moment == Moment::kComplete; };
  return kind.IsPod() || std::any_of(kind.signs.begin(), kind.signs.end(), is_end);
}

}  // namespace

Result<SendPlan> SendingOf(const RunPlan& plan) {
  const auto kind = FindKind(plan.spec.kind());
  if (!kind.ok()) return kind.status();
  return SendPlan{.kind = *kind,
                  .each = {.spec = plan.spec, .space = plan.run.space, .run = plan.run.name},
                  .text = plan.text.empty() ? BuiltInTemplate(**kind) : plan.text,
                  .etcd = plan.etcd};
}

Result<bool> IsUntilReady(const v1::suites::LifecycleSpec& spec, const Kind& kind) {
  if (!spec.has_until()) return !Completes(kind);
  if (spec.until() == "ready" || Completes(kind)) return spec.until() == "ready";
  return absl::InvalidArgumentError(absl::StrCat("--until: workloads of kind '",
                                                 std::string(kind.name),
                                                 "' never complete; use --until ready"));
}

}  // namespace twofold::lifecycle
