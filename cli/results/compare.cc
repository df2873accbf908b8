#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/strip.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/results/needed.h"
#include "cli/results/results.h"
#include "lib/common/instant.h"
#include "lib/common/printable.h"
#include "lib/show/message.h"
#include "lib/show/table.h"
#include "lib/stats/change.h"
#include "lib/stats/many.h"
#include "lib/stats/power.h"
#include "lib/stats/repetitions.h"
#include "lib/words/change.h"
#include "lib/words/machine.h"
#include "lib/words/run_state.h"

namespace twofold::cli {
namespace {

struct CompareOptions {
  std::string base;
  std::string now;
  results::StoreOptions store;
  std::string base_store;
  std::string fail_if;
  std::string statistic = "mean";
  std::string correction = "bh";
  bool base_may_be_missing = false;
  bool json = false;
  bool csv = false;
};

/// What --fail-if says: "worse", beyond chance; "worse:5%", that and by so much; "worse>20%", by so
/// much whether by chance or not.
struct WorseLimit {
  double percent = -std::numeric_limits<double>::infinity();
  bool beyond_chance = true;
};

/// A headline of one permutation.
struct Found {
  std::uint64_t permutation = 0;
  Json varied;
  v1::MetricResult metric;
  std::vector<double> values = {};  ///< of the jobs that count, if medians are compared
};

struct Comparison {
  Json pairs;                              ///< an object a headline that both runs have
  std::size_t alone = 0;                   ///< headlines that one of them has
  std::vector<UnlikeMachine> unlike = {};  ///< of all pairs: what may have made a change
  /// From the end of the run that was made first to the begin of the other one; nullopt: they were
  /// made at the same time, or it is not known.
  std::optional<double> seconds_apart = {};
};

Result<WorseLimit> ReadLimit(const std::string& text) {
  constexpr std::string_view kWorse = "worse";
  if (text == kWorse) return WorseLimit{};
  WorseLimit limit{.percent = 0.0};
  const std::size_t number = kWorse.size() + 1;
  if ((text.starts_with("worse>") || text.starts_with("worse:")) && text.ends_with('%') &&
      absl::SimpleAtod(text.substr(number, text.size() - number - 1), &limit.percent) &&
      std::isfinite(limit.percent) && limit.percent >= 0) {
    limit.beyond_chance = text[kWorse.size()] == ':';
    return limit;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--fail-if: '", Printable(text, 80),
                   "' is neither worse nor of the form worse:5% or worse>20%"));
}

/// By what is varied, as show::WithKeysInOrder has it.
using Machines = std::map<std::string, MachineMeans>;

/// Two runs are compared where they have varied the same values in the same way, whatever the
/// numbers of their permutations: by these values as JSON with its keys in order, title and unit.
using Headlines = std::map<std::array<std::string, 3>, Found>;

/// What of a run is compared.
struct Side {
  v1::Run run;
  Headlines headlines;
  Machines machines;
};

/// "throughput direction=reverse", of a MetricResult or a Measurement.
template <typename Metric>
std::string TitleOf(const Metric& metric) {
  return absl::StrCat(metric.name(), " ", show::Text(show::ToJson(metric)["dimensions"]));
}

/// Adds the jobs of a permutation, whose key begins with `varied`: what their machines did, and
/// their values to its headlines.
void AddJobs(const v1::PermutationResult& permutation, const std::string& varied, bool values,
             Side& side) {
  for (const v1::JobResult& job : permutation.jobs()) {
    if (!Counts(job)) continue;
    for (const v1::Measurement& measured : job.measurements()) {
      side.machines[varied].Add(measured);
      if (!values || !measured.headline()) continue;
      const auto found = side.headlines.find({varied, TitleOf(measured), measured.unit()});
      if (found != side.headlines.end()) found->second.values.push_back(measured.value());
    }
  }
}

/// As the means of a run that `until` has stopped do.
void LeaveOutWarmUp(Found& found) {
  if (!found.metric.looked()) return;
  const std::size_t warm_up = stats::WarmUpOfRepetitions(found.values);
  found.values.erase(found.values.begin(),
                     found.values.begin() + static_cast<std::ptrdiff_t>(warm_up));
}

Result<Side> Read(RunSource& source, const std::string& run, bool values) {
  Side side;
  v1::GetRunRequest get;
  get.set_id(run);
  auto found = source.Get(get);
  if (!found.ok()) return found.status();
  side.run = *std::move(found);
  std::map<std::uint64_t, std::string> keys;  // only the first message of a permutation says it
  v1::RunResultsRequest request;
  request.set_id(run);
  request.set_jobs(true);
  const Status status = source.Results(request, [&](const v1::RunResultsReply& reply) {
    for (const v1::PermutationResult& each : reply.permutations()) {
      const Json varied = show::Parsed(each.varied());
      const std::string& key =
          keys.try_emplace(each.number(), show::WithKeysInOrder(each.varied())).first->second;
      for (const v1::MetricResult& metric : each.headlines()) {
        side.headlines[{key, TitleOf(metric), metric.unit()}] = {each.number(), varied, metric};
      }
      AddJobs(each, key, values, side);
    }
  });
  if (!status.ok()) return status;
  for (auto& [key, headline] : side.headlines) LeaveOutWarmUp(headline);
  return side;
}

/// By how much the number has become worse; negative: better. nullopt: no way is.
std::optional<double> LossOf(double growth, v1::Better better) {
  if (better == v1::BETTER_NONE) return std::nullopt;
  return better == v1::BETTER_HIGHER ? -growth : growth;
}

Json OrNull(double value) { return std::isfinite(value) ? Json(value) : Json(); }

bool WereLookedAt(const Found& base, const Found& now) {
  return base.metric.looked() || now.metric.looked();
}

stats::Change ChangeOfMedians(const Found& base, const Found& now) {
  return WereLookedAt(base, now) ? stats::ChangeOfMedianOfLooks(base.values, now.values)
                                 : stats::ChangeOfMedian(base.values, now.values);
}

Json PairJson(const Found& base, const Found& now, bool medians) {
  const stats::Change change =
      medians ? ChangeOfMedians(base, now) : ChangeOf(base.metric, now.metric);
  const auto side = [](const Found& found) -> Json {
    return {{"permutation", found.permutation},
            {"n", found.metric.n()},
            {"mean", found.metric.mean()},
            {"median", found.metric.median()}};
  };
  const v1::Better better = base.metric.better();
  const double growth = change.ratio ? change.ratio->value - 1.0 : 0.0;
  const bool bounded = change.ratio && std::isfinite(change.ratio->upper);
  return {{"varied", base.varied},
          {"headline", base.metric.name()},
          {"dimensions", show::ToJson(base.metric)["dimensions"]},
          {"unit", base.metric.unit()},
          {"base", side(base)},
          {"now", side(now)},
          {"ratio", change.ratio ? OrNull(change.ratio->value) : Json()},
          {"lower", bounded ? Json(change.ratio->lower) : Json()},
          {"upper", bounded ? Json(change.ratio->upper) : Json()},
          {"difference", change.difference.value},
          {"difference_lower", OrNull(change.difference.lower)},
          {"difference_upper", OrNull(change.difference.upper)},
          {"loss_percent",
           change.ratio && LossOf(growth, better) ? Json(100.0 * *LossOf(growth, better)) : Json()},
          {"loss", LossOf(change.difference.value, better)
                       ? Json(*LossOf(change.difference.value, better))
                       : Json()},
          {"p", change.p}};
}

/// A headline that both runs have.
struct Pair {
  const Found* base;
  const Found* now;
  Json json;
};

/// How sure a comparison has to be to call one more headline changed.
double ConfidenceOfOneMore(const std::string& correction, std::size_t changed, std::size_t count) {
  double risk = kRiskOfChange;
  if (correction == "bh") risk = stats::RiskForShare(risk, changed, count);
  if (correction == "holm") risk = stats::RiskForAny(risk, changed, count);
  return 1.0 - risk;
}

/// 0: nobody knows, or as many were made.
std::size_t MediansNeeded(const Found& base, const Found& now, double confidence) {
  const std::size_t needed = stats::RepetitionsToTellMedians(
      base.values, now.values,
      WereLookedAt(base, now) ? stats::ConfidenceOfMedianOfLooks(confidence) : confidence);
  return needed > std::min(base.values.size(), now.values.size()) ? needed : 0;
}

/// So many repetitions of each would decide; null: nobody knows.
Json NeededBy(const Pair& pair, bool medians, double confidence) {
  const std::size_t needed =
      medians ? MediansNeeded(*pair.base, *pair.now, confidence)
              : RepetitionsToTell(pair.base->metric, pair.now->metric, confidence);
  return needed > 0 ? Json(needed) : Json();
}

/// Says of each pair whether it has changed, with p-values corrected for their number, and how many
/// repetitions would decide if that is not known.
void JudgeAll(std::vector<Pair>& pairs, const CompareOptions& options) {
  std::vector<double> p;
  for (const Pair& pair : pairs) p.push_back(pair.json["p"]);
  if (options.correction == "bh") p = stats::AdjustedForShare(p);
  if (options.correction == "holm") p = stats::AdjustedForAny(p);
  const auto changed = static_cast<std::size_t>(std::count_if(p.begin(), p.end(), IsChanged));
  for (std::size_t i = 0; i < p.size(); ++i) {
    Json& json = pairs[i].json;
    const v1::Better better = pairs[i].base->metric.better();
    json["corrected_p"] = p[i];
    json["change"] = ChangeWord(json["difference"], p[i], better);
    json["repetitions_needed"] = nullptr;
    if (IsChanged(p[i])) continue;
    json["repetitions_needed"] =
        NeededBy(pairs[i], options.statistic == "median",
                 ConfidenceOfOneMore(options.correction, changed, pairs.size()));
  }
}

Json OrNull(std::optional<double> value) { return value ? Json(*value) : Json(); }

/// {"others": {"base": 3, "now": 45}} of what one of them knows at least.
Json MachineJson(const MachineMeans& base, const MachineMeans& now) {
  Json machine = Json::object();
  for (std::size_t i = 0; i < kMachineConditions.size(); ++i) {
    if (!base.Mean(i) && !now.Mean(i)) continue;
    machine[std::string(kMachineConditions.at(i).key)] = {{"base", OrNull(base.Mean(i))},
                                                          {"now", OrNull(now.Mean(i))}};
  }
  return machine;
}

MachineMeans MachineOf(const Side& side, const std::string& varied) {
  const auto found = side.machines.find(varied);
  return found == side.machines.end() ? MachineMeans() : found->second;
}

/// Says beside each pair what the machines did, and returns all that may have made a change.
std::vector<UnlikeMachine> AddMachines(const Side& base, const Side& now, Json& pairs) {
  std::vector<UnlikeMachine> all;
  for (Json& pair : pairs) {
    const MachineMeans before = MachineOf(base, pair["key"]);
    const MachineMeans after = MachineOf(now, pair["key"]);
    pair.erase("key");
    pair["machine"] = MachineJson(before, after);
    pair["unlike"] = Json::array();
    const auto unlike = MayHaveMade(pair["change"].get<std::string>(), before, after);
    for (const UnlikeMachine& each : unlike) pair["unlike"].push_back(each.condition->key);
    all.insert(all.end(), unlike.begin(), unlike.end());
  }
  return all;
}

/// What both have, by the permutations of `base`.
Json PairUp(const Headlines& base, const Headlines& now, const CompareOptions& options) {
  std::vector<Pair> pairs;
  for (const auto& [key, found] : base) {
    const auto other = now.find(key);
    if (other == now.end()) continue;
    Json json = PairJson(found, other->second, options.statistic == "median");
    json["key"] = key[0];
    pairs.push_back({&found, &other->second, std::move(json)});
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
    return a.base->permutation < b.base->permutation;
  });
  JudgeAll(pairs, options);
  Json list = Json::array();
  for (Pair& pair : pairs) list.push_back(std::move(pair.json));
  return list;
}

std::optional<double> SecondsApart(const v1::Run& base, const v1::Run& now) {
  const bool in_order = base.created_unix_ns() <= now.created_unix_ns();
  const v1::Run& first = in_order ? base : now;
  const v1::Run& second = in_order ? now : base;
  const std::int64_t apart = second.created_unix_ns() - first.ended_unix_ns();
  if (first.ended_unix_ns() == 0 || apart <= 0) return std::nullopt;
  return ToSeconds(Duration(apart));
}

Comparison Compared(const Side& base, const Side& now, const CompareOptions& options) {
  Comparison comparison{.pairs = PairUp(base.headlines, now.headlines, options)};
  comparison.alone = base.headlines.size() + now.headlines.size() - 2 * comparison.pairs.size();
  comparison.unlike = AddMachines(base, now, comparison.pairs);
  comparison.seconds_apart = SecondsApart(base.run, now.run);
  return comparison;
}

show::Columns PairColumns(const std::string& statistic) {
  return {{"PERMUTATION", "base.permutation"},
          {"VARIED", "varied"},
          {"HEADLINE", "headline dimensions"},
          {"UNIT", "unit"},
          {.heading = "BASE", .path = "base." + statistic, .kind = "headline unit"},
          {.heading = "NOW", .path = "now." + statistic, .kind = "headline unit"},
          {.heading = "RATIO", .path = "ratio", .decimals = 3},
          {.heading = "LOWER", .path = "lower", .decimals = 3},
          {.heading = "UPPER", .path = "upper", .decimals = 3},
          {"CHANGE", "change"},
          {.heading = "NEEDED", .path = "repetitions_needed", .if_any = true},
          {.heading = "MACHINE", .path = "unlike", .if_any = true}};
}

/// How many comparisons share the 5 %.
std::string NoteOn(const std::string& correction, std::size_t pairs) {
  if (pairs < 2) return "";
  const std::string compared = absl::StrCat(pairs, " headlines compared: ");
  if (correction == "bh") {
    return compared + "of those that changed, at most 5 % by chance (Benjamini-Hochberg)\n";
  }
  if (correction == "holm") return compared + "any change at all by chance: at most 5 % (Holm)\n";
  return compared + "of those that did not change, 5 % are shown as changed by chance\n";
}

/// Why a ratio, however far from 1, is shown as "-".
std::string NoteOnChance(const Json& pairs) {
  bool some = false;
  bool alone = false;
  for (const Json& pair : pairs) {
    if (pair["change"] != "-") continue;
    const bool once = pair["base"]["n"] < 2 || pair["now"]["n"] < 2;
    (once ? alone : some) = true;
  }
  std::string note;
  if (some) {
    absl::StrAppend(&note, "CHANGE -: chance alone may have made the ratio: its interval",
                    pairs.size() > 1 ? ", corrected for so many," : "", " holds 1\n");
  }
  if (alone) {
    note += "CHANGE -: with one repetition there is no interval, and any ratio may be chance\n";
  }
  return note;
}

/// Of runs that were made one after the other, if anything has changed.
std::string NoteOnTime(const Comparison& comparison) {
  const Json& pairs = comparison.pairs;
  const bool has_changed = std::any_of(pairs.begin(), pairs.end(),
                                       [](const Json& pair) { return pair["change"] != "-"; });
  if (!has_changed || !comparison.seconds_apart) return "";
  return absl::StrCat("made ", show::Text(std::ceil(*comparison.seconds_apart)),
                      " s apart, so what else changed meanwhile is in the ratios: `twofold run "
                      "--interleave` makes two runs in turn\n");
}

void Show(const CompareOptions& options, const Comparison& comparison, show::Form form) {
  const auto& [pairs, alone, unlike, seconds_apart] = comparison;
  if (form == show::Form::kJson) {
    std::cout << show::Line({{"base", options.base},
                             {"now", options.now},
                             {"statistic", options.statistic},
                             {"correction", options.correction},
                             {"seconds_apart", OrNull(seconds_apart)},
                             {"headlines", pairs},
                             {"unpaired", alone}});
    return;
  }
  std::cout << show::Print(form, PairColumns(options.statistic), pairs);
  if (form == show::Form::kCsv) return;
  std::cout << NoteOn(options.correction, pairs.size()) << NoteOnChance(pairs)
            << NoteOnNeeded(pairs);
  for (const UnlikeMachine& each : WidestOf(unlike)) {
    std::cout << show::Beneath(form,
                               absl::StrCat("MACHINE: ", Text(each, options.base, options.now),
                                            ": this may have made the change\n"));
  }
  std::cout << NoteOnTime(comparison);
  if (alone > 0) std::cout << alone << " headlines are in one of the runs only\n";
}

Result<std::unique_ptr<RunSource>> OpenBase(const CompareOptions& options, const Globals& globals) {
  if (options.base_store.empty()) return OpenRuns(globals, options.store);
  const auto store =
      results::ParseStoreAddress(options.base_store, "--base-store", results::Bare::kPath);
  if (!store.ok()) return store.status();
  return OpenRuns(*store);
}

/// What of a run of a source is compared; `id` becomes its id.
Result<Side> ReadFrom(const Result<std::unique_ptr<RunSource>>& source, bool values,
                      std::string& id) {
  if (!source.ok()) return source.status();
  const auto run = ResolveRun(**source, id);
  if (!run.ok()) return run.status();
  id = *run;
  return Read(**source, id, values);
}

/// What was nothing before has become worse by more than any percentage.
bool IsWorse(const Json& pair, const WorseLimit& limit) {
  if (limit.beyond_chance && pair["change"] != "worse") return false;
  const Json& percent = pair["loss_percent"];
  if (percent.is_number()) return percent.get<double>() > limit.percent;
  return pair["loss"].is_number() && pair["loss"].get<double>() > 0.0;
}

std::string PairTitle(const Json& pair) {
  const std::string title =
      absl::StrCat(show::Text(pair["headline"]), " ", show::Text(pair["dimensions"]));
  return std::string(absl::StripSuffix(title, " "));
}

/// Whether it may have become worse, and there are too few values to tell that from chance.
bool CannotSayChance(const Json& pair) {
  return pair["loss"].is_number() && !pair["difference_lower"].is_number();
}

/// "throughput direction=reverse: 80 for 100 Gbit/s, worse by 20 %"; what has no ratio is worse by
/// so much of its unit.
std::string LossText(const Json& pair, const std::string& statistic) {
  const bool has_percent = pair["loss_percent"].is_number();
  return absl::StrCat(PairTitle(pair), ": ", show::Text(pair["now"][statistic], 4), " for ",
                      show::Text(pair["base"][statistic], 4), " ", show::Text(pair["unit"]),
                      ", worse by ", show::Text(pair[has_percent ? "loss_percent" : "loss"], 3),
                      " ", has_percent ? "%" : show::Text(pair["unit"]));
}

/// Headlines that the earlier run has and the later one has no more, by their names.
std::vector<std::string> LostOf(const Headlines& base, const Headlines& now) {
  std::vector<std::string> lost;
  for (const auto& [key, found] : base) {
    if (!now.contains(key)) lost.emplace_back(absl::StripSuffix(key[1], " "));
  }
  return lost;
}

/// A headline that the later run has no more is worse than any number: so many workloads never
/// came, say.
Status CheckLimit(const CompareOptions& options, const WorseLimit& limit, const Json& pairs,
                  const std::vector<std::string>& lost) {
  std::vector<std::string> found;
  std::vector<std::string> unknown;
  for (const Json& pair : pairs) {
    if (IsWorse(pair, limit)) found.push_back(LossText(pair, options.statistic));
    if (limit.beyond_chance && CannotSayChance(pair)) unknown.push_back(PairTitle(pair));
  }
  if (!lost.empty()) {
    found.push_back(absl::StrCat(options.now, " has no more what ", options.base,
                                 " has: ", absl::StrJoin(lost, ", ")));
  }
  const std::string what = absl::StrCat("--fail-if ", options.fail_if, ": ");
  if (!found.empty()) return absl::InternalError(what + absl::StrJoin(found, "; "));
  if (unknown.empty()) return absl::OkStatus();
  return EndWith(kExitUndecided,
                 absl::StrCat(what,
                              "too few values to tell a change from chance (worse>5% goes by "
                              "the means alone): ",
                              absl::StrJoin(unknown, ", ")));
}

show::Form FormOfComparison(const CompareOptions& options, const Globals& globals) {
  if (options.json) return show::Form::kJson;
  return options.csv ? show::Form::kCsv : globals.form;
}

Status NothingInCommon(const CompareOptions& options) {
  return absl::NotFoundError(absl::StrCat(
      "runs '", options.base, "' and '", options.now,
      "' have no headline of the same name, unit and dimensions with the same varied values"));
}

Status CompareRuns(CompareOptions options, const Globals& globals) {
  const Result<WorseLimit> limit =
      options.fail_if.empty() ? Result<WorseLimit>(WorseLimit{}) : ReadLimit(options.fail_if);
  if (!limit.ok()) return limit.status();
  const bool medians = options.statistic == "median";
  const auto now = ReadFrom(OpenRuns(globals, options.store), medians, options.now);
  if (!now.ok()) return now.status();
  const auto base = ReadFrom(OpenBase(options, globals), medians, options.base);
  if (absl::IsNotFound(base.status()) && options.base_may_be_missing) {
    std::cerr << "nothing to compare with: " << base.status().message() << "\n";
    return absl::OkStatus();
  }
  if (!base.ok()) return base.status();
  const Comparison comparison = Compared(*base, *now, options);
  const Json& pairs = comparison.pairs;
  if (pairs.empty()) return NothingInCommon(options);
  Show(options, comparison, FormOfComparison(options, globals));
  if (options.fail_if.empty()) return absl::OkStatus();
  return CheckLimit(options, *limit, pairs, LostOf(base->headlines, now->headlines));
}

}  // namespace

Status PrintComparison(RunSource& source, const std::string& base, const std::string& now,
                       show::Form form) {
  CompareOptions options;
  options.base = base;
  options.now = now;
  const auto before = Read(source, base, false);
  if (!before.ok()) return before.status();
  const auto after = Read(source, now, false);
  if (!after.ok()) return after.status();
  const Comparison comparison = Compared(*before, *after, options);
  if (comparison.pairs.empty()) return NothingInCommon(options);
  Show(options, comparison, form);
  return absl::OkStatus();
}

Action BindCompare(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<CompareOptions>();
  app.add_option("BASE", options->base, "Id of the run that is compared with; @last: the newest")
      ->required();
  app.add_option("RUN", options->now,
                 "Id of the run that is looked at, or @last: ratio = RUN / BASE")
      ->required();
  app.add_option("--base-store", options->base_store,
                 "Read BASE from this store; file:PATH: from that whose address stands in PATH")
      ->type_name("FILE|postgresql://...|file:PATH");
  app.add_flag("--base-may-be-missing", options->base_may_be_missing,
               "Succeed if there is no BASE, as on the first night");
  app.add_option(
         "--fail-if", options->fail_if,
         "worse: fail if a headline is worse beyond chance; worse:5%: if it also is by so much; "
         "worse>20%: if it is by so much, by chance or not, for runs with one value. Also if a "
         "headline of BASE is not in RUN")
      ->type_name("WHAT");
  app.add_option("--statistic", options->statistic,
                 "What is compared. Medians stand outliers and need five values on each side")
      ->check(CLI::IsMember({"mean", "median"}))
      ->capture_default_str();
  app.add_option("--correction", options->correction,
                 "For the number of headlines: bh (Benjamini-Hochberg) keeps the share of changes "
                 "by chance, holm the chance of any, at 5 %")
      ->check(CLI::IsMember({"bh", "holm", "none"}))
      ->capture_default_str();
  app.add_flag("--csv", options->csv, "As --output csv");
  app.add_flag("--json", options->json, "As --output json");
  DeclareStore(app, options->store);
  return [options, &globals] { return CompareRuns(*options, globals); };
}

}  // namespace twofold::cli
