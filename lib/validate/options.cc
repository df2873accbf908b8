#include "lib/validate/options.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>
#include <absl/strings/strip.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string_view>

#include "lib/stats/scaling.h"
#include "lib/target/target.h"

namespace twofold::validate {
namespace {

constexpr std::size_t kPositional = 7;
constexpr std::size_t kMostDigits = 6;  // of a whole number
constexpr int kMostWindows = 80;
constexpr double kLeastCap = 60;
constexpr double kCapInJobs = 200;
constexpr double kPatience = 600;
constexpr double kLeastNumber = 1e-6;
constexpr double kMostNumber = 1e6;
constexpr const char* kNumber = "a number above 0 (0.000001 to 1000000)";
constexpr const char* kAuto = "auto";
constexpr double kLeastTimeout = 300;
constexpr const char* kLocalhost = "localhost";
constexpr std::string_view kPrefix = "scalability-tester-";
constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kOfNames =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

template <typename... Parts>
Status Refuse(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

bool Consists(std::string_view text, std::string_view of) {
  return !text.empty() && text.find_first_not_of(of) == std::string_view::npos;
}

bool IsName(std::string_view text) { return Consists(text, kOfNames) && text[0] != '-'; }

/// Such a number in digits with a point at most; nullopt: it is none.
std::optional<double> Number(const std::string& text) {
  double number = 0;
  if (!Consists(text, "0123456789.") || !absl::SimpleAtod(text, &number)) return std::nullopt;
  const bool is_in_range = number >= kLeastNumber && number <= kMostNumber;
  return is_in_range ? std::optional(number) : std::nullopt;
}

std::optional<int> Whole(const std::string& text) {
  int number = 0;
  if (!Consists(text, kDigits) || text.size() > kMostDigits) return std::nullopt;
  return absl::SimpleAtoi(text, &number) && number > 0 ? std::optional(number) : std::nullopt;
}

/// With the beginning that all deployments of Twofold have.
std::string FullName(const std::string& name) {
  return absl::StrCat(std::string(kPrefix),
                      std::string(absl::StripPrefix(name, std::string(kPrefix))));
}

/// 1 2 4 ... and `limit`.
std::vector<int> Doublings(int limit) {
  std::vector<int> steps;
  for (int workers = 1; workers < limit; workers *= 2) steps.push_back(workers);
  steps.push_back(limit);
  return steps;
}

Status ReadSteps(const std::string& text, Options& options) {
  options.steps.clear();
  for (const absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    const std::optional<int> workers = Whole(std::string(word));
    const int before = options.steps.empty() ? 0 : options.steps.back();
    if (!workers || *workers <= before || *workers > options.limit) {
      return Refuse("--steps '", text, "' do not grow from 1 to ", options.limit);
    }
    options.steps.push_back(*workers);
  }
  return options.steps.empty() ? Refuse("--steps are empty") : absl::OkStatus();
}

Status ReadPositional(const std::vector<std::string>& words, Options& options) {
  if (words.size() != kPositional) {
    return Refuse(kPositional, " arguments are needed, not ", words.size());
  }
  options.deployment = words[0];
  options.space = words[1];
  options.service = words[3];
  options.service_space = words[4];
  if (options.space == kLocalhost) {
    options.deployment = FullName(options.deployment);
    options.service = FullName(options.service);
  }
  const std::optional<double> seconds = Number(words[2]);
  if (!seconds) return Refuse("SECS '", words[2], "' is not ", kNumber);
  options.job_seconds = *seconds;
  const std::optional<int> limit = Whole(words[5]);
  if (!limit) return Refuse("LIMIT '", words[5], "' is not a whole number from 1");
  options.limit = *limit;
  const std::optional<double> scale = Number(words[6]);
  if (!scale) return Refuse("SCALE '", words[6], "' is not ", kNumber);
  options.scale = *scale;
  return absl::OkStatus();
}

/// Without workerpool/.
std::string NameOfWorkers(const Options& options) {
  return std::string(absl::StripPrefix(options.deployment, targets::kPoolPrefix));
}

Status CheckNames(const Options& options) {
  for (const std::string& name : {NameOfWorkers(options), options.space, options.service,
                                  options.service_space, options.queue}) {
    if (!IsName(name)) return Refuse("'", name, "' is not a name");
  }
  return absl::OkStatus();
}

Status ReadCap(const Words& words, Options& options) {
  options.cap_seconds = std::max(kLeastCap, kCapInJobs * options.job_seconds);
  options.patience_seconds = kPatience;
  if (!words.cap.empty() && words.cap != kAuto) {
    const std::optional<double> cap = Number(words.cap);
    if (!cap) return Refuse("--cap '", words.cap, "' is neither auto nor ", kNumber);
    if (!words.patience.empty()) return Refuse("--patience is for --cap auto");
    options.cap_seconds = *cap;
    options.patience_seconds = 0;
  }
  if (!words.patience.empty()) {
    const std::optional<double> patience = Number(words.patience);
    if (!patience) return Refuse("--patience '", words.patience, "' is not ", kNumber);
    options.patience_seconds = *patience;
    options.cap_seconds = std::min(options.cap_seconds, *patience);
  }
  return absl::OkStatus();
}

/// "1%", "0.01", "0"
Status ReadFailures(const Words& words, Options& options) {
  options.all_steps = words.all_steps;
  if (words.allow_failures.empty()) return absl::OkStatus();
  absl::string_view text = words.allow_failures;
  const double unit = absl::ConsumeSuffix(&text, "%") ? 0.01 : 1.0;
  double share = 0;
  if (!Consists(std::string(text), "0123456789.") || !absl::SimpleAtod(text, &share) ||
      share * unit >= 1) {
    return Refuse("--allow-failures '", words.allow_failures,
                  "' is not a share under 1, as 1% or 0.01");
  }
  options.allowed_failures = share * unit;
  return absl::OkStatus();
}

Status ReadTimes(const Words& words, Options& options) {
  if (Status status = ReadCap(words, options); !status.ok()) return status;
  options.timeout = FromSeconds(std::floor(kLeastTimeout + options.job_seconds));
  if (!words.timeout.empty()) {
    const std::optional<int> timeout = Whole(words.timeout);
    if (!timeout) return Refuse("--timeout '", words.timeout, "' is not a whole number from 1");
    options.timeout = std::chrono::seconds(*timeout);
  }
  return absl::OkStatus();
}

Status ReadRepeats(const Words& words, Options& options) {
  options.more_repeats = words.repeat == kAuto;
  if (!words.repeat.empty() && !options.more_repeats) {
    const std::optional<int> repeat = Whole(words.repeat);
    if (!repeat) {
      return Refuse("--repeat '", words.repeat, "' is neither auto nor a whole number from 1");
    }
    options.repeat = *repeat;
  }
  const auto windows = static_cast<long long>(options.steps.size()) * options.repeat;
  if (windows > kMostWindows) {
    return Refuse("--repeat ", options.repeat, ": that is ", windows, " steps in all; ",
                  kMostWindows, " are what one validation can compare");
  }
  if (!words.pods.empty()) options.pods = words.pods;
  if (options.pods != "any" && options.pods != "these") {
    return Refuse("--pods '", options.pods, "' is neither any nor these");
  }
  return absl::OkStatus();
}

Status ReadPlace(Options& options) {
  options.local = options.space == kLocalhost;
  if (options.local == (options.service_space == kLocalhost)) return absl::OkStatus();
  return Refuse("one namespace is localhost, the other is not");
}

}  // namespace

Result<Options> Understand(const Words& words) {
  Options options;
  Status status = ReadPositional(words.positional, options);
  if (!status.ok()) return status;
  const std::string backend = absl::StrCat(std::string(kPrefix), "backend-");
  options.queue = words.queue.empty()
                      ? std::string(absl::StripPrefix(NameOfWorkers(options), backend))
                      : words.queue;
  if (!words.json.empty()) options.json = words.json;
  options.html = words.html;
  status = CheckNames(options);
  if (status.ok()) status = ReadTimes(words, options);
  if (status.ok()) status = ReadFailures(words, options);
  options.steps = Doublings(options.limit);
  if (status.ok() && !words.steps.empty()) status = ReadSteps(words.steps, options);
  if (status.ok()) status = ReadRepeats(words, options);
  if (status.ok()) status = ReadPlace(options);
  if (!status.ok()) return status;
  return options;
}

int Options::most_repeats() const {
  return std::min(static_cast<int>(stats::kMostMadeRepeats),
                  kMostWindows / static_cast<int>(steps.size()));
}

std::string Plain(double number) { return fmt::format("{:.15g}", number); }

std::string StepsText(const Options& options) { return absl::StrJoin(options.steps, " "); }

}  // namespace twofold::validate
