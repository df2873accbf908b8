#include "suites/osu/columns.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "lib/suite/text.h"

namespace twofold::suite::osu {
namespace {

using enum Better;

struct Known {
  std::string_view heading;
  const char* name;
  const char* unit;
  Better better;
  bool primary;
};

constexpr Known kKnown[] = {
    {"Size", "size", "B", kNone, false},
    {"Avg Latency(us)", "latency", "us", kLower, true},
    {"Latency (us)", "latency", "us", kLower, true},
    {"Latency(us)", "latency", "us", kLower, true},
    {"Min Latency(us)", "latency_min", "us", kLower, false},
    {"Max Latency(us)", "latency_max", "us", kLower, false},
    {"Iterations", "iterations", "", kNone, false},
    {"Bandwidth (MB/s)", "bandwidth", "MB/s", kHigher, true},
    {"Bandwidth(MB/s)", "bandwidth", "MB/s", kHigher, true},
    {"MB/s", "bandwidth", "MB/s", kHigher, true},
    {"Messages/s", "message_rate", "1/s", kHigher, true},
    {"Overall(us)", "overall", "us", kLower, true},
    {"Compute(us)", "compute", "us", kNone, false},
    {"Coll. Init(us)", "init", "us", kLower, false},
    {"MPI_Test(us)", "test", "us", kLower, false},
    {"MPI_Wait(us)", "wait", "us", kLower, false},
    {"Pure Comm.(us)", "communication", "us", kLower, false},
    {"Min Comm.(us)", "communication_min", "us", kLower, false},
    {"Max Comm.(us)", "communication_max", "us", kLower, false},
    {"Overlap(%)", "overlap", "%", kHigher, false},
};

constexpr std::string_view kValidation = "Validation";

// "P99 Tail Lat(us)", "P99 Tail BW(MB/s)".
std::optional<OsuColumn> TakePercentile(std::string_view& text) {
  std::string_view rest = text;
  if (!rest.starts_with('P')) return std::nullopt;
  rest.remove_prefix(1);
  const auto percent = TakeNumber(rest);
  if (!percent) return std::nullopt;
  const std::string suffix = absl::StrCat("_p", NumberText(*percent));
  for (const auto& [heading, name, unit, better] :
       {std::tuple{" Tail Lat(us)", "latency", "us", kLower},
        std::tuple{" Tail BW(MB/s)", "bandwidth", "MB/s", kHigher}}) {
    if (const auto after = After(rest, heading)) {
      text = *after;
      return OsuColumn{{name + suffix, unit, better}};
    }
  }
  return std::nullopt;
}

std::optional<OsuColumn> Take(std::string_view& text) {
  if (const auto after = After(text, kValidation)) {
    text = *after;
    return OsuColumn{{"validation", "", kNone}, false, true};
  }
  for (const Known& known : kKnown) {
    if (const auto after = After(text, known.heading)) {
      text = *after;
      return OsuColumn{{known.name, known.unit, known.better}, known.primary};
    }
  }
  return TakePercentile(text);
}

}  // namespace

std::optional<std::vector<OsuColumn>> ReadHeading(std::string_view text) {
  std::vector<OsuColumn> columns;
  for (text = Strip(text); !text.empty(); text = Strip(text)) {
    auto column = Take(text);
    if (!column) return std::nullopt;
    columns.push_back(*std::move(column));
  }
  if (columns.empty()) return std::nullopt;
  return columns;
}

}  // namespace twofold::suite::osu
