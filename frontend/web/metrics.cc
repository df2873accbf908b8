#include <string>
#include <utility>

#include "frontend/web/web.h"
#include "lib/h2/closing.h"
#include "lib/metrics/family.h"
#include "lib/results/report_reader.h"
#include "lib/rpc/loop_thread.h"

namespace twofold::frontend {
namespace {

using metrics::Family;
using metrics::Labels;
using metrics::MetricType;
using prometheus::MetricFamily;

struct Families {
  Family jobs{"twofold_jobs", "Jobs in the queue, by state.", MetricType::Gauge};
  Family oldest{"twofold_oldest_waiting_age_seconds",
                "Age of the job that waits longest; 0 if none waits.", MetricType::Gauge};
  Family wanted{"twofold_wanted_workers",
                "Workers that would leave no job waiting that may run; a gang counts its members. "
                "A paused queue wants only those that run its jobs.",
                MetricType::Gauge};
  Family workers{"twofold_workers", "Worker slots of connected processes, by state.",
                 MetricType::Gauge};
  Family processes{"twofold_worker_processes", "Connected worker processes.", MetricType::Gauge};
  Family cpu{"twofold_worker_cpu_seconds_total",
             "Processor time of worker processes and what they run, as they said last.",
             MetricType::Counter};
  Family throttled{"twofold_worker_throttled_seconds_total",
                   "How long CPU quotas have held worker processes up.", MetricType::Counter};
  Family reported{"twofold_worker_reported_seconds_total",
                  "How long worker processes have run until they said so last.",
                  MetricType::Counter};
  Family finished{"twofold_jobs_finished_total", "Jobs that have ended, by outcome.",
                  MetricType::Counter};
  Family requeued{"twofold_attempts_requeued_total",
                  "Attempts given up and put back: the worker was lost or handed them back.",
                  MetricType::Counter};
  Family refused{"twofold_results_refused_total",
                 "Late results of attempts that no longer counted.", MetricType::Counter};
  Family paused{"twofold_queue_paused", "1 while the queue hands out no jobs.", MetricType::Gauge};
  Family draining{"twofold_queue_draining", "1 while the queue accepts no jobs.",
                  MetricType::Gauge};
  Family wait{"twofold_job_wait_seconds",
              "From accepted, or the end of the delay, to handed out: of ended jobs, if a worker "
              "had them then.",
              MetricType::Histogram};
  Family run{"twofold_job_run_seconds",
             "How long the workload ran, by the worker's clock; of jobs lost or cancelled since "
             "they were handed out.",
             MetricType::Histogram};
  Family total{"twofold_job_total_seconds", "From submitted to ended, with delays.",
               MetricType::Histogram};
};

/// Sums over `queue` are those of the queue, however many shards it has.
Labels LabelsOf(const QueueSet& queues, const QueueHost& host) {
  if (queues.ShardsOf(host).size() == 1) return {{"queue", host.queue()}};
  return {{"queue", host.queue()}, {"shard", std::to_string(host.shard())}};
}

void AddQueue(Families& families, QueueHost& host, const Labels& queue, Instant now) {
  const QueueHost::Snapshot snapshot = host.Look(now);
  if (!snapshot.served) return;  // who serves it counts it
  const queue::QueueStats& stats = snapshot.stats;
  const QueueTimes times = host.Times();
  const WorkerUsage usage = host.Usage();
  const auto with = [&queue](const char* label, std::string value) {
    Labels labels = queue;
    labels.push_back({label, std::move(value)});
    return labels;
  };
  families.jobs.Add(with("state", "waiting"), stats.waiting);
  families.jobs.Add(with("state", "running"), stats.running);
  families.oldest.Add(queue, ToSeconds(snapshot.oldest_waiting));
  families.wanted.Add(queue, stats.wanted_workers);
  families.workers.Add(with("state", "idle"), stats.workers_idle);
  families.workers.Add(with("state", "busy"), stats.workers_busy);
  families.workers.Add(with("state", "draining"), stats.workers_draining);
  families.processes.Add(queue, stats.processes);
  families.cpu.Add(queue, ToSeconds(usage.cpu));
  families.throttled.Add(queue, ToSeconds(usage.throttled));
  families.reported.Add(queue, ToSeconds(usage.reported));
  for (int i = 0; i < queue::kOutcomes; ++i) {
    const std::string outcome(queue::Name(static_cast<queue::Outcome>(i)));
    families.finished.Add(with("outcome", outcome), stats.finished[static_cast<std::size_t>(i)]);
  }
  families.requeued.Add(queue, stats.requeued);
  families.refused.Add(queue, stats.refused_results);
  families.paused.Add(queue, stats.paused ? 1.0 : 0.0);
  families.draining.Add(queue, stats.draining ? 1.0 : 0.0);
  families.wait.Add(queue, times.wait);
  families.run.Add(queue, times.run);
  families.total.Add(queue, times.total);
}

void AddTraffic(std::vector<MetricFamily>& result, const Traffic& traffic) {
  Family clients("twofold_clients", "Connected client streams.", MetricType::Gauge);
  clients.Add({}, traffic.clients.load());
  result.push_back(clients.Take());

  Family jobs("twofold_jobs_per_message", "Jobs in messages of the streams that have any.",
              MetricType::Histogram);
  const auto add = [&jobs](const char* message, const JobsPerMessage& of) {
    jobs.AddDoubling({{"message", message}}, of.messages(), static_cast<double>(of.jobs()));
  };
  add("submit", traffic.submitted);
  add("assign", traffic.assigned);
  add("result", traffic.completed);
  add("reply", traffic.replied);
  result.push_back(jobs.Take());
}

/// Of all journals that this frontend has.
void AddStore(std::vector<MetricFamily>& result, const QueueSet& queues) {
  results::JournalStats stats = queues.journal()->Stats();
  bool writable = queues.journal()->writable();
  for (const auto& host : queues.all()) {
    const auto journal = host->Look(Now()).journal;
    if (journal == nullptr || journal.get() == queues.journal()) continue;
    const results::JournalStats more = journal->Stats();
    stats.pending_bytes += more.pending_bytes;
    stats.commits += more.commits;
    stats.failures += more.failures;
    writable = writable && journal->writable();
  }
  const auto add = [&result](const char* name, const char* help, MetricType type, auto value) {
    Family family(name, help, type);
    family.Add({}, value);
    result.push_back(family.Take());
  };
  add("twofold_store_writable", "1 while durable jobs can be stored.", MetricType::Gauge,
      writable ? 1.0 : 0.0);
  add("twofold_store_pending_bytes", "What waits in memory for the disk.", MetricType::Gauge,
      stats.pending_bytes);
  add("twofold_store_commits_total", "Groups of records put on disk.", MetricType::Counter,
      stats.commits);
  add("twofold_store_commit_failures_total", "Tries to do so that failed.", MetricType::Counter,
      stats.failures);
}

/// All causes exist from the start.
MetricFamily ClosedFamily(const rpc::Loops& loops) {
  Family family("twofold_grpc_closed_connections_total",
                "Connections of the gRPC ports that were closed or turned away, by reason; those "
                "that ended in order are left out.",
                MetricType::Counter);
  for (std::size_t i = 0; i < h2::kCauseNames.size(); ++i) {
    const auto cause = static_cast<h2::Cause>(i);
    if (cause == h2::Cause::kInOrder) continue;
    std::uint64_t all = 0;
    for (const auto& loop : loops) all += loop->closed().of(cause);
    family.Add({{"reason", std::string(h2::kCauseNames[i])}}, all);
  }
  return family.Take();
}

/// Of the threads that serve the gRPC ports, together.
void AddLoops(std::vector<MetricFamily>& result, const rpc::Loops& loops) {
  stats::Histogram all_turns;
  std::size_t all_held = 0;
  for (const auto& loop : loops) {
    all_turns.Merge(loop->Turns());
    all_held += loop->held();
  }
  Family turns("twofold_grpc_turn_seconds",
               "Turns of the threads that serve the gRPC ports: as long waits whoever comes.",
               MetricType::Histogram);
  turns.Add({}, all_turns);
  result.push_back(turns.Take());

  Family held("twofold_grpc_held_bytes", "What peers of the gRPC ports make this process hold.",
              MetricType::Gauge);
  held.Add({}, all_held);
  result.push_back(held.Take());
  result.push_back(ClosedFamily(loops));
}

MetricFamily ReportsFamily(const results::ReportReader& reports) {
  Family family("twofold_store_reports_total",
                "Reports of durable jobs with data: of a benchmark, in tables; of others; of a "
                "benchmark, but refused.",
                MetricType::Counter);
  family.Add({{"data", "benchmark"}}, reports.taken());
  family.Add({{"data", "other"}}, reports.other());
  family.Add({{"data", "refused"}}, reports.refused());
  return family.Take();
}

}  // namespace

std::vector<MetricFamily> CollectMetrics(const QueueSet& queues, const Storage* storage,
                                         const std::vector<const security::Gate*>& gates,
                                         const rpc::Loops& loops) {
  Families all;
  for (const auto& host : queues.all()) AddQueue(all, *host, LabelsOf(queues, *host), Now());
  std::vector<MetricFamily> result;
  for (Family* family :
       {&all.jobs, &all.oldest, &all.wanted, &all.workers, &all.processes, &all.cpu, &all.throttled,
        &all.reported, &all.finished, &all.requeued, &all.refused, &all.paused, &all.draining,
        &all.wait, &all.run, &all.total}) {
    result.push_back(family->Take());
  }
  AddTraffic(result, queues.traffic());
  if (!loops.empty()) AddLoops(result, loops);
  if (queues.journal() != nullptr) AddStore(result, queues);
  result.push_back(
      metrics::BuildFamily("twofold_build_info", "What this frontend was built from; always 1.")
          .Take());
  if (storage != nullptr) result.push_back(ReportsFamily(storage->reports()));
  result.push_back(metrics::DeniedFamily("twofold_denied_total", gates).Take());
  return result;
}

}  // namespace twofold::frontend
