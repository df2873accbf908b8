#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <array>
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/results/results.h"
#include "lib/common/printable.h"
#include "lib/show/message.h"
#include "lib/show/table.h"
#include "lib/stats/summary.h"

namespace twofold::cli {
namespace {

struct CompareOptions {
  std::string base;
  std::string now;
  std::string store;
  std::string base_store;
  std::string fail_if;
  bool base_may_be_missing = false;
  bool json = false;
};

/// What --fail-if says: "worse", beyond chance; or "worse>20%", by the means alone.
struct Limit {
  std::optional<double> percent;
};

/// A headline of one permutation.
struct Found {
  std::uint64_t permutation = 0;
  Json varied;
  v1::MetricResult metric;
};

Result<Limit> ReadLimit(const std::string& text) {
  constexpr std::string_view kWorse = "worse>";
  if (text == "worse") return Limit{};
  Limit limit{.percent = 0.0};
  if (text.starts_with(kWorse) && text.ends_with('%') &&
      absl::SimpleAtod(text.substr(kWorse.size(), text.size() - kWorse.size() - 1),
                       &*limit.percent) &&
      std::isfinite(*limit.percent) && *limit.percent >= 0) {
    return limit;
  }
  return absl::InvalidArgumentError(absl::StrCat("--fail-if: '", Printable(text, 80),
                                                 "' is neither worse nor of the form worse>20%"));
}

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

/// By how many percent the mean has become worse; negative: better.
double LossOf(double ratio, v1::Better better) {
  return 100.0 * (better == v1::BETTER_HIGHER ? 1.0 - ratio : ratio - 1.0);
}

Json PairJson(const Found& base, const Found& now) {
  const stats::Comparison comparison = Compare(base.metric, now.metric);
  const auto side = [](const Found& found) -> Json {
    return {
        {"permutation", found.permutation}, {"n", found.metric.n()}, {"mean", found.metric.mean()}};
  };
  const bool known = std::isfinite(comparison.upper);
  const double ratio = comparison.ratio;
  return {{"varied", base.varied},
          {"headline", base.metric.name()},
          {"dimensions", show::ToJson(base.metric)["dimensions"]},
          {"unit", base.metric.unit()},
          {"base", side(base)},
          {"now", side(now)},
          {"ratio", ratio},
          {"lower", known ? Json(comparison.lower) : Json()},
          {"upper", known ? Json(comparison.upper) : Json()},
          {"loss_percent", base.metric.better() == v1::BETTER_NONE || !std::isfinite(ratio)
                               ? Json()
                               : Json(LossOf(ratio, base.metric.better()))},
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

/// Headlines of a run of a store; `id` becomes its id.
Result<Headlines> ReadFrom(const Globals& globals, const std::string& store, std::string& id) {
  auto source = OpenRuns(globals, store);
  if (!source.ok()) return source.status();
  const auto run = ResolveRun(**source, id);
  if (!run.ok()) return run.status();
  id = *run;
  return Read(**source, id);
}

bool IsWorse(const Json& pair, const Limit& limit) {
  if (!limit.percent) return pair["change"] == "worse";
  const Json& loss = pair["loss_percent"];
  return loss.is_number() && loss.get<double>() > *limit.percent;
}

/// `base` and `pairs`: what the earlier run has, and what of that the later one has, too. A
/// headline that it has no more is worse than any number: so many workloads never came, say.
Status CheckLimit(const Limit& limit, std::size_t base, const Json& pairs) {
  std::vector<std::string> worse;
  for (const Json& pair : pairs) {
    if (!IsWorse(pair, limit)) continue;
    worse.push_back(absl::StrCat(show::Text(pair["headline"]), " ", show::Text(pair["dimensions"]),
                                 " (ratio ", show::Text(pair["ratio"]), ")"));
  }
  if (!worse.empty()) {
    return absl::InternalError(absl::StrCat("--fail-if: worse: ", absl::StrJoin(worse, ", ")));
  }
  if (base == pairs.size()) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("--fail-if: ", base - pairs.size(), " headlines of BASE are not in RUN"));
}

Status CompareRuns(CompareOptions options, const Globals& globals) {
  const Result<Limit> limit =
      options.fail_if.empty() ? Result<Limit>(Limit{}) : ReadLimit(options.fail_if);
  if (!limit.ok()) return limit.status();
  const auto now = ReadFrom(globals, options.store, options.now);
  if (!now.ok()) return now.status();
  const auto base = ReadFrom(
      globals, options.base_store.empty() ? options.store : options.base_store, options.base);
  if (absl::IsNotFound(base.status()) && options.base_may_be_missing) {
    std::cerr << "nothing to compare with: " << base.status().message() << "\n";
    return absl::OkStatus();
  }
  if (!base.ok()) return base.status();
  const Json pairs = PairUp(*base, *now);
  if (pairs.empty()) {
    return absl::NotFoundError(
        absl::StrCat("runs '", options.base, "' and '", options.now,
                     "' have no headline of the same name with the same varied values"));
  }
  PrintComparison(options, pairs, base->size() + now->size() - 2 * pairs.size(),
                  options.json ? show::Form::kJson : globals.form);
  return options.fail_if.empty() ? absl::OkStatus() : CheckLimit(*limit, base->size(), pairs);
}

}  // namespace

Action BindCompare(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<CompareOptions>();
  app.add_option("BASE", options->base, "Id of the run that is compared with; @last: the newest")
      ->required();
  app.add_option("RUN", options->now,
                 "Id of the run that is looked at, or @last: ratio = RUN / BASE")
      ->required();
  app.add_option("--base-store", options->base_store, "Read BASE from this file")
      ->type_name("FILE");
  app.add_flag("--base-may-be-missing", options->base_may_be_missing,
               "Succeed if there is no BASE, as on the first night");
  app.add_option(
         "--fail-if", options->fail_if,
         "worse: fail if a headline is worse beyond chance; worse>20%: if its mean is by so "
         "much, for runs with one value. Also if a headline of BASE is not in RUN")
      ->type_name("WHAT");
  app.add_flag("--json", options->json, "As --output json");
  DeclareStore(app, options->store);
  return [options, &globals] { return CompareRuns(*options, globals); };
}

}  // namespace twofold::cli
