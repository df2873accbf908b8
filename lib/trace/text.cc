#include "lib/trace/text.h"

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/strip.h>
#include <google/protobuf/text_format.h>

#include <cstdlib>

#include "lib/trace/convert.h"
#include "lib/trace/record.h"

namespace twofold::queue::trace {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr std::size_t kLongText = 256;

std::string HashText(std::uint64_t digest) { return absl::StrFormat("#%016x", digest); }

// OUTCOME_TIMED_OUT is "timed_out".
std::string Word(const google::protobuf::EnumValueDescriptor& value) {
  return absl::AsciiStrToLower(value.name().substr(value.name().find('_') + 1));
}

std::string Quoted(const std::string& bytes) {
  std::string text;
  AppendBrief(text, bytes, kLongText);
  return absl::StrCat("'", absl::CHexEscape(text), "'");
}

std::string Braced(const Message& message) { return Text("{", message) + " }"; }

std::string List(const Message& message, const FieldDescriptor* field) {
  const auto& with = *message.GetReflection();
  std::string text = "[";
  for (int i = 0; i < with.FieldSize(message, field); ++i) {
    text += Braced(with.GetRepeatedMessage(message, field, i));
  }
  return text + "]";
}

std::string Number(const Message& message, const FieldDescriptor* field) {
  std::string text;
  google::protobuf::TextFormat::PrintFieldValueToString(message, field, -1, &text);
  return text;
}

std::string Value(const Message& message, const FieldDescriptor* field) {
  const auto& with = *message.GetReflection();
  if (field->is_repeated()) return List(message, field);
  switch (field->type()) {
    case FieldDescriptor::TYPE_BOOL:
      return with.GetBool(message, field) ? "yes" : "no";
    case FieldDescriptor::TYPE_BYTES:
      if (field->name() == "options") return HashText(Digest(with.GetString(message, field)));
      return Quoted(with.GetString(message, field));
    case FieldDescriptor::TYPE_ENUM:
      return Word(*with.GetEnum(message, field));
    case FieldDescriptor::TYPE_FIXED64:
      return HashText(with.GetUInt64(message, field));
    case FieldDescriptor::TYPE_SINT64:
      return SecondsText(Duration(with.GetInt64(message, field)));
    case FieldDescriptor::TYPE_MESSAGE:
      return Braced(with.GetMessage(message, field));
    default:
      return Number(message, field);
  }
}

}  // namespace

std::string Text(std::string_view word, const Message& message) {
  std::string text(word);
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor* field = message.GetDescriptor()->field(i);
    if (field->has_presence() && !message.GetReflection()->HasField(message, field)) continue;
    absl::StrAppend(&text, " ", absl::StripSuffix(field->name(), "_ns"), "=",
                    Value(message, field));
  }
  return text;
}

std::string Text(const Message& one_of) {
  std::vector<const FieldDescriptor*> fields;
  one_of.GetReflection()->ListFields(one_of, &fields);
  if (fields.empty()) return "nothing";
  return Text(fields[0]->name(), one_of.GetReflection()->GetMessage(one_of, fields[0]));
}

std::string OptionsText(const proto::Input& input) {
  if (!input.has_submit() && !input.has_restore()) return "";
  const std::string& bytes =
      input.has_submit() ? input.submit().options() : input.restore().restored().options();
  proto::JobOptions options;
  options.ParseFromString(bytes);
  return Text("options " + HashText(Digest(bytes)), options);
}

std::vector<std::string> OutputLines(const proto::Step& step) {
  std::vector<std::string> lines;
  for (const proto::Effect& effect : step.effects()) lines.push_back(Text(effect));
  if (step.has_returned()) lines.push_back(Text("returned", step.returned()));
  return lines;
}

std::string SecondsText(Duration duration) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t count = duration.count();
  const char* sign = count < 0 ? "-" : "";
  return absl::StrFormat("%s%d.%09d", sign, std::abs(count / kSecond), std::abs(count % kSecond));
}

}  // namespace twofold::queue::trace
