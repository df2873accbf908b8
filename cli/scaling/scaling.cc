#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <utility>

#include "cli/command/command.h"
#include "cli/scaling/series.h"
#include "lib/common/file.h"
#include "lib/common/options.h"
#include "lib/stats/growth.h"

namespace twofold::cli {
namespace {

constexpr std::size_t kMostOfTable = 64 << 20;  // of a file

struct ScalingOptions {
  std::vector<std::string> sources;
  Wanted wanted;
  std::string by;
  std::string ideal;
  results::StoreOptions store;
  double margin = stats::GrowthOptions{}.margin;
  double at = 0.0;
  bool laws = false;
  bool fail_if_issue = false;
};

/// One series and what was found of it.
struct Judged {
  Series series;
  Result<stats::Growth> growth = absl::UnknownError("");
  Result<stats::ScalingLaws> laws = absl::UnknownError("");
};

Result<std::vector<Series>> ReadSource(const std::string& name, const ScalingOptions& options,
                                       const Globals& globals) {
  const bool file = name == "-" || std::filesystem::exists(name);
  if (!options.store.is_given() && file) {
    const auto text =
        ReadFile(name == "-" ? "/dev/stdin" : name, kMostOfTable, Readable::kFilesAndPipes);
    if (!text.ok()) return text.status();
    return SeriesOfText(name, *text, options.wanted);
  }
  if (!options.store.is_given() && name.find_first_of("./") != std::string::npos) {
    return absl::NotFoundError(absl::StrCat(name, ": there is no such file"));
  }
  const auto source = OpenRuns(globals, options.store);
  if (!source.ok()) return source.status();
  const auto run = ResolveRun(**source, name);
  if (!run.ok()) return run.status();
  return SeriesOfRun(**source, *run, options.wanted);
}

/// What the series ideally does: as asked; else a throughput grows as its workers.
stats::Shape IdealOf(const Series& series, const std::string& asked) {
  if (asked == "n" || (asked.empty() && series.IsThroughput())) return stats::Shape::kLinear;
  return asked == "log" ? stats::Shape::kLog : stats::Shape::kConstant;
}

std::vector<Judged> JudgeAll(std::vector<Series> all, const ScalingOptions& options,
                             bool& corrected) {
  std::vector<Judged> judged;
  std::vector<stats::Growth> sure;
  for (Series& series : all) {
    Judged& one = judged.emplace_back();
    one.growth = stats::FitGrowth(series.points, {.margin = options.margin,
                                                  .ideal = IdealOf(series, options.ideal),
                                                  .more_is_better = series.more_is_better});
    if (series.IsThroughput()) one.laws = stats::FitScalingLaws(series.points);
    if (one.growth.ok()) sure.push_back(*one.growth);
    one.series = std::move(series);
  }
  corrected = stats::CorrectForMany(sure);
  auto next = sure.begin();
  for (Judged& one : judged) {
    if (one.growth.ok()) *one.growth = *next++;
  }
  return judged;
}

// ---- JSON, which the tables are made of

Json NumberOr(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json BoundedJson(const stats::Bounded& bounded) {
  return {{"value", NumberOr(bounded.value)},
          {"lower", NumberOr(bounded.lower)},
          {"upper", NumberOr(bounded.upper)}};
}

Json GrowthJson(const stats::Growth& growth) {
  Json json = {{"n", growth.n},
               {"sizes", growth.sizes},
               {"exponent", BoundedJson(growth.exponent)},
               {"theil_sen", growth.theil_sen},
               {"bent", growth.bent},
               {"class", stats::Name(growth.verdict)},
               {"grade", stats::GradeOf(growth)},
               {"repetitions_needed", growth.repetitions_needed},
               {"shape", stats::Name(growth.shape)}};
  if (growth.knee) {
    json["knee"] = {
        {"x", growth.knee->x}, {"before", growth.knee->before}, {"after", growth.knee->after}};
  }
  return json;
}

/// "17.3 (15.5 .. 20)"
std::string IntervalText(const stats::Bounded& bounded, int digits) {
  return absl::StrCat(show::Text(bounded.value, digits), " (", show::Text(bounded.lower, digits),
                      " .. ", show::Text(bounded.upper, digits), ")");
}

/// "no peak seen" rather than an infinity: what was not seen may still come. Where the data speak
/// against the law, its peak means nothing.
std::string PeakText(const stats::ScalingLaw& law) {
  if (law.IsContradicted()) return "contradicted";
  if (!law.Holds()) return "does not fit";
  if (law.law == stats::Law::kPlateau) {
    return absl::StrCat("levels off at ", IntervalText(law.level_from, 3));
  }
  if (law.coherency.lower <= 0.0) return "no peak seen";
  if (!law.HasPeak()) return absl::StrCat("beyond ", show::Text(2.0 * law.largest));
  return IntervalText(law.peak, 3);
}

/// Adds the throughput predicted for `at` workers, or why there is none.
void AddPrediction(const Result<stats::Bounded>& there, Json& json) {
  json["at"] = there.ok() ? BoundedJson(*there) : Json();
  json["at_text"] = there.ok() ? IntervalText(*there, 4) : std::string(there.status().message());
}

Json LawJson(const stats::ScalingLaw& law, double at) {
  Json json = {{"law", stats::Name(law.law)},
               {"rate", BoundedJson(law.rate)},
               {"contention", BoundedJson(law.contention)},
               {"coherency", BoundedJson(law.coherency)},
               {"level_from", BoundedJson(law.level_from)},
               {"level", BoundedJson(law.level)},
               {"peak", BoundedJson(law.peak)},
               {"peak_throughput", NumberOr(law.peak_throughput)},
               {"peak_text", PeakText(law)},
               {"contradicted", law.IsContradicted()},
               {"fit_p", law.fit_p ? Json(*law.fit_p) : Json()},
               {"holds", law.Holds()},
               {"efficiency", BoundedJson(law.efficiency)},
               {"scatter", law.scatter},
               {"aicc", NumberOr(law.aicc)},
               {"residuals", law.residuals}};
  if (!law.Holds()) json["peak"] = json["peak_throughput"] = Json();
  if (at > 0.0) AddPrediction(law.At(at), json);
  return json;
}

Json LawsJson(const stats::ScalingLaws& laws, double at) {
  Json list = Json::array();
  for (const stats::ScalingLaw& law : laws.laws) {
    Json json = LawJson(law, at);
    json["best"] = &law == laws.Best();
    list.push_back(std::move(json));
  }
  return list;
}

Json SeriesJson(const Judged& one, double at) {
  const Series& series = one.series;
  Json json = {{"source", series.source},
               {"name", series.name},
               {"x", series.x},
               {"unit", series.unit},
               {"better", series.more_is_better ? "higher" : "lower"}};
  if (series.overlapped > 0) json["overlapped"] = series.overlapped;
  if (one.growth.ok()) {
    json.update(GrowthJson(*one.growth));
  } else {
    json["class"] = std::string(one.growth.status().message());
  }
  if (one.laws.ok()) {
    json["laws"] = LawsJson(*one.laws, at);
    json["refused"] = one.laws->refused;
    json["laws_class"] = stats::Name(one.laws->verdict);
    if (at > 0.0) AddPrediction(one.laws->At(at), json);
  } else if (series.IsThroughput()) {
    json["laws"] = Json::array();
    json["refused"] = {std::string(one.laws.status().message())};
  }
  return json;
}

// ---- tables

const show::Columns kGrowthColumns = {
    {"SOURCE", "source"},
    {"SERIES", "name"},
    {"BY", "x"},
    {"SIZES", "sizes"},
    {"N", "n"},
    {.heading = "EXPONENT", .path = "exponent.value", .decimals = 2},
    {.heading = "FROM", .path = "exponent.lower", .decimals = 2},
    {.heading = "TO", .path = "exponent.upper", .decimals = 2},
    {.heading = "MEDIAN", .path = "theil_sen", .decimals = 2},
    {"CLASS", "class"},
    {.heading = "GRADE", .path = "grade", .if_any = true},
    {"SHAPE", "shape"},
    {.heading = "KNEE", .path = "knee.x", .if_any = true},
    {.heading = "REPETITIONS NEEDED", .path = "repetitions_needed", .if_any = true}};

const show::Columns kLawColumns = {
    {"SOURCE", "source"},
    {"SERIES", "name"},
    {"LAW", "law"},
    {"BEST", "best"},
    {.heading = "RATE OF 1", .path = "rate.value", .digits = 4},
    {.heading = "CONTENTION", .path = "contention.value", .decimals = 4},
    {.heading = "FROM", .path = "contention.lower", .decimals = 4},
    {.heading = "TO", .path = "contention.upper", .decimals = 4},
    {.heading = "COHERENCY", .path = "coherency.value", .decimals = 5},
    {.heading = "FROM", .path = "coherency.lower", .decimals = 5},
    {.heading = "TO", .path = "coherency.upper", .decimals = 5},
    {"PEAK AT", "peak_text"},
    {.heading = "EFFICIENCY", .path = "efficiency.value", .decimals = 3},
    {.heading = "SCATTER %", .path = "scatter", .decimals = 2, .scale = 100},
    {.heading = "FIT P", .path = "fit_p", .decimals = 3},
    {.heading = "AICC", .path = "aicc", .decimals = 1},
    {.heading = "THROUGHPUT THERE", .path = "at_text", .if_any = true}};

/// A row a law, with its series.
Json LawRows(const Json& all) {
  Json rows = Json::array();
  for (const Json& series : all) {
    if (!series.contains("laws")) continue;
    for (Json law : series["laws"]) {
      law["source"] = series["source"];
      law["name"] = series["name"];
      rows.push_back(std::move(law));
    }
  }
  return rows;
}

std::string Notes(const Json& all, bool corrected, double margin) {
  std::string notes = absl::StrCat("close: the exponent is certainly under ", show::Text(margin),
                                   "; scalability issue: certainly above; possible: not decided\n");
  if (corrected) {
    const auto judged = std::count_if(all.begin(), all.end(),
                                      [](const Json& one) { return one.contains("exponent"); });
    absl::StrAppend(&notes, judged, " series: at most 5 % of the decided ones are chance",
                    " (Benjamini-Hochberg)\n");
  }
  for (const Json& series : all) {
    if (series.contains("overlapped")) {
      absl::StrAppend(&notes, show::Text(series["name"]), ": ", show::Text(series["overlapped"]),
                      " values are of jobs that overlapped with others of their run: they may have"
                      " measured each other\n");
    }
    if (!series.contains("refused")) continue;
    for (const Json& refused : series["refused"]) {
      absl::StrAppend(&notes, show::Text(series["name"]), ": ", show::Text(refused), "\n");
    }
    if (series.contains("at_text")) {
      absl::StrAppend(&notes, show::Text(series["name"]),
                      " there, by all laws that hold: ", show::Text(series["at_text"]), "\n");
    }
    if (series.contains("laws_class")) {
      absl::StrAppend(&notes, show::Text(series["name"]),
                      " by its law: ", show::Text(series["laws_class"]), "\n");
    }
  }
  return notes;
}

void Print(const Json& all, bool corrected, const ScalingOptions& options, show::Form form) {
  if (form == show::Form::kJson) {
    std::cout << show::Line(
        {{"series", all}, {"margin", options.margin}, {"corrected", corrected}});
    return;
  }
  const Json laws = LawRows(all);
  if (!options.laws) std::cout << show::Print(form, kGrowthColumns, all);
  if (form == show::Form::kCsv && !options.laws) return;
  if (!laws.empty() || options.laws) {
    if (!options.laws) std::cout << "\n";
    std::cout << show::Print(form, kLawColumns, laws);
  }
  if (form != show::Form::kCsv)
    std::cout << "\n" << show::Beneath(form, Notes(all, corrected, options.margin));
}

/// "0.45 (0.4 to 0.5)"
std::string BoundedText(const Json& bounded) {
  const auto text = [&](const char* key) { return show::Text(bounded[key], 3); };
  return absl::StrCat(text("value"), " (", text("lower"), " to ", text("upper"), ")");
}

/// Why it is one, by its growth or by its law; empty: it is none.
std::string IssueText(const Json& series, double margin) {
  const std::string issue(stats::Name(stats::ScalingClass::kIssue));
  if (series["class"] == issue) {
    return absl::StrCat("its exponent beside the ideal is ", BoundedText(series["exponent"]),
                        ", margin ", show::Text(margin));
  }
  if (series.value("laws_class", "") != issue) return {};
  for (const Json& law : series["laws"]) {
    if (!law["best"].get<bool>()) continue;
    return absl::StrCat("by the law ", show::Text(law["law"]), " its efficiency is ",
                        BoundedText(law["efficiency"]),
                        ", and of its peak: ", show::Text(law["peak_text"]));
  }
  return "by its law";
}

/// Whether neither a growth nor a law could be fitted: too few sizes, say.
bool HasNoVerdict(const Json& series) {
  return !series.contains("exponent") && !series.contains("laws_class");
}

Status FailIfIssue(const Json& all, double margin) {
  std::vector<std::string> issues;
  std::vector<std::string> unknown;
  for (const Json& series : all) {
    const std::string name = show::Text(series["name"]);
    const std::string why = IssueText(series, margin);
    if (!why.empty()) issues.push_back(absl::StrCat(name, ", ", why));
    if (HasNoVerdict(series))
      unknown.push_back(absl::StrCat(name, ", ", show::Text(series["class"])));
  }
  if (!issues.empty()) {
    return absl::InternalError(
        absl::StrCat("--fail-if issue: scalability issue: ", absl::StrJoin(issues, "; ")));
  }
  if (unknown.empty()) return absl::OkStatus();
  return EndWith(kExitUndecided, absl::StrCat("--fail-if issue: it cannot be judged: ",
                                              absl::StrJoin(unknown, "; ")));
}

/// Errors   kInvalidArgument: a prediction is asked for, and no series can have a law.
Status CheckAt(const Json& all, const ScalingOptions& options) {
  const bool none = std::none_of(all.begin(), all.end(), [](const Json& series) {
    return series.contains("laws") || series.contains("refused");
  });
  if (options.at <= 0.0 || !none) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "--at: no series is a throughput by workers, so no law predicts it; a CSV whose higher "
      "values are better takes --higher");
}

Status Scaling(ScalingOptions options, const Globals& globals) {
  options.wanted.by = absl::StrSplit(options.by, ',', absl::SkipEmpty());
  std::vector<Series> all;
  for (const std::string& name : options.sources) {
    auto some = ReadSource(name, options, globals);
    if (!some.ok()) return some.status();
    std::move(some->begin(), some->end(), std::back_inserter(all));
  }
  bool corrected = false;
  Json json = Json::array();
  for (const Judged& one : JudgeAll(std::move(all), options, corrected)) {
    json.push_back(SeriesJson(one, options.at));
  }
  const Status status = CheckAt(json, options);
  if (!status.ok()) return status;
  Print(json, corrected, options, globals.form);
  return options.fail_if_issue ? FailIfIssue(json, options.margin) : absl::OkStatus();
}

Action BindScaling(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<ScalingOptions>();
  app.add_option("SOURCE", options->sources,
                 "A CSV with named columns, the JSON of a validation, - for either on standard "
                 "input; else the id of a run, or @last")
      ->required();
  app.add_option(
      "--x", options->wanted.x,
      "The size: a column, a field that the run varies, or what rows of its series are "
      "by. If not given: the only number there is; of a CSV workers, nodes, ranks, size");
  app.add_option("--y", options->wanted.y,
                 "The value: a column, or a headline or series; all of a run if not given");
  app.add_option("--by", options->by, "Columns of a CSV that tell series apart")
      ->type_name("COLUMN,...");
  app.add_flag("--higher", options->wanted.more_is_better,
               "Higher values of a CSV are better; lower ones if not given");
  app.add_option("--ideal", options->ideal,
                 "How the value ideally goes with the size. If not given: n for a throughput by "
                 "workers, else constant")
      ->check(CLI::IsMember({"constant", "log", "n"}));
  app.add_option("--margin", options->margin,
                 "Exponents beside the ideal up to this are close: 0.1 is 7 % for twice the size")
      ->check(CLI::Range(0.001, 10.0))
      ->capture_default_str();
  app.add_option("--at", options->at,
                 "Also the throughput that each law which holds predicts for so many workers, with "
                 "its 95 % interval; refused beyond twice the most that were measured")
      ->check(CLI::Range(1.0, 1e9));
  app.add_flag("--laws", options->laws, "Only the table of laws, as for --output csv");
  app.add_option_function<std::string>(
         "--fail-if", [options](const std::string&) { options->fail_if_issue = true; },
         "issue: exit with 1 if there is a scalability issue")
      ->check(CLI::IsMember({"issue"}));
  DeclareStore(app, options->store);
  return [options, &globals] { return Scaling(*options, globals); };
}

}  // namespace

std::vector<Command> ScalingCommands() {
  return {{"scaling",
           "How numbers grow with size: exponents with intervals, laws of throughput",
           "twofold scaling times.csv --x nodes --y seconds --by bench",
           BindScaling,
           Prints::kTable,
           true,
           {kExitNotFound, kExitNoAnswer, kExitRefused, kExitUndecided}}};
}

}  // namespace twofold::cli
