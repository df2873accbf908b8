#include "cli/runs/local_conditions.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <map>
#include <vector>

#include "cli/runs/varied_cells.h"
#include "lib/spec/kind.h"
#include "lib/spec/node.h"

namespace twofold::cli {
namespace {

using Conditions = std::map<std::string, std::string>;  // value by field

std::string TopOf(const std::string& path) { return path.substr(0, path.find('.')); }

// What a permutation has that no suite sees: labels of workers, and fields without effect.
Conditions ConditionsOf(const spec::Kind& kind, const spec::Permutation& permutation) {
  Conditions conditions;
  for (const spec::Requirement& need : permutation.labels) conditions[need.label] = need.value;
  for (const spec::VariedValue& varied : permutation.values) {
    const spec::Field* field = spec::Find(kind.fields, TopOf(varied.path));
    if (field == nullptr || field->role != spec::Role::kNoEffect) continue;
    conditions[varied.path] = CellText(varied.value);
  }
  return conditions;
}

// A field in which the two differ; empty: none.
std::string DifferenceOf(const Conditions& one, const Conditions& other) {
  for (const auto* from : {&one, &other}) {
    for (const auto& [field, value] : *from) {
      const auto mine = one.find(field);
      const auto its = other.find(field);
      if (mine == one.end() || its == other.end() || mine->second != its->second) return field;
    }
  }
  return "";
}

// Where the sweep varies a field.
spec::Place PlaceOf(const spec::Sweep& sweep, const std::string& field) {
  for (const spec::Axis& axis : sweep.product) {
    if (TopOf(axis.field.key) == TopOf(field)) return axis.field.place;
  }
  for (const spec::NodeRef& listed : sweep.listed) {
    const spec::Entry* entry = spec::Find(*spec::AsMap(*listed), TopOf(field));
    if (entry != nullptr) return entry->place;
  }
  return sweep.place;
}

Status Refuse(const spec::Sweep& sweep, const std::string& field) {
  const Status fault = spec::InFile(
      sweep.file,
      spec::Fault(PlaceOf(sweep, field), field,
                  "--local cannot apply it, so permutations that differ in it would be the same "
                  "measured again. Leave it out of spec.permutations, or run on a cluster whose "
                  "workers have these labels"));
  return absl::FailedPreconditionError(fault.message());
}

}  // namespace

Status CheckLocalConditions(const spec::Sweep& sweep, const spec::Expansion& expansion) {
  const Conditions first = ConditionsOf(*sweep.kind, expansion.permutations.front());
  for (const spec::Permutation& one : expansion.permutations) {
    const std::string field = DifferenceOf(first, ConditionsOf(*sweep.kind, one));
    if (!field.empty()) return Refuse(sweep, field);
  }
  return absl::OkStatus();
}

std::string NotApplied(const spec::Expansion& expansion) {
  std::vector<std::string> labels;
  for (const spec::Requirement& need : expansion.permutations.front().labels) {
    labels.push_back(absl::StrCat(need.label, "=", need.value));
  }
  return absl::StrJoin(labels, " ");
}

}  // namespace twofold::cli
