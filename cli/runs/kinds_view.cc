#include "cli/runs/kinds_view.h"

#include <absl/strings/str_cat.h>

#include <array>
#include <vector>

#include "lib/show/table.h"
#include "lib/spec/kind.h"
#include "lib/spec/set_fields.h"
#include "suites/table/table.h"

namespace twofold::cli {
namespace {

using show::Json;

using spec::Field;
using spec::Kind;
using Rows = std::vector<std::vector<std::string>>;

std::string RoleText(const Field& field) {
  constexpr std::array<const char*, 3> kRoles = {"suite", "placement", "no effect"};
  return kRoles.at(static_cast<std::size_t>(field.role));
}

std::string DefaultText(const Field& field) {
  if (field.need == spec::Need::kRequired) return "required";
  return field.initial.empty() ? "-" : field.initial;
}

struct Listed {
  std::string path;
  const Field* field;
};

void AddFields(std::span<const Field> fields, const std::string& path, std::vector<Listed>& all) {
  for (const Field& field : fields) {
    const std::string its_path = spec::Join(path, field.name);
    all.push_back({its_path, &field});
    AddFields(spec::FieldsIn(field.type), its_path, all);
  }
}

std::vector<Listed> AllOf(std::span<const Field> fields) {
  std::vector<Listed> all;
  AddFields(fields, "", all);
  return all;
}

std::string OrDash(std::string_view text) { return text.empty() ? "-" : std::string(text); }

}  // namespace

std::string KindsText() {
  Rows rows = {{"KIND", "SUITE", "WORKERS", "MEASURES"}};
  for (const Kind& kind : suite::Kinds()) {
    const std::string suite(kind.suite);
    rows.push_back({std::string(kind.name), suite + (kind.has_suite ? "" : " (missing)"),
                    kind.workers, std::string(kind.help)});
  }
  return show::Table(rows);
}

Json KindsJson() {
  Json json = Json::array();
  for (const Kind& kind : suite::Kinds()) {
    json.push_back({{"kind", kind.name},
                    {"suite", kind.suite},
                    {"suite_missing", !kind.has_suite},
                    {"workers", kind.workers},
                    {"measures", kind.help}});
  }
  return json;
}

Result<std::span<const Field>> FieldsOf(const std::string& kind) {
  if (kind == spec::kBenchmarkSet) return spec::SetFields();
  const auto found = spec::FindKind(suite::Kinds(), kind, spec::kBenchmarkSet);
  if (!found.ok()) return found.status();
  return std::span<const Field>((*found)->fields);
}

std::string FieldsText(std::span<const Field> fields) {
  Rows rows = {{"FIELD", "TYPE", "DEFAULT", "UNIT", "FOR", "MEANING"}};
  for (const auto& [path, field] : AllOf(fields)) {
    rows.push_back({path, spec::Description(field->type), DefaultText(*field), OrDash(field->unit),
                    RoleText(*field), OrDash(field->help)});
  }
  return show::Table(rows);
}

Json FieldsJson(std::span<const Field> fields) {
  Json json = Json::array();
  for (const auto& [path, field] : AllOf(fields)) {
    json.push_back({{"field", path},
                    {"type", spec::Description(field->type)},
                    {"default", field->initial},
                    {"required", field->need == spec::Need::kRequired},
                    {"unit", field->unit},
                    {"for", RoleText(*field)},
                    {"meaning", field->help}});
  }
  return json;
}

}  // namespace twofold::cli
