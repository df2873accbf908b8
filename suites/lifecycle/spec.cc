#include "lib/suite/spec.h"

#include <absl/strings/ascii.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <array>
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

bool IsSelector(const std::string& text) {
  const std::size_t equals = text.find('=');
  return equals != 0 && equals != std::string::npos;
}

bool IsToleration(const std::string& text) {
  return !text.empty() && text.front() != '=' && text.front() != ':';
}

/// A name as storage classes have it.
bool IsClassName(const std::string& name) {
  return std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_islower(static_cast<unsigned char>(c)) ||
           absl::ascii_isdigit(static_cast<unsigned char>(c)) || c == '-' || c == '.';
  });
}

Status CheckForms(const Spec& spec) {
  const auto not_of = [](const char* field, const std::string& text, const char* form) {
    return Wrong(field, absl::StrCat("'", Quoted(text), "' is not of the form ", form));
  };
  for (const std::string& text : spec.node_selector()) {
    if (!IsSelector(text)) return not_of("nodeSelector", text, "NAME=VALUE");
  }
  for (const std::string& text : spec.tolerations()) {
    if (!IsToleration(text)) return not_of("tolerations", text, "KEY[=VALUE][:EFFECT]");
  }
  if (spec.has_pvc()) {
    const auto size = SizeOf(spec.pvc());
    if (!size.ok()) return Wrong("pvc", std::string(size.status().message()));
    if (*size == 0) {
      return Wrong("pvc",
                   absl::StrCat("'", spec.pvc(), "' is no size of a volume: 1 byte or more"));
    }
  }
  if (!spec.has_storage_class() || IsClassName(spec.storage_class())) return absl::OkStatus();
  return Wrong("storageClass",
               absl::StrCat("'", Quoted(spec.storage_class()),
                            "' is no name of small letters, digits, dashes and dots"));
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

struct SizeUnit {
  std::string_view suffix;
  double bytes;
};

// Kubernetes' suffixes of quantities, as far as sizes have them.
constexpr std::array<SizeUnit, 9> kSizeUnits = {{{"", 1.0},
                                                 {"k", 1e3},
                                                 {"M", 1e6},
                                                 {"G", 1e9},
                                                 {"T", 1e12},
                                                 {"Ki", 0x1p10},
                                                 {"Mi", 0x1p20},
                                                 {"Gi", 0x1p30},
                                                 {"Ti", 0x1p40}}};

}  // namespace

Result<std::uint64_t> SizeOf(const std::string& text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string suffix = text.substr(end);
  const auto* const unit =
      std::find_if(kSizeUnits.begin(), kSizeUnits.end(),
                   [&](const SizeUnit& each) { return each.suffix == suffix; });
  double number = 0.0;
  const bool is_size = unit != kSizeUnits.end() && absl::SimpleAtod(text.substr(0, end), &number) &&
                       number * unit->bytes < 1e18;
  if (is_size) return static_cast<std::uint64_t>(number * unit->bytes);
  return absl::InvalidArgumentError(
      absl::StrCat("'", Quoted(text), "' is not a size such as 512Mi, 2Gi or 8G"));
}

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
  return CheckForms(spec);
}

Dimensions LoadOf(const Spec& spec) {
  Dimensions load;
  const Spec& usual = Spec::default_instance();
  const auto add = [&](const char* field, const auto& value, const auto& usual_value) {
    if (value != usual_value) load.emplace_back(field, absl::StrCat(value));
  };
  add("count", spec.count(), usual.count());
  add("rate", spec.rate(), usual.rate());
  add("parallel", spec.parallel(), usual.parallel());
  add("wave", spec.wave(), usual.wave());
  add("delay", spec.delay(), usual.delay());
  add("fill", spec.fill(), usual.fill());
  add("workers", spec.workers(), usual.workers());
  add("gpus", spec.gpus(), usual.gpus());
  add("seconds", spec.seconds(), usual.seconds());
  add("pvc", spec.pvc(), usual.pvc());
  return load;
}

Result<Spec> ReadSpec(std::string_view json) {
  return ReadByRules<Spec>(json, [](const Spec& spec) { return CheckTogether(spec); });
}

}  // namespace twofold::suite::lifecycle
