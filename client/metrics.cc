#include <string>
#include <utility>

#include "client/pages.h"
#include "lib/metrics/family.h"
#include "lib/words/word.h"

namespace twofold::client {
namespace {

using metrics::Family;
using metrics::Labels;
using metrics::MetricType;
using prometheus::MetricFamily;

/// A family with one series.
template <typename Value>
MetricFamily One(const char* name, const char* help, MetricType type, const Labels& labels,
                 const Value& value) {
  Family family(name, help, type);
  family.Add(labels, value);
  return family.Take();
}

MetricFamily Finished(const Labels& queue, const load::OutcomeCounts& counts) {
  Family family("twofold_client_jobs_finished_total", "Jobs that have ended, by outcome.",
                MetricType::Counter);
  for (int i = v1::OUTCOME_SUCCEEDED; i < v1::Outcome_ARRAYSIZE; ++i) {
    Labels labels = queue;
    labels.push_back({"outcome", Word(static_cast<v1::Outcome>(i))});
    family.Add(std::move(labels), counts[static_cast<std::size_t>(i)]);
  }
  return family.Take();
}

}  // namespace

std::vector<MetricFamily> CollectMetrics(const load::Snapshot& snapshot) {
  const Labels queue = {{"queue", snapshot.queue}};
  constexpr MetricType kGauge = MetricType::Gauge;
  constexpr MetricType kCounter = MetricType::Counter;
  return {
      One("twofold_client_parallelism", "Jobs to be kept outstanding.", kGauge, queue,
          snapshot.parallelism),
      One("twofold_client_pending_jobs", "Jobs submitted that have no answer yet.", kGauge, queue,
          snapshot.pending),
      One("twofold_client_rate", "Jobs that are due each second; 0 in a closed loop.", kGauge,
          queue, snapshot.rate.value_or(0)),
      One("twofold_client_sent_jobs_total", "Jobs of an open loop that were sent.", kCounter, queue,
          snapshot.totals.sent),
      One("twofold_client_late_jobs_total", "Of these, sent more than 10 ms after they were due.",
          kCounter, queue, snapshot.totals.sent_late),
      One("twofold_client_lateness_seconds_total",
          "How long after they were due jobs of an open loop were sent, added up.", kCounter, queue,
          ToSeconds(snapshot.totals.lateness)),
      One("twofold_client_connected", "1 while the stream to the frontend is up.", kGauge, queue,
          snapshot.link == load::Link::kConnected ? 1.0 : 0.0),
      Finished(queue, snapshot.totals.finished),
      One("twofold_client_round_trip_seconds",
          "From submitting to the answer, of jobs that succeeded; the client's clock.",
          MetricType::Histogram, queue, snapshot.totals.round_trips),
      One("twofold_client_interruptions_total", "How often the frontend was lost.", kCounter, queue,
          snapshot.totals.interruptions),
      One("twofold_client_unknown_answers_total",
          "Answers to jobs that were not outstanding; ignored.", kCounter, queue,
          snapshot.totals.unknown_answers),
      metrics::BuildFamily("twofold_client_build_info",
                           "What this client was built from; always 1.")
          .Take(),
  };
}

}  // namespace twofold::client
