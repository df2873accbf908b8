#include "lib/report/sources/comparison.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "lib/report/sources/parts.h"
#include "lib/show/message.h"
#include "lib/show/quantity.h"
#include "lib/stats/many.h"
#include "lib/words/change.h"
#include "lib/words/machine.h"
#include "lib/words/run_state.h"

namespace twofold::report {
namespace {

using show::Cell;
using show::Cells;
using show::Quantity;

constexpr std::size_t kMostRatios = 60;
constexpr double kUnlimited = std::numeric_limits<double>::infinity();

MachineMeans MachineOf(const v1::PermutationResult& permutation) {
  MachineMeans means;
  for (const v1::JobResult& job : permutation.jobs()) {
    if (!Counts(job)) continue;
    for (const v1::Measurement& measured : job.measurements()) means.Add(measured);
  }
  return means;
}

using Machines = std::map<std::string, MachineMeans>;

/// By what is varied, as show::WithKeysInOrder has it.
Machines MachinesOf(const RunResults& results) {
  Machines machines;
  for (const v1::PermutationResult& each : results.permutations) {
    machines[show::WithKeysInOrder(each.varied())] = MachineOf(each);
  }
  return machines;
}

void JudgeAll(std::vector<Paired>& pairs) {
  std::vector<double> p;
  for (Paired& pair : pairs) {
    pair.change = ChangeOf(*pair.base, *pair.now);
    p.push_back(pair.change.p);
  }
  p = stats::AdjustedForShare(p);
  const auto changed = static_cast<std::size_t>(std::count_if(p.begin(), p.end(), IsChanged));
  for (std::size_t i = 0; i < p.size(); ++i) {
    Paired& pair = pairs[i];
    pair.word = ChangeWord(pair.change.difference.value, p[i], pair.better);
    if (IsChanged(p[i])) continue;
    const double confidence = 1.0 - stats::RiskForShare(kRiskOfChange, changed, pairs.size());
    pair.needed = RepetitionsToTell(*pair.base, *pair.now, confidence);
  }
}

bool HasRatio(const Paired& pair) { return pair.change.ratio.has_value(); }

/// Draws the ratios that have changed in this way, in the rows that the panel has.
void AddRatios(const std::vector<Paired>& pairs, std::string_view change, Colour colour,
               Panel& panel) {
  Series bars{.form = Form::kSpans,
              .name = change == "-" ? "may be chance" : std::string(change),
              .colour = colour};
  Series points{.form = Form::kPoints, .name = "", .colour = colour};
  for (std::size_t row = 0; row < panel.y.names.size(); ++row) {
    if (pairs[row].word != change) continue;
    const stats::Bounded& ratio = *pairs[row].change.ratio;
    const auto y = static_cast<double>(row);
    if (std::isfinite(ratio.upper)) {
      bars.data.push_back({ratio.lower, y, ratio.upper, panel.y.names[row]});
    }
    points.data.push_back({ratio.value, y, 0.0, panel.y.names[row]});
  }
  if (points.data.empty()) return;
  panel.series.insert(panel.series.end(), {std::move(bars), std::move(points)});
}

}  // namespace

std::vector<Paired> PairsOf(const RunResults& base, const RunResults& now) {
  std::map<std::pair<std::string, Headline>, const v1::MetricResult*> found;
  for (const v1::PermutationResult& each : now.permutations) {
    for (const v1::MetricResult& metric : each.headlines()) {
      found[{show::WithKeysInOrder(each.varied()), HeadlineOf(metric)}] = &metric;
    }
  }
  std::vector<Paired> pairs;
  std::vector<std::string> keys;  // of the pairs
  for (const v1::PermutationResult& each : base.permutations) {
    for (const v1::MetricResult& metric : each.headlines()) {
      const auto other = found.find({show::WithKeysInOrder(each.varied()), HeadlineOf(metric)});
      if (other == found.end()) continue;
      pairs.push_back(
          {VariedText(each.varied()), HeadlineOf(metric), metric.better(), &metric, other->second});
      keys.push_back(show::WithKeysInOrder(each.varied()));
    }
  }
  JudgeAll(pairs);
  Machines before = MachinesOf(base);
  Machines after = MachinesOf(now);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    pairs[i].unlike = MayHaveMade(pairs[i].word, before[keys[i]], after[keys[i]]);
  }
  return pairs;
}

std::optional<Picture> ForestPicture(const std::vector<Paired>& all) {
  std::vector<Paired> pairs;
  std::copy_if(all.begin(), all.end(), std::back_inserter(pairs), HasRatio);
  if (pairs.empty()) return std::nullopt;
  Panel panel{.title = "Ratio to the first run",
              .x = {.label = "ratio"},
              .y = {.label = ""},
              .references = {{1.0, "the same", true}}};
  const std::pair<const char*, Colour> changes[] = {{"-", Colour::kGrey},
                                                    {"better", Colour::kGreen},
                                                    {"worse", Colour::kVermillion},
                                                    {"more", Colour::kBlue},
                                                    {"less", Colour::kPurple}};
  const std::size_t drawn = std::min(pairs.size(), kMostRatios);
  for (std::size_t row = 0; row < drawn; ++row) {
    panel.y.names.push_back(absl::StrCat(pairs[row].varied, pairs[row].varied.empty() ? "" : " ",
                                         pairs[row].headline.title));
  }
  for (const auto& [change, colour] : changes) AddRatios(pairs, change, colour, panel);
  if (drawn < pairs.size()) {
    panel.notes.push_back(
        absl::StrCat("of ", pairs.size(), " pairs the first ", drawn, " are drawn"));
  }
  return PictureOf("ratios", std::move(panel),
                   absl::StrCat("The mean of the second run divided by that of the first, n = ",
                                Count(pairs.size(), "pair"),
                                ". Bars are 95 % intervals of the ratio (Welch, Fieller). Of those "
                                "that have changed, at most 5 % have by chance "
                                "(Benjamini-Hochberg)."),
                   24.0 + 15.0 * static_cast<double>(drawn));
}

namespace {

/// "worse (machine: others)", "- (19 repetitions would tell)"
std::string ChangeText(const Paired& pair) {
  if (pair.needed > 0) {
    return absl::StrCat(pair.word, " (", pair.needed, " repetitions would tell)");
  }
  if (pair.unlike.empty()) return pair.word;
  std::vector<std::string> keys;
  for (const UnlikeMachine& each : pair.unlike) keys.emplace_back(each.condition->key);
  return absl::StrCat(pair.word, " (machine: ", absl::StrJoin(keys, ", "), ")");
}

/// A sentence for each condition of the machines that may have made changes.
std::string MachineText(const std::vector<Paired>& pairs, const std::string& first,
                        const std::string& second) {
  std::vector<UnlikeMachine> all;
  for (const Paired& pair : pairs) all.insert(all.end(), pair.unlike.begin(), pair.unlike.end());
  std::string text;
  for (const UnlikeMachine& each : WidestOf(all)) {
    absl::StrAppend(&text, " Machine: ", Text(each, first, second),
                    ", which may have made the change.");
  }
  return text;
}

}  // namespace

Table Ratios(const std::vector<Paired>& pairs) {
  Cells rows = {{"Varied", "Headline", "First", "Second", "Ratio", "95 % interval", "Change"}};
  for (const Paired& pair : pairs) {
    const std::string& unit = pair.headline.unit;
    const std::optional<stats::Bounded>& ratio = pair.change.ratio;
    rows.push_back({pair.varied, pair.headline.title, Quantity{pair.base->mean(), unit},
                    Quantity{pair.now->mean(), unit}, ratio ? Cell(Quantity{ratio->value}) : "-",
                    ratio ? show::Interval({ratio->lower}, {ratio->upper}) : "-",
                    ChangeText(pair)});
  }
  return {"Ratio of the second run to the first", Written(rows)};
}

std::string Compared(const std::vector<Paired>& pairs, const std::string& first,
                     const std::string& second) {
  if (pairs.empty()) return absl::StrCat(first, " and ", second, " have no headline in common.");
  std::map<std::string, std::size_t> counts;
  const Paired* worst = nullptr;
  double most = 0.0;
  for (const Paired& pair : pairs) {
    ++counts[pair.word];
    const double loss = HasRatio(pair) ? std::abs(std::log(pair.change.ratio->value)) : kUnlimited;
    if (pair.word != "worse" || loss <= most) continue;
    worst = &pair;
    most = loss;
  }
  const std::size_t changed = counts["more"] + counts["less"];  // neither way is better
  return absl::StrCat(
      second, " beside ", first, ": of ", Count(pairs.size(), "headline"), " ", counts["better"],
      " are better and ", counts["worse"], " worse beyond chance",
      changed == 0 ? "" : absl::StrCat(", ", changed, " changed otherwise"),
      counts["-"] == 0 ? "" : absl::StrCat(", ", counts["-"], " may be chance"),
      worst == nullptr
          ? ""
          : absl::StrCat("; the worst: ", worst->varied, worst->varied.empty() ? "" : " ",
                         worst->headline.title,
                         HasRatio(*worst)
                             ? absl::StrCat(", ratio ", Value(worst->change.ratio->value))
                             : ", of nothing before"),
      ".", MachineText(pairs, first, second));
}

}  // namespace twofold::report
