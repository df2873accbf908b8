#include "lib/suite/flags.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <google/protobuf/descriptor.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <utility>

#include "lib/suite/json.h"
#include "lib/suite/spec.h"
#include "twofold/v1/spec/rules.pb.h"

namespace twofold::suite {
namespace {

using google::protobuf::FieldDescriptor;
using v1::FieldRule;

const FieldRule& RuleOf(const FieldDescriptor& field) {
  return field.options().GetExtension(v1::rule);
}

std::string RangeOf(const FieldDescriptor& field, const FieldRule& rule) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
    case FieldDescriptor::CPPTYPE_BOOL:
      return rule.words_size() == 0 ? std::string(rule.like())
                                    : std::string(absl::StrJoin(rule.words(), "|"));
    default:
      return absl::StrCat(rule.least(), rule.has_most() ? absl::StrCat("..", rule.most()) : "..");
  }
}

// "connections at once (1..128, default 4)"
std::string HelpOf(const FieldDescriptor& field) {
  const FieldRule& rule = RuleOf(field);
  std::vector<std::string> notes;
  const auto note = [&](std::string text) {
    if (!text.empty()) notes.push_back(std::move(text));
  };
  note(RangeOf(field, rule));
  note(rule.unit());
  if (rule.required()) note("required");
  if (rule.role() == FieldRule::NO_EFFECT) note("no effect");
  const std::string initial = DefaultText(field);
  if (!initial.empty()) note("default " + initial);
  const std::string all = absl::StrJoin(notes, ", ");
  return all.empty() ? rule.help()
                     : absl::StrCat(rule.help(), rule.help().empty() ? "" : " ", "(", all, ")");
}

}  // namespace

/// An option, and what it was given. The parser of JSON takes numbers and booleans as texts, too,
/// so texts are all that is needed here.
struct SpecFlags::Flag {
  std::string field;  ///< as in JSON
  bool is_list = false;
  std::vector<std::string> values;
};

SpecFlags::SpecFlags(CLI::App& app, const google::protobuf::Descriptor& spec) {
  app.add_option("spec", argument_, "all of it as JSON: '{\"FIELD\": VALUE, ...}'")->type_name("");
  for (int i = 0; i < spec.field_count(); ++i) {
    const FieldDescriptor& field = *spec.field(i);
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) continue;
    Flag& flag = *flags_.emplace_back(
        std::make_unique<Flag>(Flag{field.json_name(), field.is_repeated(), {}}));
    const std::string name = "--" + flag.field;
    // `--cleanup` alone is true, `--cleanup=false` is not.
    CLI::Option& option = field.cpp_type() == FieldDescriptor::CPPTYPE_BOOL
                              ? *app.add_flag(name, flag.values, HelpOf(field))
                              : *app.add_option(name, flag.values, HelpOf(field));
    option.type_name("")->allow_extra_args(false);
  }
}

SpecFlags::~SpecFlags() = default;

Result<std::string> SpecFlags::Json() const {
  suite::Json json = suite::Json::object();
  if (!argument_.empty()) json = suite::Json::parse(argument_, nullptr, false);
  if (!json.is_object()) return Wrong("spec", "is no JSON object");
  for (const auto& flag : flags_) {
    if (flag->values.empty()) continue;
    if (flag->is_list) {
      json[flag->field] = flag->values;
    } else {
      json[flag->field] = flag->values.back();  // the last one holds
    }
  }
  return json.dump(-1, ' ', false, suite::Json::error_handler_t::replace);
}

}  // namespace twofold::suite
