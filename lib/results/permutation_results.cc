#include "lib/results/permutation_results.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "lib/queue/types.h"
#include "lib/results/series_results.h"
#include "lib/results/tables.h"
#include "lib/stats/repetitions.h"
#include "lib/words/run_state.h"

namespace twofold::results {
namespace {

// A page ends with the first permutation after so many.
constexpr std::size_t kPagePermutations = 500;
constexpr std::size_t kPageRows = 20'000;
constexpr std::size_t kPageBytes = 1 << 20;

// Sizes of messages are thirty or so; a hostile worker's places are not to become a list of
// millions.
constexpr std::size_t kMostPlaces = 100;
constexpr std::size_t kShownPlaces = 10;  // see MetricResult.at

// A job has a row for each headline, or one without.
constexpr const char* kSelect =
    "SELECT permutation, place.job, repetition, outcome, warm_up, requeued_as, metric, value, at,"
    " started_unix_ns, ended_unix_ns, run_ns FROM place LEFT JOIN live ON live.id = place.job"
    " LEFT JOIN ended ON ended.id = place.job"
    " LEFT JOIN measured ON measured.job = place.job AND outcome = 0 AND NOT warm_up"
    " AND requeued_as IS NULL AND measured.number < 0"
    " WHERE run = ? AND permutation >= ? ORDER BY permutation, place.job";

enum ResultColumn : int {
  kOfPermutation,
  kJob,
  kRepetition,
  kOutcomeOf,
  kIsWarmUp,
  kRequeued,
  kMetric,
  kValue,
  kAt,
  kStarted,
  kEnded,
  kRunTime
};

/// What the jobs of a permutation have of one headline.
struct Gathered {
  std::int64_t metric = 0;
  std::vector<double> values = {};
  /// Of the best of many: where it was found (as column `at` has it), and how often.
  std::vector<std::pair<std::string, std::uint64_t>> found_at = {};

  void AddPlace(const std::string& at);
  void AddTo(v1::PermutationResult& result, const v1::Measurement& metric_row, bool looked);
};

/// Makes one PermutationResult of its rows, which come job by job.
class Gatherer {
 public:
  Gatherer(std::uint64_t number, const Overlaps& overlaps, bool looked)
      : overlaps_(overlaps), looked_(looked) {
    result_.set_number(number);
  }

  void Add(const Prepared::Rows& row);
  v1::PermutationResult Finish(BenchmarkReader& benchmarks);

 private:
  /// Which job of its run a job is; jobs of no permutation are each their own.
  using JobOfRun = std::tuple<std::int64_t, bool, std::int64_t>;

  void Count(const Prepared::Rows& row);
  void CountOverlaps(std::uint64_t others);
  Gathered& Of(std::int64_t metric);

  const Overlaps& overlaps_;
  const bool looked_;
  v1::PermutationResult result_;
  std::vector<Gathered> gathered_;
  std::set<JobOfRun> withdrawn_;  // where no job has come since
  bool is_first_ = true;
  std::int64_t last_job_ = 0;
};

void Gatherer::Add(const Prepared::Rows& row) {
  const std::int64_t job = row[kJob].Integer();
  const bool is_new_job = std::exchange(is_first_, false) || job != last_job_;
  last_job_ = job;
  if (is_new_job) Count(row);
  if (!row[kMetric].IsNull()) {
    Gathered& headline = Of(row[kMetric].Integer());
    headline.values.push_back(row[kValue].Real());
    if (const std::string at = row[kAt].Text(); !at.empty()) headline.AddPlace(at);
  }
}

v1::PermutationResult Gatherer::Finish(BenchmarkReader& benchmarks) {
  for (Gathered& headline : gathered_) {
    headline.AddTo(result_, benchmarks.Metric(headline.metric), looked_);
  }
  result_.set_withdrawn(withdrawn_.size());
  return std::move(result_);
}

void Gathered::AddTo(v1::PermutationResult& result, const v1::Measurement& metric_row,
                     bool looked) {
  v1::MetricResult& headline = *result.add_headlines();
  headline.set_name(metric_row.name());
  headline.set_unit(metric_row.unit());
  headline.set_better(metric_row.better());
  *headline.mutable_dimensions() = metric_row.dimensions();
  headline.set_looked(looked);
  headline.set_doubt(std::string(stats::Name(stats::DoubtOfMean(values))));
  const stats::Summary summary = stats::SummarizeRepetitions(std::move(values), looked);
  headline.set_n(summary.n);
  headline.set_mean(summary.mean);
  headline.set_median(summary.median);
  headline.set_least(summary.least);
  headline.set_most(summary.most);
  headline.set_sd(summary.sd);
  headline.set_cv(summary.Cv());
  headline.set_half_width(summary.half_width);
  std::stable_sort(found_at.begin(), found_at.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (found_at.size() > kShownPlaces) found_at.resize(kShownPlaces);
  for (const auto& [at, n] : found_at) {
    v1::FoundAt& added = *headline.add_at();
    ReadList(at, "place", added);
    added.set_n(n);
  }
}

void Gatherer::Count(const Prepared::Rows& row) {
  if (!row[kRequeued].IsNull()) return;
  const JobOfRun which = {row[kRepetition].Integer(), row[kIsWarmUp].Boolean(),
                          result_.number() == 0 ? row[kJob].Integer() : 0};
  withdrawn_.erase(which);
  if (row[kOutcomeOf].IsNull()) {
    result_.set_unfinished(result_.unfinished() + 1);
    if (!row[kStarted].IsNull()) result_.set_running(result_.running() + 1);
    return;
  }
  const queue::Outcome outcome = OutcomeOf(row[kOutcomeOf].Integer());
  if (queue::IsWithdrawn(outcome)) {
    withdrawn_.insert(which);
  } else if (row[kIsWarmUp].Boolean()) {
    result_.set_warm_ups(result_.warm_ups() + 1);
  } else if (outcome == queue::Outcome::kSucceeded) {
    result_.set_succeeded(result_.succeeded() + 1);
    CountOverlaps(overlaps_.With(RanUntil(row[kEnded].Integer(), row[kRunTime].Integer())));
  } else {
    result_.set_failed(result_.failed() + 1);
  }
}

void Gatherer::CountOverlaps(std::uint64_t others) {
  if (others > 0) result_.set_overlapped(result_.overlapped() + 1);
  result_.set_most_overlaps(std::max(result_.most_overlaps(), others));
}

// There are few headlines and few places, so looking at each is quick.
Gathered& Gatherer::Of(std::int64_t metric) {
  const auto known =
      std::find_if(gathered_.begin(), gathered_.end(),
                   [&](const Gathered& headline) { return headline.metric == metric; });
  return known != gathered_.end() ? *known : gathered_.emplace_back(Gathered{.metric = metric});
}

void Gathered::AddPlace(const std::string& at) {
  const auto known = std::find_if(found_at.begin(), found_at.end(),
                                  [&](const auto& each) { return each.first == at; });
  if (known != found_at.end()) {
    ++known->second;
  } else if (found_at.size() < kMostPlaces) {
    found_at.emplace_back(at, 1);
  }
}

std::string VariedOf(Prepared& select, std::int64_t run, std::uint64_t permutation) {
  Prepared::Rows row(select, run, permutation);
  return row.Next() ? row[0].Text() : std::string("{}");
}

/// Whether repetitions of the run ended when their mean was known well enough.
bool WasLookedAt(Statements& sql, std::int64_t run) {
  static constexpr Columns kLabels{Column("labels", &v1::Run::labels)};
  v1::Run labelled;
  Prepared::Rows row(sql["SELECT labels FROM run WHERE number = ?"], run);
  if (row.Next()) row.Read(kLabels, 0, labelled);
  return !LabelOf(labelled, kUntilLabel).empty();
}

}  // namespace

std::vector<v1::PermutationResult> PermutationResults(Statements& sql, BenchmarkReader& benchmarks,
                                                      std::int64_t run, std::uint64_t from,
                                                      const Overlaps& overlaps, bool series) {
  std::vector<v1::PermutationResult> page;
  std::size_t rows = 0;
  std::size_t bytes = 0;
  const auto is_full = [&] {
    return rows >= kPageRows || bytes >= kPageBytes || page.size() >= kPagePermutations;
  };
  Prepared& varied = sql["SELECT varied FROM permutation WHERE run = ? AND number = ?"];
  const bool looked = WasLookedAt(sql, run);
  Prepared::Rows row(sql.Stream(kSelect), run, from);
  for (bool more = row.Next(); more && !is_full();) {
    const std::uint64_t number = row[kOfPermutation].Unsigned();
    Gatherer gatherer(number, overlaps, looked);
    do {
      gatherer.Add(row);
      ++rows;
      more = row.Next();
    } while (more && row[kOfPermutation].Unsigned() == number);
    v1::PermutationResult& done = page.emplace_back(gatherer.Finish(benchmarks));
    done.set_varied(VariedOf(varied, run, number));
    if (series) rows += AddSeries(sql, benchmarks, run, looked, done);
    bytes += done.ByteSizeLong();
  }
  return page;
}

}  // namespace twofold::results
