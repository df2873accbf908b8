#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/results/result_commands.h"
#include "cli/results/run_source.h"
#include "lib/show/message.h"
#include "lib/show/table.h"
#include "lib/stats/summary.h"

namespace twofold::cli {
namespace {

struct CompareOptions {
  std::string base;
  std::string now;
  std::string store;
  bool json = false;
};

/// A headline of one permutation. Two runs are compared where they have varied the same values in
/// the same way, whatever the numbers of their permutations.
struct ComparedPlace {
  std::string varied;  // as JSON with its keys in order
  std::string title;
  std::string unit;

  auto operator<=>(const ComparedPlace&) const = default;
};

struct Found {
  std::uint64_t permutation = 0;
  Json varied;
  v1::MetricResult metric;
};

using Headlines = std::map<ComparedPlace, Found>;

/// The same text for the same values, however they are ordered.
std::string KeyOf(const std::string& varied) {
  const Json json = show::Parsed(varied);
  return json.is_null() ? varied : nlohmann::json(json).dump();
}

/// "throughput direction=reverse"
std::string TitleOf(const v1::MetricResult& metric) {
  return absl::StrCat(metric.name(), " ", show::Text(show::ToJson(metric)["dimensions"]));
}

Result<Headlines> Read(RunSource& source, const std::string& run) {
  Headlines headlines;
  v1::RunResultsRequest request;
  request.set_id(run);
  const Status status = source.Results(request, [&](const v1::RunResultsReply& reply) {
    for (const v1::PermutationResult& each : reply.permutations()) {
      const Json varied = show::Parsed(each.varied());
      for (const v1::MetricResult& metric : each.headlines()) {
        headlines[{KeyOf(each.varied()), TitleOf(metric), metric.unit()}] = {each.number(), varied,
                                                                             metric};
      }
    }
  });
  if (!status.ok()) return status;
  return headlines;
}

stats::Comparison Compare(const v1::MetricResult& base, const v1::MetricResult& now) {
  const auto rate = [](const v1::MetricResult& metric) {
    return stats::MeanRate({.n = metric.n(), .mean = metric.mean(), .sd = metric.sd()});
  };
  return stats::Compare(rate(base), rate(now), 1.0);
}

/// "better", "worse", or "-": nothing that could not be chance.
std::string Change(const stats::Comparison& comparison, v1::Better better) {
  const bool more = comparison.lower > 1.0;
  const bool less = comparison.upper < 1.0;
  if (!more && !less) return "-";
  if (better == v1::BETTER_NONE) return more ? "more" : "less";
  return more == (better == v1::BETTER_HIGHER) ? "better" : "worse";
}

struct Pair {
  ComparedPlace place;
  Found base;
  Found now;
  stats::Comparison comparison;
};

std::vector<Pair> PairUp(const Headlines& base, const Headlines& now) {
  std::vector<Pair> pairs;
  for (const auto& [place, found] : base) {
    const auto other = now.find(place);
    if (other == now.end()) continue;
    pairs.push_back({place, found, other->second, Compare(found.metric, other->second.metric)});
  }
  std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
    return std::pair(a.base.permutation, a.place) < std::pair(b.base.permutation, b.place);
  });
  return pairs;
}

Json PairJson(const Pair& pair) {
  const auto side = [](const Found& found) -> Json {
    return {
        {"permutation", found.permutation}, {"n", found.metric.n()}, {"mean", found.metric.mean()}};
  };
  const bool known = std::isfinite(pair.comparison.upper);
  return {{"varied", pair.base.varied},
          {"headline", pair.base.metric.name()},
          {"dimensions", show::ToJson(pair.base.metric)["dimensions"]},
          {"unit", pair.place.unit},
          {"base", side(pair.base)},
          {"now", side(pair.now)},
          {"ratio", pair.comparison.ratio},
          {"lower", known ? Json(pair.comparison.lower) : Json()},
          {"upper", known ? Json(pair.comparison.upper) : Json()},
          {"change", Change(pair.comparison, pair.base.metric.better())}};
}

const show::Columns kPairColumns = {{"PERMUTATION", "base.permutation"},
                                    {"VARIED", "varied"},
                                    {"HEADLINE", "headline dimensions"},
                                    {"UNIT", "unit"},
                                    {"BASE", "base.mean"},
                                    {"NOW", "now.mean"},
                                    {.heading = "RATIO", .path = "ratio", .decimals = 3},
                                    {.heading = "LOWER", .path = "lower", .decimals = 3},
                                    {.heading = "UPPER", .path = "upper", .decimals = 3},
                                    {"CHANGE", "change"}};

void PrintComparison(const CompareOptions& options, const std::vector<Pair>& pairs,
                     std::size_t alone, show::Form form) {
  Json list = Json::array();
  for (const Pair& pair : pairs) list.push_back(PairJson(pair));
  if (form == show::Form::kJson) {
    std::cout << show::Line(
        {{"base", options.base}, {"now", options.now}, {"headlines", list}, {"unpaired", alone}});
    return;
  }
  std::cout << show::Print(form, kPairColumns, list);
  if (alone > 0 && form != show::Form::kCsv) {
    std::cout << alone << " headlines are in one of the runs only\n";
  }
}

Status CompareRuns(const CompareOptions& options, const Globals& globals) {
  auto source = OpenRuns(globals, options.store);
  if (!source.ok()) return source.status();
  const auto base = Read(**source, options.base);
  if (!base.ok()) return base.status();
  const auto now = Read(**source, options.now);
  if (!now.ok()) return now.status();
  const std::vector<Pair> pairs = PairUp(*base, *now);
  if (pairs.empty()) {
    return absl::NotFoundError(
        absl::StrCat("runs '", options.base, "' and '", options.now,
                     "' have no headline of the same name with the same varied values"));
  }
  PrintComparison(options, pairs, base->size() + now->size() - 2 * pairs.size(),
                  options.json ? show::Form::kJson : globals.form);
  return absl::OkStatus();
}

}  // namespace

Action BindCompare(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<CompareOptions>();
  app.add_option("BASE", options->base, "Id of the run that is compared with")->required();
  app.add_option("RUN", options->now, "Id of the run that is looked at: ratio = RUN / BASE")
      ->required();
  app.add_flag("--json", options->json, "As --output json");
  DeclareStore(app, options->store);
  return [options, &globals] { return CompareRuns(*options, globals); };
}

}  // namespace twofold::cli
