#include "kubernetes/operator/granted_runs.h"

namespace twofold::benchmarks {

std::optional<Bar> GrantedRuns::BarTo(const RunOrder& order) {
  return frontends_.BarTo(order.of, true);
}

Result<RunLook> GrantedRuns::Advance(const RunOrder& order, Duration since, bool anew) {
  const auto runs = sites_.Of(order.of);
  return runs.ok() ? (*runs)->Advance(order, since, anew) : runs.status();
}

Result<RunLook> GrantedRuns::Pause(const RunOrder& order) {
  const auto runs = sites_.Of(order.of);
  return runs.ok() ? (*runs)->Pause(order) : runs.status();
}

Status GrantedRuns::Cancel(const RunOrder& order) {
  const auto runs = sites_.Of(order.of);
  return runs.ok() ? (*runs)->Cancel(order) : runs.status();
}

Result<Results> GrantedRuns::Summary(const RunOrder& order) {
  const auto runs = sites_.Of(order.of);
  return runs.ok() ? (*runs)->Summary(order) : runs.status();
}

void GrantedRuns::Forget(const std::string& id) {
  for (const auto& runs : sites_.All()) runs->Forget(id);
}

}  // namespace twofold::benchmarks
