#include <absl/strings/str_cat.h>
#include <absl/time/time.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/report/sources/curves.h"
#include "lib/report/sources/parts.h"
#include "lib/report/sources/run_figures.h"
#include "lib/report/sources/sources.h"
#include "lib/show/quantity.h"
#include "lib/show/table.h"
#include "lib/words/machine.h"
#include "lib/words/run_state.h"

namespace twofold::report {
namespace {

using show::Cell;
using show::Cells;
using show::Quantity;

std::string InstantOf(std::int64_t unix_ns) {
  if (unix_ns == 0) return "";
  return absl::FormatTime("%Y-%m-%d %H:%M:%S UTC", absl::FromUnixNanos(unix_ns),
                          absl::UTCTimeZone());
}

/// Jobs that count, over all permutations.
struct Tally {
  std::uint64_t succeeded = 0;
  std::uint64_t failed = 0;
  std::uint64_t unfinished = 0;
  std::uint64_t withdrawn = 0;
  std::uint64_t overlapped = 0;
  std::uint64_t most_overlaps = 0;
};

Tally TallyOf(const RunResults& results) {
  Tally tally;
  for (const v1::PermutationResult& each : results.permutations) {
    tally.succeeded += each.succeeded();
    tally.failed += each.failed();
    tally.unfinished += each.unfinished();
    tally.withdrawn += each.withdrawn();
    tally.overlapped += each.overlapped();
    tally.most_overlaps = std::max(tally.most_overlaps, each.most_overlaps());
  }
  return tally;
}

/// ", in permutation 2 (size=4k)"; of several ", in 3 of 8 permutations, first in 2 (size=4k)"
std::string WhereFailed(const RunResults& results) {
  const auto failed = [](const v1::PermutationResult& each) { return each.failed() > 0; };
  const auto& all = results.permutations;
  const auto first = std::find_if(all.begin(), all.end(), failed);
  const auto count = std::count_if(all.begin(), all.end(), failed);
  const std::string varied = VariedText(first->varied());
  const std::string which =
      absl::StrCat(first->number(), varied.empty() ? "" : absl::StrCat(" (", varied, ")"));
  if (count == 1) return all.size() == 1 ? "" : absl::StrCat(", all in permutation ", which);
  return absl::StrCat(", in ", count, " of ", Count(all.size(), "permutation"), ", first in ",
                      which);
}

std::string VerdictOf(const RunResults& results) {
  const Tally tally = TallyOf(results);
  const std::uint64_t all = tally.succeeded + tally.failed + tally.unfinished + tally.withdrawn;
  if (all == 0) return "Empty: no job of this run has ended or waits.";
  std::string text = tally.failed > 0
                         ? absl::StrCat("Failed: ", tally.failed, " of ", Count(all, "job"),
                                        " failed", WhereFailed(results), ".")
                         : absl::StrCat(tally.succeeded == all ? "Complete" : "Not complete", ": ",
                                        tally.succeeded, " of ", Count(all, "job"), " succeeded.");
  if (tally.unfinished > 0) absl::StrAppend(&text, " ", tally.unfinished, " have not ended.");
  if (tally.withdrawn > 0) absl::StrAppend(&text, " ", tally.withdrawn, " were withdrawn.");
  if (tally.overlapped > 0) {
    absl::StrAppend(&text, " ", tally.overlapped, " overlapped with up to ",
                    Count(tally.most_overlaps, "other"),
                    " of the run: they may have measured each other.");
  }
  return text;
}

Tone ToneOf(const RunResults& results) {
  const Tally tally = TallyOf(results);
  if (tally.failed > 0) return Tone::kBad;
  return tally.succeeded > 0 && tally.unfinished + tally.withdrawn == 0 ? Tone::kGood : Tone::kOpen;
}

Cell IntervalOf(const v1::MetricResult& metric) {
  if (metric.n() < 2) return "-";
  const Cell interval = show::Interval({metric.mean() - metric.half_width(), metric.unit()},
                                       {metric.mean() + metric.half_width(), metric.unit()});
  return metric.doubt().empty() ? interval : interval + " (in doubt: " + metric.doubt() + ")";
}

Table Headlines(const RunResults& results) {
  Cells rows = {{"Permutation", "Varied", "Headline", "n", "Mean", "95 % interval", "Median",
                 "Least", "Most", "CV"}};
  for (const v1::PermutationResult& each : results.permutations) {
    for (const v1::MetricResult& metric : each.headlines()) {
      const std::string& unit = metric.unit();
      const bool many = metric.n() > 1;
      rows.push_back(
          {std::to_string(each.number()), VariedText(each.varied()), HeadlineOf(metric).title,
           std::to_string(metric.n()), Quantity{metric.mean(), unit}, IntervalOf(metric),
           Quantity{metric.median(), unit}, Quantity{metric.least(), unit},
           Quantity{metric.most(), unit}, Quantity{Known(many, 100.0 * metric.cv()), "%"}});
    }
  }
  return {"Headlines: over the jobs that succeeded", Written(rows)};
}

Table Failures(const RunResults& results) {
  Table table{"Permutations with jobs that did not succeed",
              {{"Permutation", "Varied", "Succeeded", "Failed", "Unfinished", "Withdrawn"}}};
  for (const v1::PermutationResult& each : results.permutations) {
    if (each.failed() + each.unfinished() + each.withdrawn() == 0) continue;
    table.rows.push_back({std::to_string(each.number()), VariedText(each.varied()),
                          std::to_string(each.succeeded()), std::to_string(each.failed()),
                          std::to_string(each.unfinished()), std::to_string(each.withdrawn())});
  }
  return table;
}

Table Ranks(const v1::BenchmarkResult& origin) {
  Table table{"Workers of one of its jobs",
              {{"Rank", "Node", "Pod", "Kernel", "CPU", "CPUs", "Image"}}};
  for (const v1::RankRecord& rank : origin.ranks()) {
    table.rows.push_back({std::to_string(table.rows.size() - 1), rank.node(), rank.pod(),
                          rank.kernel(), rank.cpu(), std::to_string(rank.cpus()), rank.image()});
  }
  return table;
}

Table Programs(const v1::BenchmarkResult& origin) {
  Table table{"Programs of one of its jobs", {{"Rank", "Stage", "Version", "Command"}}};
  std::size_t number = 0;
  for (const v1::RankRecord& rank : origin.ranks()) {
    for (const v1::StageRecord& stage : rank.stages()) {
      table.rows.push_back({std::to_string(number), stage.name(), stage.tool_version(),
                            CommandLine({stage.argv().begin(), stage.argv().end()})});
    }
    ++number;
  }
  return table;
}

Section Setup(const RunResults& results) {
  const v1::Run& run = results.run;
  Section section{.title = "What was run", .blocks = {}};
  Facts facts{{{"Run", run.id()},
               {"Name", run.name()},
               {"Kind", run.kind()},
               {"State", StateOf(run)},
               {"Began", InstantOf(run.created_unix_ns())},
               {"Ended", InstantOf(run.ended_unix_ns())},
               {"Suite", results.origin.suite()},
               {"Tool", results.origin.tool()}}};
  std::map<std::string, std::string> labels(run.labels().begin(), run.labels().end());
  for (const auto& [name, value] : labels) {
    facts.rows.emplace_back(absl::StrCat("Label ", name), value);
  }
  section.blocks.emplace_back(std::move(facts));
  Add(Ranks(results.origin), section);
  Add(Programs(results.origin), section);
  if (!run.definition().empty()) {
    section.blocks.emplace_back(
        Code{"The definition: save it as run.yaml, and twofold run run.yaml runs it again",
             run.definition()});
  }
  return section;
}

std::vector<Check> ChecksOf(const RunResults& results) {
  std::vector<Check> checks;
  for (const v1::PermutationResult& each : results.permutations) {
    const std::string varied = VariedText(each.varied());
    const std::uint64_t open = each.unfinished() + each.withdrawn();
    const Tone tone = each.failed() > 0 ? Tone::kBad : open > 0 ? Tone::kOpen : Tone::kGood;
    checks.push_back(
        {absl::StrCat("permutation ", each.number(), varied.empty() ? "" : " ", varied), tone,
         absl::StrCat(each.succeeded(), " succeeded, ", each.failed(), " failed, ", open,
                      " have no result")});
  }
  return checks;
}

std::vector<Measure> MeasuresOf(const RunResults& results) {
  std::vector<Measure> measures;
  for (const v1::PermutationResult& each : results.permutations) {
    const show::Json varied = show::Json::parse(each.varied(), nullptr, false);
    for (const v1::MetricResult& metric : each.headlines()) {
      Measure measure{
          metric.name(), metric.unit(), "Mean over the jobs that succeeded", {}, metric.mean()};
      measure.labels = {{"run", results.run.id()}, {"permutation", std::to_string(each.number())}};
      // Of two labels of a name the first counts, and dimensions tell headlines apart.
      for (const v1::Dimension& dimension : metric.dimensions()) {
        measure.labels.emplace_back(dimension.name(), dimension.value());
      }
      if (varied.is_object()) {
        for (const auto& [name, value] : varied.items()) {
          measure.labels.emplace_back(name, show::Text(value));
        }
      }
      measures.push_back(std::move(measure));
    }
  }
  return measures;
}

void KeepWhatIsShown(v1::JobResult& job) {
  auto* const numbers = job.mutable_measurements();
  const auto rest = std::remove_if(numbers->begin(), numbers->end(), [](const auto& number) {
    return !number.headline() && !number.name().starts_with(kOfMachine);
  });
  numbers->erase(rest, numbers->end());
}

}  // namespace

void Add(const v1::RunResultsReply& reply, RunResults& results) {
  for (const v1::PermutationResult& each : reply.permutations()) {
    const bool goes_on =
        !results.permutations.empty() && results.permutations.back().number() == each.number();
    const int before = goes_on ? results.permutations.back().jobs_size() : 0;
    if (goes_on) {
      results.permutations.back().mutable_jobs()->MergeFrom(each.jobs());
    } else {
      results.permutations.push_back(each);
    }
    auto* const jobs = results.permutations.back().mutable_jobs();
    for (int i = before; i < jobs->size(); ++i) KeepWhatIsShown((*jobs)[i]);
  }
}

Document DocumentOf(const RunResults& results) {
  const std::string& name = results.run.name();
  Document document{.title = absl::StrCat("Run ", name.empty() ? results.run.id() : name),
                    .verdict = VerdictOf(results),
                    .tone = ToneOf(results)};
  Section section{.title = "Results", .blocks = {}};
  Add(HeadlinePictures({{"", &results}}), section);
  Add(CurvePictures({{"", &results}}), section);
  Add(Headlines(results), section);
  Add(Failures(results), section);
  Add(RunTimePicture(results), section);
  if (!section.blocks.empty()) document.sections.push_back(std::move(section));
  Section where{.title = "Where", .blocks = {}};
  Add(RunTimelinePicture(results), where);
  if (!where.blocks.empty()) document.sections.push_back(std::move(where));
  document.sections.push_back(Setup(results));
  document.checks = ChecksOf(results);
  document.measures = MeasuresOf(results);
  return document;
}

}  // namespace twofold::report
