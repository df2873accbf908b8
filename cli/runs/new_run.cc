#include "cli/runs/new_run.h"

#include <absl/strings/str_cat.h>
#include <absl/time/clock.h>
#include <absl/time/time.h>

#include <random>
#include <utility>
#include <vector>

#include "cli/queues/frontend.h"
#include "cli/runs/benchmark.h"
#include "cli/runs/jobs.h"
#include "cli/runs/placement.h"
#include "lib/common/options.h"
#include "lib/spec/sweep.h"
#include "suites/table/table.h"
#include "suites/table/workload.h"

namespace twofold::cli {
namespace {

// "fio-quick-20261122-101530-3f2a": the time is for people, the rest tells two of one second apart.
std::string MadeUpId(const std::string& name) {
  std::random_device random;
  const std::string time = absl::FormatTime("%Y%m%d-%H%M%S", absl::Now(), absl::UTCTimeZone());
  return absl::StrCat(name.substr(0, 70), "-", time, "-",
                      absl::Hex(random() & 0xffff, absl::kZeroPad4));
}

Result<std::string> IdOf(const RunCommand& command, const spec::Sweep& sweep) {
  if (!command.id.empty()) return command.id;
  if (sweep.run_id.empty()) return MadeUpId(sweep.name);
  if (const Status status = run::CheckRunId(sweep.run_id); !status.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(sweep.file, ": metadata.runid: ", std::string(status.message())));
  }
  return sweep.run_id;
}

Result<std::string> QueueOf(const RunCommand& command, const spec::Sweep& sweep) {
  if (!command.queue.empty()) return command.queue;
  if (sweep.queue.empty()) return std::string(sweep.kind->suite);
  if (const std::string why = CheckQueueName(sweep.queue); !why.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(sweep.file, ": metadata.queue: ", why));
  }
  return sweep.queue;
}

// The nodes of the queue's workers, where a file chooses from them.
Result<std::vector<std::string>> NodesToChooseFrom(const RunCommand& command,
                                                   const spec::Sweep& sweep,
                                                   const std::string& queue,
                                                   const Globals& globals) {
  if (!sweep.nodes || !command.nodes.empty()) return command.nodes;
  if (command.local) {
    return absl::FailedPreconditionError("--local: one machine has no nodes to choose from");
  }
  const auto workers = run::WorkersOf(Frontend(globals), queue);
  if (!workers.ok()) return workers.status();
  std::vector<std::string> nodes = run::NodesOf(*workers);
  if (!nodes.empty()) return nodes;
  return absl::FailedPreconditionError(absl::StrCat("spec.nodes: no worker of queue ", queue,
                                                    " is connected; name the nodes with --nodes"));
}

}  // namespace

Result<KnownRun> Expanded(RunRecord record) {
  auto benchmark = ExpandBenchmark(record.file, record.text, record.nodes);
  if (!benchmark.ok()) return benchmark.status();
  if (record.own_workers) {
    for (auto& each : benchmark->expansion.permutations) {
      each.labels.push_back({kRunLabel, KeyOf(record)});
    }
  }
  return KnownRun{std::move(record), *std::move(benchmark)};
}

Result<KnownRun> NewRun(const RunCommand& command, std::string text, const Globals& globals) {
  const auto sweep = spec::ReadSweep(command.file, text, suite::Kinds());
  if (!sweep.ok()) return sweep.status();
  const auto id = IdOf(command, *sweep);
  if (!id.ok()) return id.status();
  const auto queue = QueueOf(command, *sweep);
  if (!queue.ok()) return queue.status();
  auto nodes = NodesToChooseFrom(command, *sweep, *queue, globals);
  if (!nodes.ok()) return nodes.status();
  auto workload = suite::FindWorkload(command.workload);
  if (!workload.ok()) return workload.status();
  return Expanded({.id = *id,
                   .file = command.file,
                   .text = std::move(text),
                   .queue = *queue,
                   .nodes = *std::move(nodes),
                   .local = command.local,
                   .own_workers = command.own_workers,
                   .workload = *std::move(workload)});
}

}  // namespace twofold::cli
