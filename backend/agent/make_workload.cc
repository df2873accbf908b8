#include "backend/agent/make_workload.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cerrno>

#include "backend/benchmark/benchmark.h"
#include "backend/benchmark/offers.h"
#include "backend/workload/command.h"
#include "backend/workload/sleep.h"
#include "lib/process/environment.h"
#include "suites/table/table.h"

namespace twofold::backend {
namespace {

using MadeWorkload = Result<std::unique_ptr<Workload>>;

MadeWorkload MakeSleep(const WorkloadParts& parts, const WorkloadOptions& options) {
  const std::vector<std::string_view> arguments(options.argv.begin() + 1, options.argv.end());
  Result<SleepTimes> times = ParseSleep(arguments);
  if (!times.ok()) return times.status();
  return std::make_unique<Sleep>(parts.io, *std::move(times));
}

MadeWorkload MakeCommand(const WorkloadParts& parts, const WorkloadOptions& options) {
  if (Status status = process::CheckExecutable(options.argv[0]); !status.ok()) {
    return Status(status.code(), absl::StrCat("workload ", std::string(status.message())));
  }
  return std::make_unique<Command>(
      parts.io, parts.reaper, process::Program{options.argv, options.null_in, options.null_out},
      parts.peers);
}

Status CheckBenchmark(const std::vector<const suite::Suite*>& suites,
                      const WorkloadOptions& options) {
  const std::string& name = options.argv[0];
  const std::size_t specs = suites.size() == 1 ? 1 : 0;
  if (options.argv.size() > 1 + specs) {
    return absl::InvalidArgumentError(
        specs == 0
            ? absl::StrCat(name, ": takes no spec, as no spec is for several suites")
            : absl::StrCat(name, ": takes one argument at most, a spec: -- ", name, " '{...}'"));
  }
  if (access(options.benchmark.work_dir.c_str(), W_OK | X_OK) != 0) {
    return absl::ErrnoToStatus(errno, "--work-dir: " + options.benchmark.work_dir);
  }
  if (options.argv.size() < 2) return absl::OkStatus();
  const Status status = suites[0]->check(options.argv[1]).status();
  return {status.code(), absl::StrCat(name, ": ", std::string(status.message()))};
}

MadeWorkload MakeBenchmark(const WorkloadParts& parts, std::vector<const suite::Suite*> suites,
                           const WorkloadOptions& options) {
  if (Status status = CheckBenchmark(suites, options); !status.ok()) return status;
  BenchmarkOptions benchmark = options.benchmark;
  if (options.argv.size() > 1) benchmark.spec = options.argv[1];
  benchmark.peers = parts.peers;
  Offers offers{.suites = std::move(suites), .labels = {}, .missing = {}};
  if (!options.check_only) offers = AskOffers(parts.io, parts.reaper, offers.suites, benchmark);
  if (offers.suites.empty()) {
    return absl::FailedPreconditionError("this worker can offer nothing: " +
                                         absl::StrJoin(offers.missing, "; "));
  }
  for (const std::string& why : offers.missing) spdlog::warn("not offered: {}", why);
  return std::make_unique<Benchmark>(parts.io, parts.reaper, std::move(offers),
                                     std::move(benchmark));
}

}  // namespace

MadeWorkload MakeWorkload(const WorkloadParts& parts, const WorkloadOptions& options) {
  const std::string& name = options.argv.at(0);
  if (name == "sleep") return MakeSleep(parts, options);
  auto suites = suite::FindSuites(name);
  if (!suites.empty()) return MakeBenchmark(parts, std::move(suites), options);
  return MakeCommand(parts, options);
}

}  // namespace twofold::backend
