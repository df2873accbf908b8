#include "cli/lifecycle/limits.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include "cli/lifecycle/templates/template.h"
#include "lib/common/options.h"
#include "lib/common/printable.h"

namespace twofold::lifecycle {
namespace {

constexpr std::uint32_t kMostOfAPhase = 200'000;
constexpr std::size_t kLongestClass = 253;
constexpr std::size_t kShownValue = 80;

struct Unit {
  std::string_view suffix;
  double bytes;
};

// Kubernetes' suffixes of quantities, as far as sizes have them.
constexpr std::array<Unit, 9> kUnits = {{{"", 1.0},
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
  const auto* const unit = std::find_if(kUnits.begin(), kUnits.end(),
                                        [&](const Unit& each) { return each.suffix == suffix; });
  double number = 0.0;
  const bool is_size = unit != kUnits.end() && absl::SimpleAtod(text.substr(0, end), &number) &&
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

Status ReadVolume(const LimitOptions& options, Settings& each) {
  if (options.pvc.empty()) return absl::OkStatus();
  const auto size = ReadSize("--pvc", options.pvc);
  if (!size.ok()) return size.status();
  if (*size == 0) return BadOption("--pvc", options.pvc, "is no size of a volume: 1 byte or more");
  if (!options.storage_class.empty() && !IsClassName(options.storage_class)) {
    return BadOption("--storage-class", options.storage_class,
                     "is no name of small letters, digits, dashes and dots");
  }
  each.volume = options.pvc;
  each.storage_class = options.storage_class;
  return absl::OkStatus();
}

}  // namespace

CLI::Validator PerSecond(double least, double most) {
  const auto check = [least, most](const std::string& text) -> std::string {
    double value = 0;
    if (absl::SimpleAtod(text, &value) && value >= least && value <= most) return {};
    return absl::StrCat("'", text, "' is not a number a second from ", least, " to ", most);
  };
  return {check, "NUMBER", "rate"};
}

void Declare(CLI::App& app, LimitOptions& options) {
  CLI::Option* const wave =
      app.add_option("--wave", options.wave,
                     "Create so many, at --rate or --parallel, then await all their answers")
          ->check(WholeNumber(1, kMostOfAPhase));
  app.add_option("--delay", options.delay_seconds,
                 "Seconds between the last answer to a wave and the next wave")
      ->check(Seconds(0, 86'400))
      ->needs(wave);
  CLI::Option* const fill =
      app.add_option("--fill", options.fill,
                     "Create so many workloads of the kind before, wait until they are ready, and "
                     "leave them out of all that is measured")
          ->check(WholeNumber(1, kMostOfAPhase));
  app.add_option("--fill-rate", options.fill_rate,
                 "Of these, a second; else as fast as the connections allow")
      ->check(PerSecond(0.001, 10'000))
      ->needs(fill);
  CLI::Option* const pvc =
      app.add_option("--pvc", options.pvc, "Give each pod a volume of this size, or of 1Mi")
          ->expected(0, 1)
          ->default_str("1Mi")
          ->type_name("SIZE");
  app.add_option("--storage-class", options.storage_class,
                 "Of the volumes; else the cluster's default")
      ->needs(pvc);
  app.add_option("--etcd-quota", options.etcd_quota,
                 "What the API server's store may hold: at 80 % of it nothing more is created; 0: "
                 "do not look")
      ->type_name("SIZE")
      ->capture_default_str();
}

Result<LimitSettings> Read(const LimitOptions& options, Settings& each) {
  LimitSettings settings;
  settings.wave = options.wave;
  settings.delay = FromSeconds(options.delay_seconds);
  settings.fill = options.fill;
  settings.fill_rate = options.fill_rate;
  const auto quota = ReadSize("--etcd-quota", options.etcd_quota);
  if (!quota.ok()) return quota.status();
  settings.storage.quota = *quota;
  if (const Status status = ReadVolume(options, each); !status.ok()) return status;
  return settings;
}

}  // namespace twofold::lifecycle
