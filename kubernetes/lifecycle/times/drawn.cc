#include "kubernetes/lifecycle/times/drawn.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>

#include <algorithm>
#include <array>
#include <utility>

namespace twofold::lifecycle {
namespace {

constexpr double kMicrosecond = 1e-6;

std::string WordsOf(Moment moment) {
  return absl::StrReplaceAll(std::string(Name(moment)), {{"_", " "}});
}

/// In general: what users wait for. In detail: the steps, which add up, and how far the pods of a
/// gang are apart.
DrawnSpan DrawnSpanOf(const Span& span, Moment first_step) {
  constexpr std::array kWaitedFor = {Moment::kDecided, Moment::kScheduled, Moment::kReady};
  DrawnSpan drawn{span.name, WordsOf(span.from), WordsOf(span.to)};
  const bool total = span.from == Moment::kSent;
  drawn.optional = !IsOnTheWay(span.to);
  drawn.general =
      total && std::find(kWaitedFor.begin(), kWaitedFor.end(), span.to) != kWaitedFor.end();
  drawn.detailed = total ? span.to == first_step : span.from > Moment::kSent;
  return drawn;
}

Moment FirstStep(const std::vector<Span>& spans) {
  const auto first = std::find_if(spans.begin(), spans.end(), [](const Span& span) {
    return span.from == Moment::kSent && IsOnTheWay(span.to);
  });
  return first == spans.end() ? Moment::kCreated : first->to;
}

void SortBySending(std::vector<DrawnWorkload>& workloads) {
  std::stable_sort(workloads.begin(), workloads.end(),
                   [](const auto& a, const auto& b) { return a.sent < b.sent; });
}

void Add(DrawnRate& rate, const std::optional<Sight>& sight, Instant begin) {
  if (!sight) return;
  rate.at.push_back(ToSeconds(sight->at - begin));
  if (sight->IsLate()) ++rate.inexact;
}

DrawnRate RateOfWorkloads(const std::vector<Life>& lives, Moment moment, Instant begin) {
  DrawnRate rate{absl::StrCat("workloads ", WordsOf(moment)), {}};
  for (const Life& life : lives) Add(rate, Of(life.own, moment), begin);
  return rate;
}

DrawnRate RateOfPods(const std::vector<Life>& lives, const char* word, PodPhase phase,
                     Instant begin) {
  DrawnRate rate{absl::StrCat("pods ", word), {}};
  for (const Life& life : lives) {
    for (const PodLife& pod : life.pods) Add(rate, Of(pod.sights, phase), begin);
  }
  return rate;
}

std::vector<DrawnRate> RatesOf(const Kind& kind, const std::vector<Life>& lives, Instant begin) {
  std::vector<DrawnRate> rates = {
      RateOfWorkloads(lives, Moment::kCreated, begin),
      RateOfPods(lives, "scheduled", PodPhase::kScheduled, begin),
      RateOfPods(lives, "ready", PodPhase::kReady, begin),
      RateOfPods(lives, "finished", PodPhase::kFinished, begin),
  };
  if (!kind.IsPod()) rates.push_back(RateOfWorkloads(lives, Moment::kComplete, begin));
  std::erase_if(rates, [](const DrawnRate& rate) { return rate.at.empty(); });
  return rates;
}

std::optional<Instant> FirstSent(const std::vector<Life>& lives) {
  std::optional<Instant> first;
  for (const Life& life : lives) {
    const auto& sent = Of(life.own, Moment::kSent);
    if (sent && (!first || sent->at < *first)) first = sent->at;
  }
  return first;
}

double SecondsAfter(const RunaiInstant& instant, std::int64_t begin_us) {
  // A whole second is somewhere in it: its middle is the best guess.
  return static_cast<double>(instant.unix_us - begin_us) * kMicrosecond +
         (instant.whole_second ? 0.5 : 0.0);
}

std::optional<std::int64_t> FirstSubmitted(const std::vector<RunaiWorkload>& rows) {
  std::optional<std::int64_t> first;
  for (const RunaiWorkload& row : rows) {
    const auto& at = Of(row, RunaiMoment::kSubmitted);
    if (at && (!first || at->unix_us < *first)) first = at->unix_us;
  }
  return first;
}

DrawnSpan DrawnSpanOf(const RunaiSpan& span) {
  DrawnSpan drawn{span.name, Words(span.from), Words(span.to)};
  drawn.optional = true;  // as the tool writes no row that lacks what each workload has
  drawn.general = span.from == RunaiMoment::kSubmitted &&
                  (span.to == RunaiMoment::kDecision || span.to == RunaiMoment::kBackend);
  drawn.detailed = !drawn.general;
  return drawn;
}

DrawnRate RunaiRate(const std::vector<RunaiWorkload>& rows, RunaiMoment moment,
                    std::int64_t begin) {
  DrawnRate rate{Words(moment), {}};
  for (const RunaiWorkload& row : rows) {
    const auto& instant = Of(row, moment);
    if (instant) rate.at.push_back(SecondsAfter(*instant, begin));
  }
  return rate;
}

}  // namespace

Drawn DrawnOf(const Kind& kind, const std::string& run, const std::vector<Life>& lives,
              const std::vector<Plateau>& plateaus) {
  Drawn drawn{.headline = absl::StrCat(lives.size(), lives.size() == 1 ? " workload" : " workloads",
                                       " of kind ", std::string(kind.name), ", run ", run)};
  const std::vector<Span> spans = SpansOf(kind, HasGangs(lives), HasVolumes(lives));
  for (const Span& span : spans) drawn.spans.push_back(DrawnSpanOf(span, FirstStep(spans)));
  const Instant begin = FirstSent(lives).value_or(Instant{});
  for (const Life& life : lives) {
    const Sights sights = SightsOf(life);
    const auto& sent = Of(sights, Moment::kSent);
    if (!sent) {
      ++drawn.not_sent;
      continue;
    }
    DrawnWorkload workload{life.name, ToSeconds(sent->at - begin), {}};
    for (const Span& span : spans) workload.values.push_back(Measure(span, sights));
    drawn.workloads.push_back(std::move(workload));
  }
  SortBySending(drawn.workloads);
  drawn.rates = RatesOf(kind, lives, begin);
  drawn.plateaus = plateaus;
  return drawn;
}

Drawn DrawnOf(const RunaiData& data) {
  Drawn drawn{.headline =
                  absl::StrCat(data.rows.size(), data.rows.size() == 1 ? " workload" : " workloads",
                               " as the scale test tool has sampled them")};
  for (const RunaiSpan& span : RunaiSpans()) drawn.spans.push_back(DrawnSpanOf(span));
  const std::int64_t begin = FirstSubmitted(data.rows).value_or(0);
  for (const RunaiWorkload& row : data.rows) {
    const auto& sent = Of(row, RunaiMoment::kSubmitted);
    if (!sent) {
      ++drawn.not_sent;
      continue;
    }
    DrawnWorkload workload{row.name, SecondsAfter(*sent, begin), {}};
    for (const RunaiSpan& span : RunaiSpans()) workload.values.push_back(Measure(span, row));
    drawn.workloads.push_back(std::move(workload));
  }
  SortBySending(drawn.workloads);
  if (drawn.workloads.empty()) return drawn;
  for (const RunaiMoment moment :
       {RunaiMoment::kWorkload, RunaiMoment::kFirstPod, RunaiMoment::kDecision}) {
    drawn.rates.push_back(RunaiRate(data.rows, moment, begin));
  }
  return drawn;
}

}  // namespace twofold::lifecycle
