#include "cli/nodes/model/distribution.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/time/time.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace twofold::nodes {
namespace {

constexpr const char* kShapes =
    "2s, uniform:1s-5s, exp:2s and lognormal:2s,0.5 (median, sigma) are examples";
constexpr double kMostSigma = 10;

Duration Limited(double nanoseconds) {
  const auto most = static_cast<double>(kLongest.count());
  return nanoseconds >= most ? kLongest
                             : Duration(static_cast<Duration::rep>(std::max(nanoseconds, 0.0)));
}

double Scaled(Duration time, double factor) { return static_cast<double>(time.count()) * factor; }

// Box and Muller; one of the two numbers is enough.
double Normal(Draws& draws) {
  const double radius = std::sqrt(-2 * std::log(draws.Share()));
  return radius * std::cos(2 * std::numbers::pi * draws.Share());
}

absl::Status Malformed(const std::string& text) {
  return absl::InvalidArgumentError(absl::StrCat("'", text, "' is not a distribution; ", kShapes));
}

}  // namespace

Draws::Draws(std::uint64_t seed, std::string_view text) : state_(seed) {
  for (const char c : text) state_ = Next() ^ static_cast<unsigned char>(c);
}

std::uint64_t Draws::Next() {
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// The last of the 2^53 shares would be rounded up to 1.
double Draws::Share() {
  return std::min((static_cast<double>(Next() >> 11) + 0.5) * 0x1p-53, 1 - 0x1p-53);
}

Result<Duration> ParseTime(const std::string& text) {
  absl::Duration time;
  if (!absl::ParseDuration(text, &time) || time < absl::ZeroDuration() ||
      time > absl::FromChrono(kLongest)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' is not a time from 0 to a year, such as 300ms, 2s or 1m30s"));
  }
  return absl::ToChronoNanoseconds(time);
}

Result<Distribution::Shape> Distribution::ParseUniform(const std::string& text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string::npos) return Malformed("uniform:" + text);
  const auto least = ParseTime(text.substr(0, dash));
  if (!least.ok()) return least.status();
  const auto most = ParseTime(text.substr(dash + 1));
  if (!most.ok()) return most.status();
  if (*most < *least) {
    return absl::InvalidArgumentError(
        absl::StrCat("'uniform:", text, "': the second time is less than the first"));
  }
  return Shape(Uniform{*least, *most});
}

Result<Distribution::Shape> Distribution::ParseLogNormal(const std::string& text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos) return Malformed("lognormal:" + text);
  const auto median = ParseTime(text.substr(0, comma));
  if (!median.ok()) return median.status();
  double sigma = 0;
  if (!absl::SimpleAtod(text.substr(comma + 1), &sigma) || !(sigma >= 0 && sigma <= kMostSigma)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'lognormal:", text, "': after the comma stands sigma, 0 to ", kMostSigma));
  }
  return Shape(LogNormal{*median, sigma});
}

Result<Distribution> Distribution::Parse(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string name = colon == std::string::npos ? "fixed" : text.substr(0, colon);
  const std::string rest = colon == std::string::npos ? text : text.substr(colon + 1);
  Result<Shape> shape = Malformed(text);
  if (name == "uniform") shape = ParseUniform(rest);
  if (name == "lognormal") shape = ParseLogNormal(rest);
  if (name == "fixed" || name == "exp") {
    const auto time = ParseTime(rest);
    if (!time.ok()) return time.status();
    shape = name == "exp" ? Shape(Exponential{*time}) : Shape(Fixed{*time});
  }
  if (!shape.ok()) return shape.status();
  return Distribution(*std::move(shape));
}

Result<Distribution> Distribution::Recorded(std::vector<Duration> times) {
  if (times.empty()) return absl::InvalidArgumentError("there is no recorded time");
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  if (*least < Duration::zero() || *most > kLongest) {
    return absl::InvalidArgumentError("a recorded time is negative or longer than a year");
  }
  return Distribution(Shape(std::make_shared<const std::vector<Duration>>(std::move(times))));
}

Duration Distribution::Draw(Draws& draws) const {
  struct Drawer {
    Duration operator()(const Fixed& shape) const { return shape.time; }
    Duration operator()(const Uniform& shape) const {
      return shape.least + Limited(Scaled(shape.most - shape.least, draws.Share()));
    }
    Duration operator()(const Exponential& shape) const {
      return Limited(Scaled(shape.mean, -std::log(draws.Share())));
    }
    Duration operator()(const LogNormal& shape) const {
      return Limited(Scaled(shape.median, std::exp(shape.sigma * Normal(draws))));
    }
    Duration operator()(const Distribution::Times& times) const {
      return (*times)[static_cast<std::size_t>(draws.Share() * static_cast<double>(times->size()))];
    }
    Draws& draws;
  };
  return std::visit(Drawer{draws}, shape_);
}

Result<std::vector<Duration>> ParseRecorded(std::string_view text) {
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
    if (!absl::SimpleAtod(entry, &seconds) || !(seconds >= 0 && seconds <= ToSeconds(kLongest))) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", line, " is not a number of seconds from 0 to a year"));
    }
    if (times.size() == kMostRecorded) {
      return absl::InvalidArgumentError(
          absl::StrCat("more than ", kMostRecorded, " times; leave some out"));
    }
    times.push_back(FromSeconds(seconds));
  }
  return times;
}

}  // namespace twofold::nodes
