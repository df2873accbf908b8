#include "kubernetes/lifecycle/limits.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "kubernetes/lifecycle/templates/template.h"
#include "lib/common/printable.h"
#include "lib/suite/flags.h"

namespace twofold::lifecycle {
namespace {

using Spec = v1::suites::LifecycleSpec;

constexpr std::size_t kLongestClass = 253;
constexpr std::size_t kShownValue = 80;

struct LimitUnit {
  std::string_view suffix;
  double bytes;
};

// Kubernetes' suffixes of quantities, as far as sizes have them.
constexpr std::array<LimitUnit, 9> kLimitUnits = {{{"", 1.0},
                                                   {"k", 1e3},
                                                   {"M", 1e6},
                                                   {"G", 1e9},
                                                   {"T", 1e12},
                                                   {"Ki", 0x1p10},
                                                   {"Mi", 0x1p20},
                                                   {"Gi", 0x1p30},
                                                   {"Ti", 0x1p40}}};

Status BadOption(std::string_view option, const std::string& value, std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(
      std::string(option), ": '", Printable(value, kShownValue), "' ", std::string(what)));
}

/// "2Gi". Errors   kInvalidArgument with the option.
Result<std::uint64_t> ReadSize(std::string_view option, const std::string& text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string suffix = text.substr(end);
  const auto* const unit =
      std::find_if(kLimitUnits.begin(), kLimitUnits.end(),
                   [&](const LimitUnit& each) { return each.suffix == suffix; });
  double number = 0.0;
  const bool is_size = unit != kLimitUnits.end() &&
                       absl::SimpleAtod(text.substr(0, end), &number) &&
                       number * unit->bytes < 1e18;
  if (is_size) return static_cast<std::uint64_t>(number * unit->bytes);
  return BadOption(option, text, "is not a size such as 512Mi, 2Gi or 8G");
}

/// A name as storage classes have it.
bool IsClassName(const std::string& name) {
  return !name.empty() && name.size() <= kLongestClass &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return ('a' <= c && c <= 'z') || ('0' <= c && c <= '9') || c == '-' || c == '.';
         });
}

Status ReadVolume(const Spec& spec, Settings& each) {
  if (!spec.has_pvc()) return absl::OkStatus();
  const auto size = ReadSize("--pvc", spec.pvc());
  if (!size.ok()) return size.status();
  if (*size == 0) return BadOption("--pvc", spec.pvc(), "is no size of a volume: 1 byte or more");
  if (spec.has_storage_class() && !IsClassName(spec.storage_class())) {
    return BadOption("--storage-class", spec.storage_class(),
                     "is no name of small letters, digits, dashes and dots");
  }
  each.volume = spec.pvc();
  each.storage_class = spec.storage_class();
  return absl::OkStatus();
}

void DeclareLimits(CLI::App& app, std::initializer_list<std::string_view> fields, Spec& spec) {
  suite::AddFieldOptions(app, fields, spec);
}

}  // namespace

void Declare(CLI::App& app, Spec& spec, LimitOptions& options) {
  DeclareLimits(app, {"wave", "delay", "fill", "fillRate"}, spec);
  app.add_option_function<std::string>(
         "--pvc", [&spec](const std::string& size) { spec.set_pvc(size); },
         suite::FieldHelp(*Spec::descriptor(), "pvc") + "; 1Mi if none is given")
      ->expected(0, 1)
      ->default_str("1Mi")
      ->type_name("SIZE");
  DeclareLimits(app, {"storageClass"}, spec);
  app.add_option("--etcd-quota", options.etcd_quota,
                 "What the API server's store may hold: at 80 % of it nothing more is created; 0: "
                 "do not look")
      ->type_name("SIZE")
      ->capture_default_str();
}

Result<LimitSettings> Read(const Spec& spec, const LimitOptions& options, Settings& each) {
  LimitSettings settings;
  settings.wave = spec.wave();
  settings.delay = FromSeconds(spec.delay());
  settings.fill = spec.fill();
  settings.fill_rate = spec.fill_rate();
  const auto quota = ReadSize("--etcd-quota", options.etcd_quota);
  if (!quota.ok()) return quota.status();
  settings.storage.quota = *quota;
  if (const Status status = ReadVolume(spec, each); !status.ok()) return status;
  return settings;
}

}  // namespace twofold::lifecycle
