#include "lib/suite/spec.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/json_util.h>

#include <cmath>
#include <limits>
#include <vector>

#include "lib/common/distribution.h"
#include "lib/common/match.h"
#include "lib/suite/text.h"
#include "twofold/v1/spec/rules.pb.h"

namespace twofold::suite {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using v1::FieldRule;
using WordList = std::vector<std::string_view>;

constexpr std::size_t kMaxPathBytes = 1024;

// A host name, or an IP address with a zone; it becomes an argument, or a part of one. A worker
// that knows none gives the empty one.
bool IsAddress(std::string_view text) {
  constexpr std::string_view kOfAddresses =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:_%-";
  return !text.starts_with('-') && text.find_first_not_of(kOfAddresses) == std::string_view::npos;
}

/// A field of a message, and what its proto says of it.
struct Checked {
  const Message& message;
  const FieldDescriptor& field;
  std::string name;  ///< as in JSON, with those around it: "outputs.codec"

  [[nodiscard]] const FieldRule& rule() const { return field.options().GetExtension(v1::rule); }
  [[nodiscard]] bool IsGiven() const {
    return !field.is_repeated() && message.GetReflection()->HasField(message, &field);
  }
};

Status CheckRulesIn(const Message& message, const std::string& path);

Status CheckRange(const Checked& checked) {
  const FieldRule& rule = checked.rule();
  const std::int64_t value =
      checked.message.GetReflection()->GetUInt32(checked.message, &checked.field);
  const std::int64_t most =
      rule.has_most() ? rule.most() : std::numeric_limits<std::uint32_t>::max();
  if (Status status = CheckNumber(checked.name, value, rule.least(), most); !status.ok()) {
    return status;
  }
  if ((value - rule.least()) % rule.step() == 0) return absl::OkStatus();
  return Wrong(checked.name, absl::StrCat(value, " is not ", rule.least(), " or a multiple of ",
                                          rule.step(), " more"));
}

Status CheckWide(const Checked& checked) {
  const FieldRule& rule = checked.rule();
  const std::uint64_t value =
      checked.message.GetReflection()->GetUInt64(checked.message, &checked.field);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  // 2^63 and more is beyond any rule.
  const std::int64_t shown =
      value > static_cast<std::uint64_t>(kMost) ? kMost : static_cast<std::int64_t>(value);
  return CheckNumber(checked.name, shown, rule.least(), rule.has_most() ? rule.most() : kMost);
}

Status CheckReal(const Checked& checked) {
  const FieldRule& rule = checked.rule();
  const double value = checked.message.GetReflection()->GetDouble(checked.message, &checked.field);
  if (!std::isfinite(value)) return Wrong(checked.name, "is not finite");
  const bool more = rule.has_most() && value > static_cast<double>(rule.most());
  if (value >= static_cast<double>(rule.least()) && !more) return absl::OkStatus();
  return Wrong(checked.name,
               absl::StrCat(value, " is not from ", rule.least(), " to ",
                            rule.has_most() ? absl::StrCat(rule.most()) : "any number"));
}

Status CheckTime(const Checked& checked, const std::string& value) {
  const auto time = ParseTime(value);
  const bool may_be_zero = checked.rule().has_least();
  if (time.ok() && (*time > Duration::zero() || may_be_zero)) return absl::OkStatus();
  return Wrong(checked.name, absl::StrCat("'", Quoted(value), "' is no ", LikeOf(checked.rule()),
                                          may_be_zero ? ", nor 0" : ""));
}

Status CheckText(const Checked& checked) {
  const FieldRule& rule = checked.rule();
  const std::string value =
      checked.message.GetReflection()->GetString(checked.message, &checked.field);
  if (value == checked.field.default_value_string()) return absl::OkStatus();
  const WordList words(rule.words().begin(), rule.words().end());
  if (!words.empty()) return CheckWord(checked.name, value, words);
  if (rule.time()) return CheckTime(checked, value);
  const WordList units(rule.units().begin(), rule.units().end());
  if (units.empty() || IsQuantity(value, units)) return absl::OkStatus();
  return Wrong(checked.name, absl::StrCat("'", Quoted(value), "' is no ", rule.like()));
}

Status CheckMessages(const Checked& checked) {
  const auto& reflection = *checked.message.GetReflection();
  const int count = reflection.FieldSize(checked.message, &checked.field);
  for (int i = 0; i < count; ++i) {
    const Message& inside = reflection.GetRepeatedMessage(checked.message, &checked.field, i);
    if (Status status = CheckRulesIn(inside, checked.name + "."); !status.ok()) return status;
  }
  return absl::OkStatus();
}

struct TypeCheck {
  FieldDescriptor::CppType type;
  Status (*check)(const Checked&);
};

constexpr TypeCheck kChecks[] = {{FieldDescriptor::CPPTYPE_UINT32, &CheckRange},
                                 {FieldDescriptor::CPPTYPE_UINT64, &CheckWide},
                                 {FieldDescriptor::CPPTYPE_DOUBLE, &CheckReal},
                                 {FieldDescriptor::CPPTYPE_STRING, &CheckText}};

Status Check(const Checked& checked) {
  if (checked.rule().role() != FieldRule::SUITE) return absl::OkStatus();
  if (checked.rule().required() && !checked.IsGiven()) return Wrong(checked.name, "is missing");
  const FieldDescriptor::CppType type = checked.field.cpp_type();
  if (checked.field.is_repeated()) {
    return type == FieldDescriptor::CPPTYPE_MESSAGE ? CheckMessages(checked) : absl::OkStatus();
  }
  if (!checked.IsGiven()) return absl::OkStatus();
  for (const auto& [of, check] : kChecks) {
    if (of == type) return check(checked);
  }
  return absl::OkStatus();
}

Status CheckRulesIn(const Message& message, const std::string& path) {
  const auto& descriptor = *message.GetDescriptor();
  for (int i = 0; i < descriptor.field_count(); ++i) {
    const FieldDescriptor& field = *descriptor.field(i);
    Status status = Check({message, field, path + field.json_name()});
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

std::uint32_t NumberIn(const Message& spec, const std::string& field) {
  return spec.GetReflection()->GetUInt32(spec,
                                         spec.GetDescriptor()->FindFieldByCamelcaseName(field));
}

}  // namespace

Status ReadJson(std::string_view json, Message& message) {
  if (json.empty()) return absl::OkStatus();
  const auto status = google::protobuf::util::JsonStringToMessage(
      google::protobuf::StringPiece(json.data(), json.size()), &message);
  if (status.ok()) return absl::OkStatus();
  const auto why = status.message();
  return absl::InvalidArgumentError(
      absl::StrCat("spec: ", Quoted(std::string_view(why.data(), why.size()))));
}

Status Wrong(std::string_view field, std::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(std::string(field), ": ", std::string(why)));
}

void AddUnlisted(GangPlan& plan, std::string_view field, std::string_view what) {
  plan.unlisted.push_back(absl::StrCat(std::string(field), ": '", Quoted(what), "'"));
}

Status CheckNumber(std::string_view field, std::int64_t value, std::int64_t least,
                   std::int64_t most) {
  if (least <= value && value <= most) return absl::OkStatus();
  return Wrong(field, absl::StrCat(value, " is not from ", least, " to ", most));
}

Status CheckWord(std::string_view field, std::string_view value,
                 std::span<const std::string_view> words) {
  if (std::find(words.begin(), words.end(), value) != words.end()) return absl::OkStatus();
  const std::string all = absl::StrJoin(
      words, ", ", [](std::string* out, std::string_view word) { out->append(word); });
  return Wrong(field, absl::StrCat("'", Quoted(value), "' is none of ", all));
}

Status CheckPlain(std::string_view field, const std::string& value) {
  constexpr char kPlain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./:_,-";
  if (value.find_first_not_of(kPlain) == std::string::npos) return absl::OkStatus();
  return Wrong(field,
               absl::StrCat("'", Quoted(value), "' has more than letters, digits and ./:_,-"));
}

Status CheckPath(std::string_view field, const std::string& path) {
  const std::vector<std::string> parts = absl::StrSplit(path, '/');
  const bool good = !path.empty() && path.size() <= kMaxPathBytes && path[0] != '-' &&
                    std::none_of(path.begin(), path.end(), absl::ascii_iscntrl) &&
                    std::find(parts.begin(), parts.end(), "..") == parts.end();
  if (good) return absl::OkStatus();
  return Wrong(field, absl::StrCat("'", Quoted(path), "' is no path, or has '..' in it"));
}

Status CheckPathInFile(std::string_view field, const std::string& path) {
  constexpr char kOfPaths[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./_+@=,-";
  Status status = CheckPath(field, path);
  if (!status.ok() || path.find_first_not_of(kOfPaths) == std::string::npos) return status;
  return Wrong(field,
               absl::StrCat("'", Quoted(path), "' has more than letters, digits and ./_+@=,-"));
}

Status CheckGang(const Gang& gang, std::uint32_t members) {
  if (gang.members.size() != members) {
    return absl::InvalidArgumentError(
        absl::StrCat("gang: it has ", gang.members.size(), " members; the spec needs ", members));
  }
  for (const Member& member : gang.members) {
    if (IsAddress(member.address)) continue;
    return Wrong("gang", absl::StrCat("'", Quoted(member.address), "' is no address of a member"));
  }
  return absl::OkStatus();
}

std::string LikeOf(const FieldRule& rule) {
  return rule.time() ? "time such as 30s or 1h30m" : rule.like();
}

std::string DefaultText(const FieldDescriptor& field) {
  if (!field.has_default_value()) return "";
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return field.default_value_bool() ? "true" : "false";
    case FieldDescriptor::CPPTYPE_STRING:
      return field.default_value_string();
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return absl::StrCat(field.default_value_double());
    case FieldDescriptor::CPPTYPE_UINT64:
      return absl::StrCat(field.default_value_uint64());
    default:
      return absl::StrCat(field.default_value_uint32());
  }
}

Status CheckRules(const Message& spec) { return CheckRulesIn(spec, ""); }

Status CheckRule(const Message& spec, const FieldDescriptor& field) {
  return Check({spec, field, field.json_name()});
}

std::uint32_t Workers(const Message& spec) {
  const v1::SpecRule& rule = spec.GetDescriptor()->options().GetExtension(v1::spec);
  if (!rule.has_workers_field()) return rule.workers();
  const std::uint32_t workers = NumberIn(spec, rule.workers_field());
  const std::uint32_t each = rule.has_each_field() ? NumberIn(spec, rule.each_field()) : 1;
  return workers / each + (workers % each == 0 ? 0 : 1);
}

}  // namespace twofold::suite
