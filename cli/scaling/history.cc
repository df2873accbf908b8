#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <utility>

#include "cli/command/command.h"
#include "cli/results/run_source.h"
#include "lib/common/options.h"
#include "lib/show/message.h"
#include "lib/stats/many.h"
#include "lib/stats/trend.h"

namespace twofold::cli {
namespace {

constexpr std::size_t kMostRuns = 1000;  // finding changes costs the square of it

struct HistoryOptions {
  std::string headline;
  std::string name;
  results::StoreOptions store;
  std::size_t last = 100;
  double least_percent = 0.0;
  double risk = stats::TrendOptions{}.risk;
  bool fail_if_change = false;
};

/// A headline of one permutation in one run.
struct Point {
  const v1::Run* run = nullptr;
  v1::MetricResult metric;
};

/// The same headline in all runs, by what is varied, its dimensions and its unit; the oldest first.
using Histories = std::map<std::string, std::vector<Point>>;

/// The newest runs of that name, the oldest of them first.
Result<std::vector<v1::Run>> NewestRuns(RunSource& source, const HistoryOptions& options) {
  std::vector<v1::Run> runs;
  v1::ListRunsRequest request;
  request.set_page_size(200);
  do {
    auto reply = source.List(request);
    if (!reply.ok()) return reply.status();
    for (v1::Run& run : *reply->mutable_runs()) {
      const bool named = options.name.empty() || run.name() == options.name;
      if (named && runs.size() < options.last) runs.push_back(std::move(run));
    }
    request.set_page_token(reply->next_page_token());
  } while (!request.page_token().empty() && runs.size() < options.last);
  std::reverse(runs.begin(), runs.end());
  if (!runs.empty()) return runs;
  return absl::NotFoundError(
      options.name.empty()
          ? "there is no run"
          : absl::StrCat("--name: no run has the name '", options.name, "'; see `twofold runs`"));
}

/// "throughput direction=forward, streams=2, Gbit/s"
std::string TitleOf(const Json& varied, const v1::MetricResult& metric) {
  std::string title = metric.name();
  for (const Json& fields : {show::ToJson(metric)["dimensions"], varied}) {
    const std::string text = show::Text(fields);
    if (!text.empty()) absl::StrAppend(&title, " ", text);
  }
  return metric.unit().empty() ? title : absl::StrCat(title, ", ", metric.unit());
}

Status AddRun(RunSource& source, const v1::Run& run, const std::string& headline,
              Histories& histories) {
  v1::RunResultsRequest request;
  request.set_id(run.id());
  return source.Results(request, [&](const v1::RunResultsReply& reply) {
    for (const v1::PermutationResult& each : reply.permutations()) {
      const Json varied(show::Parsed(each.varied()));
      for (const v1::MetricResult& metric : each.headlines()) {
        if (metric.name() != headline || metric.n() == 0) continue;
        // Keys in their order: the same values are the same, however they were written.
        histories[TitleOf(nlohmann::json(varied), metric)].push_back({&run, metric});
      }
    }
  });
}

/// "better", "worse"; "changed" if neither way is.
std::string WordFor(double change, v1::Better better) {
  if (better == v1::BETTER_NONE) return "changed";
  return (change > 0.0) == (better == v1::BETTER_HIGHER) ? "better" : "worse";
}

std::vector<double> MeansOf(const std::vector<Point>& points) {
  std::vector<double> values;
  for (const Point& point : points) values.push_back(point.metric.mean());
  return values;
}

/// How rarely chance shows a change of the level as sure as the surest one; 1: there is none.
double SurestOf(const std::vector<stats::Segment>& segments) {
  double surest = 1.0;
  for (const stats::Segment& segment : segments) {
    if (segment.changed == stats::Changed::kLevel) surest = std::min(surest, segment.p);
  }
  return surest;
}

/// Each history with how many times a p of it counts, since so many were asked at once (Benjamini
/// and Hochberg).
std::vector<double> FactorsOf(const Histories& histories, const stats::TrendOptions& options) {
  std::vector<double> p;
  for (const auto& [title, points] : histories) {
    p.push_back(SurestOf(stats::FindChanges(MeansOf(points), options)));
  }
  std::vector<double> factors = stats::AdjustedForShare(p);
  for (std::size_t i = 0; i < p.size(); ++i) factors[i] /= p[i];
  return factors;
}

void AddChange(const stats::Segment& segment, double factor, v1::Better better, Json& row) {
  row["change"] =
      segment.changed == stats::Changed::kScatter ? "scatter" : WordFor(segment.change, better);
  row["change_percent"] = std::isfinite(segment.change) ? Json(100.0 * segment.change) : Json();
  row["p"] = std::min(1.0, factor * segment.p);
}

/// The rows of one history: a run each, changes at the first run of the new level.
Json RowsOf(const std::string& title, const std::vector<Point>& points, double factor,
            stats::TrendOptions options) {
  options.risk /= factor;
  Json rows = Json::array();
  for (const stats::Segment& segment : stats::FindChanges(MeansOf(points), options)) {
    for (std::size_t i = segment.first; i < segment.first + segment.size; ++i) {
      const Point& point = points[i];
      Json row = {{"headline", title},
                  {"run", point.run->id()},
                  {"created_unix_seconds", show::ToJson(*point.run)["created_unix_seconds"]},
                  {"n", point.metric.n()},
                  {"mean", point.metric.mean()},
                  {"level", segment.mean}};
      if (i == segment.first && i > 0) AddChange(segment, factor, point.metric.better(), row);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

const show::Columns kHistoryColumns = {{"HEADLINE", "headline"},
                                       {"RUN", "run"},
                                       {"BEGUN (UTC)", "created_unix_seconds"},
                                       {"N", "n"},
                                       {"MEAN", "mean"},
                                       {"LEVEL", "level"},
                                       {"CHANGE", "change"},
                                       {.heading = "BY %", .path = "change_percent", .decimals = 1},
                                       {.heading = "P", .path = "p", .decimals = 4}};

/// "throughput, Gbit/s: worse by 12 % since run nightly-31"
std::string ChangeText(const Json& row) {
  Json percent = row["change_percent"];
  if (percent.is_number() && row["change"] != "changed" && row["change"] != "scatter") {
    percent = std::abs(percent.get<double>());
  }
  return absl::StrCat(show::Text(row["headline"]), ": ", show::Text(row["change"]), " by ",
                      percent.is_number() ? show::Text(percent.get<double>(), 3) : "?",
                      " % since run ", show::Text(row["run"]));
}

/// Of the level, or of the scatter alone.
std::vector<std::string> ChangesOf(const Json& rows, bool of_scatter) {
  std::vector<std::string> changes;
  for (const Json& row : rows) {
    if (!row.contains("change") || (row["change"] == "scatter") != of_scatter) continue;
    changes.push_back(ChangeText(row));
  }
  return changes;
}

/// Whether so many values would show a change if one half were one level and the rest another.
bool CanShowAChange(std::size_t values, const stats::TrendOptions& options) {
  std::vector<double> step(values);
  for (std::size_t i = 0; i < values; ++i) {
    step[i] = (2 * i < values ? 1.0 : 2.0) + 1e-6 * static_cast<double>(i);
  }
  return stats::FindChanges(step, options).size() > 1;
}

/// Whether even the longest history could not show a change.
bool AreTooFew(const Histories& histories, double risk) {
  std::size_t most = 0;
  for (const auto& [title, points] : histories) most = std::max(most, points.size());
  return !CanShowAChange(most, {.risk = risk, .finest = risk});
}

std::string NoChangeText(std::size_t runs, bool too_few) {
  return absl::StrCat("no change in ", runs, runs == 1 ? " run" : " runs",
                      too_few ? ", but so few could not show one" : "");
}

Status FailIfChange(const std::vector<std::string>& changes, std::size_t runs, bool too_few) {
  if (!changes.empty()) {
    return absl::InternalError(absl::StrCat("--fail-if change: ", absl::StrJoin(changes, "; ")));
  }
  if (!too_few) return absl::OkStatus();
  return EndWith(kExitUndecided, "--fail-if change: " + NoChangeText(runs, too_few));
}

/// Errors   kInvalidArgument: no number of runs could show a change at the risk asked for.
Result<stats::TrendOptions> TrendOptionsOf(const HistoryOptions& options, std::size_t histories) {
  const double finest = options.risk / static_cast<double>(histories);
  if (finest >= stats::kLeastRisk) {
    return stats::TrendOptions{
        .risk = options.risk, .least = options.least_percent / 100.0, .finest = finest};
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--risk: ", show::Text(options.risk), " over ", histories, " headlines asks for chances of ",
      show::Text(finest, 2), " each, and none is told below ", show::Text(stats::kLeastRisk, 2),
      "; ask for more risk or fewer headlines"));
}

Status History(const HistoryOptions& options, const Globals& globals) {
  const auto source = OpenRuns(globals, options.store);
  if (!source.ok()) return source.status();
  const auto runs = NewestRuns(**source, options);
  if (!runs.ok()) return runs.status();
  Histories histories;
  for (const v1::Run& run : *runs) {
    const Status status = AddRun(**source, run, options.headline, histories);
    if (!status.ok()) return status;
  }
  if (histories.empty()) {
    return absl::NotFoundError(absl::StrCat("HEADLINE: none of ", runs->size(),
                                            " runs has a headline '", options.headline,
                                            "'; `twofold results` shows which there are"));
  }
  const auto trend = TrendOptionsOf(options, histories.size());
  if (!trend.ok()) return trend.status();
  Json rows = Json::array();
  const std::vector<double> factors = FactorsOf(histories, *trend);
  auto next = factors.begin();
  for (const auto& [title, points] : histories) {
    for (Json& row : RowsOf(title, points, *next++, *trend)) rows.push_back(std::move(row));
  }
  const std::vector<std::string> changes = ChangesOf(rows, false);
  const std::vector<std::string> scatters = ChangesOf(rows, true);
  const bool too_few = AreTooFew(histories, trend->finest);
  if (globals.json()) {
    std::cout << show::Line({{"rows", rows},
                             {"changes", changes},
                             {"scatter_changes", scatters},
                             {"risk", options.risk}});
  } else {
    std::cout << show::Print(globals.form, kHistoryColumns, rows);
  }
  if (globals.form == show::Form::kText || globals.form == show::Form::kMarkdown) {
    for (const std::string& change : changes)
      std::cout << show::Beneath(globals.form, change + "\n");
    for (const std::string& scatter : scatters)
      std::cout << show::Beneath(globals.form, scatter + "\n");
    if (changes.empty()) std::cout << NoChangeText(runs->size(), too_few) << "\n";
  }
  return options.fail_if_change ? FailIfChange(changes, runs->size(), too_few) : absl::OkStatus();
}

Action BindHistory(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<HistoryOptions>();
  app.add_option("HEADLINE", options->headline, "Its name, as `twofold results` shows it")
      ->required();
  app.add_option("--name", options->name, "Only runs of this name")->type_name("RUN_NAME");
  AddOption(app, "--last", options->last, WholeNumber(1, kMostRuns), "So many of the newest runs");
  app.add_option("--least", options->least_percent, "Changes by a smaller percentage are none")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  app.add_option("--risk", options->risk,
                 "The chance to show any change of a level where there is none, over all headlines "
                 "together; and as much of scatter, for each headline")
      ->check(CLI::Range(0.0001, 0.5))
      ->capture_default_str();
  app.add_option_function<std::string>(
         "--fail-if", [options](const std::string&) { options->fail_if_change = true; },
         "change: exit with 1 if there is a change of a level, 9 if so few runs could not show one")
      ->check(CLI::IsMember({"change"}));
  DeclareStore(app, options->store);
  return [options, &globals] { return History(*options, globals); };
}

}  // namespace

std::vector<Command> HistoryCommands() {
  return {{"history",
           "A headline over the runs of a store, and when it changed",
           "twofold history throughput --name nightly --last 50",
           BindHistory,
           Prints::kTable,
           true,
           {kExitNotFound, kExitNoAnswer, kExitRefused, kExitUndecided}}};
}

}  // namespace twofold::cli
