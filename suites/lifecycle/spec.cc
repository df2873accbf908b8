#include "lib/suite/spec.h"

#include <absl/strings/str_cat.h>
#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <string>

#include "lib/suite/text.h"
#include "suites/lifecycle/lifecycle.h"

namespace twofold::suite::lifecycle {
namespace {

using google::protobuf::FieldDescriptor;

constexpr std::size_t kLongestText = 253;  // as names of Kubernetes
constexpr int kMostTexts = 32;             // of a list
constexpr double kLeastRate = 0.001;

bool IsPrintable(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return ' ' <= c && c <= '~'; });
}

Status CheckText(const FieldDescriptor& field, const std::string& text) {
  if (text.empty()) return Wrong(field.json_name(), "is empty; leave it out");
  if (text.size() <= kLongestText && IsPrintable(text)) return absl::OkStatus();
  return Wrong(field.json_name(), absl::StrCat("'", Quoted(text), "' has more than ", kLongestText,
                                               " characters, or some that are not ASCII"));
}

Status CheckTexts(const Spec& spec, const FieldDescriptor& field) {
  const auto& reflection = *spec.GetReflection();
  if (!field.is_repeated()) {
    return reflection.HasField(spec, &field) ? CheckText(field, reflection.GetString(spec, &field))
                                             : absl::OkStatus();
  }
  const int size = reflection.FieldSize(spec, &field);
  if (size > kMostTexts) {
    return Wrong(field.json_name(), absl::StrCat(size, " are more than ", kMostTexts));
  }
  for (int i = 0; i < size; ++i) {
    Status status = CheckText(field, reflection.GetRepeatedString(spec, &field, i));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

Status CheckRate(std::string_view field, double rate) {
  if (rate >= kLeastRate) return absl::OkStatus();
  return Wrong(field, absl::StrCat(rate, " is less than ", kLeastRate));
}

/// Fields that say more of another one.
Status CheckNeeds(const Spec& spec) {
  struct Need {
    const char* field;
    bool given;
    const char* needed;
    bool there;
  };
  for (const Need& each : {Need{"delay", spec.has_delay(), "wave", spec.has_wave()},
                           Need{"fillRate", spec.has_fill_rate(), "fill", spec.has_fill()},
                           Need{"storageClass", spec.has_storage_class(), "pvc", spec.has_pvc()}}) {
    if (each.given && !each.there) return Wrong(each.field, absl::StrCat("needs ", each.needed));
  }
  return absl::OkStatus();
}

}  // namespace

Status CheckTogether(const Spec& spec) {
  if (spec.has_rate() && spec.has_parallel()) {
    return Wrong("rate", "excludes parallel, whose rate is whatever the server makes of it");
  }
  if (Status status = CheckRate("rate", spec.rate()); !status.ok()) return status;
  if (spec.has_fill_rate()) {
    if (Status status = CheckRate("fillRate", spec.fill_rate()); !status.ok()) return status;
  }
  if (Status status = CheckNeeds(spec); !status.ok()) return status;
  const auto& message = *Spec::descriptor();
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    if (field.cpp_type() != FieldDescriptor::CPPTYPE_STRING) continue;
    if (Status status = CheckTexts(spec, field); !status.ok()) return status;
  }
  return absl::OkStatus();
}

Result<Spec> ReadSpec(std::string_view json) {
  return ReadByRules<Spec>(json, [](const Spec& spec) { return CheckTogether(spec); });
}

}  // namespace twofold::suite::lifecycle
