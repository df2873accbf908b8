#include "lib/suite/flags.h"

#include <absl/strings/ascii.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <cstdint>
#include <utility>

#include "lib/suite/json.h"
#include "lib/suite/spec.h"
#include "lib/suite/text.h"
#include "twofold/v1/spec/rules.pb.h"

namespace twofold::suite {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using v1::FieldRule;

const FieldRule& RuleOf(const FieldDescriptor& field) {
  return field.options().GetExtension(v1::rule);
}

std::string RangeOf(const FieldDescriptor& field, const FieldRule& rule) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
    case FieldDescriptor::CPPTYPE_BOOL:
      return rule.words_size() == 0 ? LikeOf(rule) : std::string(absl::StrJoin(rule.words(), "|"));
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

// "--node-selector" of the field nodeSelector.
std::string OptionOf(const FieldDescriptor& field) {
  std::string option = "--";
  const FieldRule& rule = RuleOf(field);
  if (rule.has_flag()) return option + rule.flag();
  for (const char c : field.json_name()) {
    const auto byte = static_cast<unsigned char>(c);
    if (absl::ascii_isupper(byte)) option += '-';
    option += absl::ascii_tolower(byte);
  }
  return option;
}

// "--tolerate,--toleration", as CLI11 wants several names.
std::string NamesOf(const FieldDescriptor& field) {
  const FieldRule& rule = RuleOf(field);
  return rule.has_alias() ? absl::StrCat(OptionOf(field), ",--", rule.alias()) : OptionOf(field);
}

Status SetNumber(Message& spec, const FieldDescriptor& field, const std::string& text) {
  std::uint32_t whole = 0;
  double real = 0;
  const bool is_whole = field.cpp_type() == FieldDescriptor::CPPTYPE_UINT32;
  if (is_whole ? absl::SimpleAtoi(text, &whole) : absl::SimpleAtod(text, &real)) {
    const auto& reflection = *spec.GetReflection();
    is_whole ? reflection.SetUInt32(&spec, &field, whole)
             : reflection.SetDouble(&spec, &field, real);
    return absl::OkStatus();
  }
  return Wrong(field.json_name(),
               absl::StrCat("'", Quoted(text), "' is not a ", is_whole ? "whole " : "", "number ",
                            RangeOf(field, RuleOf(field))));
}

Status SetField(Message& spec, const FieldDescriptor& field, const std::string& text) {
  const auto& reflection = *spec.GetReflection();
  if (field.is_repeated()) {
    reflection.AddString(&spec, &field, text);
  } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
    reflection.SetString(&spec, &field, text);
  } else if (Status status = SetNumber(spec, field, text); !status.ok()) {
    return status;
  }
  return CheckRule(spec, field);
}

void AddFieldOption(CLI::App& app, const FieldDescriptor& field, Message& spec) {
  const auto set = [&field, &spec](const std::vector<std::string>& values) {
    for (const std::string& value : values) {
      const Status status = SetField(spec, field, value);
      if (status.ok()) continue;
      throw CLI::ValidationError(std::string(OptionError(*spec.GetDescriptor(), status).message()));
    }
  };
  CLI::Option& option =
      *app.add_option_function<std::vector<std::string>>(NamesOf(field), set, HelpOf(field));
  option.type_name("")->required(RuleOf(field).required());
  if (!field.is_repeated()) option.expected(1);
}

std::string TextOf(const Message& spec, const FieldDescriptor& field) {
  const auto& reflection = *spec.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection.GetString(spec, &field);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return suite::Json(reflection.GetDouble(spec, &field)).dump();  // no digit is lost
    default:
      return absl::StrCat(reflection.GetUInt32(spec, &field));
  }
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
    option.type_name("");
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

void AddFieldOptions(CLI::App& app, std::span<const std::string_view> fields, Message& spec) {
  for (const std::string_view name : fields) {
    AddFieldOption(app, *spec.GetDescriptor()->FindFieldByCamelcaseName(std::string(name)), spec);
  }
}

std::string FieldHelp(const Descriptor& spec, std::string_view field) {
  return HelpOf(*spec.FindFieldByCamelcaseName(std::string(field)));
}

std::vector<std::string> FieldArguments(const Message& spec) {
  std::vector<std::string> arguments;
  const Descriptor& descriptor = *spec.GetDescriptor();
  const auto& reflection = *spec.GetReflection();
  for (int i = 0; i < descriptor.field_count(); ++i) {
    const FieldDescriptor& field = *descriptor.field(i);
    const auto add = [&](const std::string& text) {
      arguments.push_back(absl::StrCat(OptionOf(field), "=", text));
    };
    if (field.is_repeated()) {
      for (int k = 0; k < reflection.FieldSize(spec, &field); ++k) {
        add(reflection.GetRepeatedString(spec, &field, k));
      }
    } else if (reflection.HasField(spec, &field)) {
      add(TextOf(spec, field));
    }
  }
  return arguments;
}

Status OptionError(const Descriptor& spec, const Status& error) {
  const std::string text(error.message());
  const std::size_t colon = std::min(text.find(':'), text.size());
  const FieldDescriptor* const field = spec.FindFieldByCamelcaseName(text.substr(0, colon));
  if (error.ok() || field == nullptr) return error;
  return {error.code(), OptionOf(*field) + text.substr(colon)};
}

}  // namespace twofold::suite
