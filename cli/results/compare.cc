#include <absl/strings/str_cat.h>

#include <array>
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "cli/results/results.h"
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

/// A headline of one permutation.
struct Found {
  std::uint64_t permutation = 0;
  Json varied;
  v1::MetricResult metric;
};

/// Two runs are compared where they have varied the same values in the same way, whatever the
/// numbers of their permutations: by these values as JSON with its keys in order, title and unit.
using Headlines = std::map<std::array<std::string, 3>, Found>;

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

Json PairJson(const Found& base, const Found& now) {
  const stats::Comparison comparison = Compare(base.metric, now.metric);
  const auto side = [](const Found& found) -> Json {
    return {
        {"permutation", found.permutation}, {"n", found.metric.n()}, {"mean", found.metric.mean()}};
  };
  const bool known = std::isfinite(comparison.upper);
  return {{"varied", base.varied},
          {"headline", base.metric.name()},
          {"dimensions", show::ToJson(base.metric)["dimensions"]},
          {"unit", base.metric.unit()},
          {"base", side(base)},
          {"now", side(now)},
          {"ratio", comparison.ratio},
          {"lower", known ? Json(comparison.lower) : Json()},
          {"upper", known ? Json(comparison.upper) : Json()},
          {"change", Change(comparison, base.metric.better())}};
}

/// What both have, by the permutations of `base`.
Json PairUp(const Headlines& base, const Headlines& now) {
  std::multimap<std::uint64_t, Json> pairs;
  for (const auto& [key, found] : base) {
    const auto other = now.find(key);
    if (other == now.end()) continue;
    pairs.emplace(found.permutation, PairJson(found, other->second));
  }
  Json list = Json::array();
  for (auto& [permutation, pair] : pairs) list.push_back(std::move(pair));
  return list;
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

void PrintComparison(const CompareOptions& options, const Json& pairs, std::size_t alone,
                     show::Form form) {
  if (form == show::Form::kJson) {
    std::cout << show::Line(
        {{"base", options.base}, {"now", options.now}, {"headlines", pairs}, {"unpaired", alone}});
    return;
  }
  std::cout << show::Print(form, kPairColumns, pairs);
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
  const Json pairs = PairUp(*base, *now);
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
