#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>
#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "lib/common/match.h"
#include "lib/suite/spec.h"
#include "suites/table/table.h"
#include "twofold/v1/spec/pod_fields.pb.h"
#include "twofold/v1/spec/rules.pb.h"

namespace twofold::suite {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using spec::Field;
using spec::FieldType;
using v1::FieldRule;
using WordList = std::vector<std::string_view>;

void AddFields(const Descriptor& message, std::vector<Field>& fields);

std::vector<Field> FieldsOf(const Descriptor& message) {
  std::vector<Field> fields;
  AddFields(message, fields);
  return fields;
}

FieldType TextOf(const FieldRule& rule) {
  if (rule.words_size() > 0) return spec::OneOf(WordList(rule.words().begin(), rule.words().end()));
  if (rule.units_size() == 0) return spec::Text();
  return spec::Quantity(rule.like(), WordList(rule.units().begin(), rule.units().end()));
}

std::int64_t MostOf(const FieldRule& rule) {
  return rule.has_most() ? rule.most() : spec::kNoLimit;
}

// What may be written; a message that is no list is google.protobuf.Struct, which takes any map.
FieldType TypeOf(const FieldDescriptor& field, const FieldRule& rule) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return spec::Flag();
    case FieldDescriptor::CPPTYPE_STRING:
      return field.is_repeated() ? spec::Texts() : TextOf(rule);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return field.is_repeated() ? spec::ListOf(FieldsOf(*field.message_type())) : spec::AnyMap();
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return spec::Number(rule.least(), MostOf(rule));
    default:
      return spec::Whole(rule.least(), MostOf(rule), rule.step());
  }
}

spec::Role RoleOf(const FieldRule& rule) {
  switch (rule.role()) {
    case FieldRule::PLACEMENT:
      return spec::Role::kPlacement;
    case FieldRule::LABELS:
      return spec::Role::kLabels;
    case FieldRule::NO_EFFECT:
      return spec::Role::kNoEffect;
    default:
      return spec::Role::kSuite;
  }
}

void AddFields(const Descriptor& message, std::vector<Field>& fields) {
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    const FieldRule& rule = field.options().GetExtension(v1::rule);
    fields.push_back({.name = field.json_name(),
                      .type = TypeOf(field, rule),
                      .initial = DefaultText(field),
                      .unit = rule.unit(),
                      .help = rule.help(),
                      .role = RoleOf(rule),
                      .need = rule.required() ? spec::Need::kRequired : spec::Need::kOptional});
  }
}

// "2", "numWorkers", "ranks / ranksPerNode"
std::string WorkersText(const v1::SpecRule& rule) {
  if (!rule.has_workers_field()) return absl::StrCat(rule.workers());
  return absl::StrCat(rule.workers_field(), rule.has_each_field() ? " / " : "", rule.each_field());
}

spec::Kind KindOf(const Suite& row) {
  const Descriptor& message = *row.spec();
  const v1::SpecRule& rule = message.options().GetExtension(v1::spec);
  std::vector<Field> fields = FieldsOf(message);
  AddFields(*v1::PodFields::descriptor(), fields);
  return {.name = row.kind,
          .suite = row.name,
          .help = row.help,
          .workers = WorkersText(rule),
          .fields = std::move(fields),
          .check = row.check};
}

std::vector<spec::Kind> MakeKinds() {
  std::vector<spec::Kind> kinds;
  for (const Suite& row : Suites()) kinds.push_back(KindOf(row));
  return kinds;
}

}  // namespace

std::span<const spec::Kind> Kinds() {
  static const std::vector<spec::Kind> kinds = MakeKinds();
  return kinds;
}

const Suite* FindSuite(std::string_view name) {
  for (const Suite& row : Suites()) {
    if (row.name == name || row.kind == name) return &row;
  }
  return nullptr;
}

std::vector<const Suite*> FindSuites(std::string_view names) {
  std::vector<const Suite*> found;
  const std::vector<std::string> each = absl::StrSplit(std::string(names), ',');
  for (const std::string& name : each) {
    found.push_back(FindSuite(name));
    if (found.back() == nullptr) return {};
  }
  return found;
}

std::string SuiteNames() {
  std::vector<std::string> names;
  for (const Suite& row : Suites()) names.emplace_back(row.name);
  std::sort(names.begin(), names.end());
  return absl::StrJoin(names, ", ");
}

namespace {

constexpr std::string_view kNotInstalled = " is not installed";

// A tool without words: no suite knows it.
Tool ToolAt(std::string_view path) {
  const std::string_view program = path.substr(path.rfind('/') + 1);
  for (const Suite& row : Suites()) {
    for (const Tool& tool : row.tools) {
      if (!program.empty() && Matches(program, tool.program)) return tool;
    }
  }
  return {};
}

}  // namespace

const char* VersionArgument(std::string_view path) { return ToolAt(path).version; }

std::string NotInstalled(std::string_view program) {
  const std::string_view from = ToolAt(program).from;
  return absl::StrCat(std::string(program), std::string(kNotInstalled),
                      ", neither on PATH nor in a --suite-path", from.empty() ? "" : "; it is in ",
                      std::string(from));
}

bool TellsNotInstalled(std::string_view reason) {
  const std::size_t colon = reason.find(": ");
  if (colon == std::string_view::npos || reason.substr(0, colon) != "prepare") return false;
  return reason.find(kNotInstalled, colon) != std::string_view::npos;
}

}  // namespace twofold::suite
