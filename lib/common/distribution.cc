#include "lib/common/distribution.h"

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/common/printable.h"

namespace twofold {
namespace {

constexpr const char* kExamples =
    "2s, uniform:1s-5s, exponential:2s, lognormal:2s,0.5 (median, sigma) and bimodal:1s,9s,10% are "
    "examples";
constexpr double kMostSigma = 10;
constexpr std::size_t kMostOfText = 40;  // in errors

Duration Limited(double nanoseconds) {
  const auto most = static_cast<double>(kLongestTime.count());
  return nanoseconds >= most ? kLongestTime
                             : Duration(static_cast<Duration::rep>(std::max(nanoseconds, 0.0)));
}

double Scaled(Duration time, double factor) { return static_cast<double>(time.count()) * factor; }

// Box and Muller; one of the two numbers is enough.
double Normal(Random& random) {
  const double radius = std::sqrt(-2 * std::log(random.Share()));
  return radius * std::cos(2 * std::numbers::pi * random.Share());
}

std::string Shown(std::string_view text) {
  return absl::CHexEscape(std::string(text.substr(0, kMostOfText)));
}

Status Malformed(std::string_view text, const std::string& why) {
  return absl::InvalidArgumentError(absl::StrCat("'", Shown(text), "' ", why, "; ", kExamples));
}

// What is before and after the first `separator`; nothing is after it if there is none.
std::pair<std::string_view, std::string_view> Cut(std::string_view text, char separator) {
  const std::size_t at = std::min(text.find(separator), text.size());
  return {text.substr(0, at), text.substr(std::min(at + 1, text.size()))};
}

// A number from 0 to `most`.
std::optional<double> ParseUpTo(std::string_view text, double most) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number >= 0 && number <= most ? std::optional(number) : std::nullopt;
}

// ---- the forms: each makes of the text behind its name what draws

using Drawer = std::function<Duration(Random&)>;

Result<Drawer> Fixed(std::string_view text) {
  const auto time = ParseTime(text);
  if (!time.ok()) return time.status();
  return [time = *time](Random&) { return time; };
}

Result<Drawer> Uniform(std::string_view text) {
  const auto [first, second] = Cut(text, '-');
  const auto least = ParseTime(first);
  if (!least.ok()) return least.status();
  const auto most = ParseTime(second);
  if (!most.ok()) return most.status();
  if (*most < *least) return absl::InvalidArgumentError("the second time is less than the first");
  return [least = *least, width = *most - *least](Random& random) {
    return least + Limited(Scaled(width, random.Share()));
  };
}

Result<Drawer> Exponential(std::string_view text) {
  const auto mean = ParseTime(text);
  if (!mean.ok()) return mean.status();
  return
      [mean = *mean](Random& random) { return Limited(Scaled(mean, -std::log(random.Share()))); };
}

Result<Drawer> LogNormal(std::string_view text) {
  const auto [first, second] = Cut(text, ',');
  const auto median = ParseTime(first);
  if (!median.ok()) return median.status();
  const auto sigma = ParseUpTo(second, kMostSigma);
  if (!sigma) {
    return absl::InvalidArgumentError(
        absl::StrCat("after the comma stands sigma, 0 to ", kMostSigma));
  }
  return [median = *median, sigma = *sigma](Random& random) {
    return Limited(Scaled(median, std::exp(sigma * Normal(random))));
  };
}

Result<Drawer> Bimodal(std::string_view text) {
  const auto [first, rest] = Cut(text, ',');
  const auto [second, third] = Cut(rest, ',');
  const auto often = ParseTime(first);
  if (!often.ok()) return often.status();
  const auto seldom = ParseTime(second);
  if (!seldom.ok()) return seldom.status();
  const bool is_percent = third.ends_with('%');
  const auto percent = ParseUpTo(third.substr(0, third.size() - (is_percent ? 1 : 0)), 100);
  if (!is_percent || !percent) {
    return absl::InvalidArgumentError("last stands how many take the second time, 0% to 100%");
  }
  return [often = *often, seldom = *seldom, share = *percent / 100](Random& random) {
    return random.Share() < share ? seldom : often;
  };
}

struct Form {
  std::string_view name;
  Result<Drawer> (*parse)(std::string_view text);
};
constexpr std::array<Form, 6> kForms = {{{"fixed", Fixed},
                                         {"uniform", Uniform},
                                         {"exponential", Exponential},
                                         {"exp", Exponential},
                                         {"lognormal", LogNormal},
                                         {"bimodal", Bimodal}}};

// ---- times

struct TimeUnit {
  std::string_view name;
  double nanoseconds;
};
// From the longest on, as they follow each other.
constexpr std::array<TimeUnit, 7> kTimeUnits = {
    {{"d", 86400e9}, {"h", 3600e9}, {"m", 60e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}}};

// Takes "1.5h" off the front; `unit` moves behind the one that was met. nullopt: there is none.
std::optional<double> TakePart(std::string_view& text, std::size_t& unit) {
  if (text.empty() || !absl::ascii_isdigit(static_cast<unsigned char>(text[0])))
    return std::nullopt;
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  const auto* const letters = std::find_if_not(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalpha(static_cast<unsigned char>(c));
  });
  const auto size = static_cast<std::size_t>(letters - text.begin());
  const std::string name = absl::AsciiStrToLower(std::string(text.substr(0, size)));
  text.remove_prefix(size);
  while (unit < kTimeUnits.size() && kTimeUnits[unit].name != name) ++unit;
  if (unit == kTimeUnits.size()) return std::nullopt;
  return number * kTimeUnits[unit++].nanoseconds;
}

std::optional<double> NanosecondsOf(std::string_view text) {
  double sum = 0;
  std::size_t unit = 0;
  do {
    const auto part = TakePart(text, unit);
    if (!part) return std::nullopt;
    sum += *part;
  } while (!text.empty());
  return sum;
}

}  // namespace

Result<Duration> ParseTime(std::string_view text) {
  const auto bare = ParseUpTo(text, ToSeconds(kLongestTime));
  const auto nanoseconds = bare ? std::optional(*bare * 1e9) : NanosecondsOf(text);
  const auto longest = static_cast<double>(Duration(kLongestTime).count());
  if (nanoseconds && *nanoseconds <= longest) return Duration(std::llround(*nanoseconds));
  return absl::InvalidArgumentError(absl::StrCat(
      "'", Shown(text), "' is not a time from 0 to 1e9 seconds, such as 0.3, 300ms, 2s or 1m30s"));
}

Distribution::Distribution(Duration time) : Distribution([time](Random&) { return time; }) {}

Result<Distribution> Distribution::Parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = colon == std::string_view::npos ? "fixed" : text.substr(0, colon);
  const auto* const form = std::find_if(kForms.begin(), kForms.end(),
                                        [&](const Form& each) { return each.name == name; });
  if (form == kForms.end()) return Malformed(text, "is not a distribution");
  Result<Drawer> draw =
      form->parse(colon == std::string_view::npos ? text : text.substr(colon + 1));
  if (draw.ok()) return Distribution(*std::move(draw));
  return colon == std::string_view::npos
             ? draw.status()
             : Malformed(text, absl::StrCat("is wrong: ", std::string(draw.status().message())));
}

Result<Distribution> Distribution::Recorded(std::string_view text) {
  text = WithoutByteOrderMark(text);
  std::vector<Duration> times;
  std::size_t line = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string entry(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line;
    entry.erase(entry.find_last_not_of(" \t\r") + 1);
    if (entry.empty() || entry.front() == '#') continue;
    double seconds = 0;
    if (!absl::SimpleAtod(entry, &seconds) ||
        !(seconds >= 0 && seconds <= ToSeconds(kLongestTime))) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", line, " is not a number of seconds from 0 to 1e9"));
    }
    if (times.size() == kMostRecorded) {
      return absl::InvalidArgumentError(
          absl::StrCat("more than ", kMostRecorded, " times; leave some out"));
    }
    times.push_back(FromSeconds(seconds));
  }
  if (times.empty()) return absl::InvalidArgumentError("there is no recorded time");
  return Distribution([times = std::make_shared<const std::vector<Duration>>(std::move(times))](
                          Random& random) {
    return (*times)[static_cast<std::size_t>(random.Share() * static_cast<double>(times->size()))];
  });
}

}  // namespace twofold
