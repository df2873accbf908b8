#include "kubernetes/lifecycle/concluding.h"

#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <thread>

#include "kubernetes/lifecycle/output.h"
#include "kubernetes/lifecycle/preparing.h"
#include "kubernetes/lifecycle/remains.h"
#include "kubernetes/lifecycle/times/seed.h"

namespace twofold::cli {
namespace {

using lifecycle::Outcome;

Status WriteCompat(const std::string& dir, const Outcome& outcome) {
  std::vector<lifecycle::SeedWorkload> rows;
  for (const lifecycle::Life& life : outcome.lives) {
    rows.push_back(lifecycle::SeedOf(life, outcome.anchor));
  }
  std::error_code ignored;
  std::filesystem::create_directories(dir, ignored);
  const Status status =
      lifecycle::WriteText("--compat", dir + "/submitted.json", lifecycle::SubmittedJson(rows));
  if (!status.ok()) return status;
  return lifecycle::WriteText("--compat", dir + "/sampled.json", lifecycle::SampledJson(rows));
}

Status WriteFiles(const lifecycle::EndOptions& options, const Outcome& outcome) {
  Status status;
  if (!options.output.times.empty()) {
    status =
        lifecycle::WriteText("--times", options.output.times,
                             lifecycle::TimesCsv(*outcome.kind, outcome.lives, outcome.anchor));
  }
  if (!options.compat.empty()) status.Update(WriteCompat(options.compat, outcome));
  return status;
}

Status DrawPlots(const lifecycle::OutputOptions& options, const Outcome& outcome) {
  if (options.plots.dir.empty()) return absl::OkStatus();
  std::vector<lifecycle::Life> lives = outcome.lives;
  const std::size_t skipped = Choose(options.choice, *outcome.kind, lives);
  if (skipped > 0) {
    spdlog::info("not in the pictures, for a span that ends before it begins: {}", skipped);
  }
  return WritePlots(options.plots,
                    DrawnOf(*outcome.kind, outcome.run, lives, outcome.report.plateaus));
}

/// Whether any workload got into the cluster: without one, no threshold says anything.
Status CheckData(const Outcome& outcome) {
  std::string refused;
  for (const lifecycle::Life& life : outcome.lives) {
    if (life.refused.empty() && !life.uid.empty()) return absl::OkStatus();
    if (refused.empty()) refused = life.refused;
  }
  return absl::InternalError(
      absl::StrCat("no data: none of ", outcome.lives.size(), " workloads was created and seen",
                   refused.empty() ? "; the notes say why" : ", the first was refused: ", refused));
}

}  // namespace

Status PrintTrial(const kube::Access& access, const lifecycle::RunSettings& settings) {
  kube::Connection connection(access);
  const auto words = lifecycle::TryOut(connection, settings);
  if (!words.ok()) return words.status();
  for (const std::string& line : *words) std::cout << line << "\n";
  return absl::OkStatus();
}

void WarnOfExemption(bool exempt) {
  if (!exempt) return;
  spdlog::warn(
      "the API server takes us for one of system:masters: its flow control does not hold for us as "
      "it does for users");
}

Status Conclude(const lifecycle::EndOptions& options, const Globals& globals,
                const std::vector<lifecycle::Threshold>& thresholds, const Status& ended,
                const Outcome& outcome) {
  std::cout << lifecycle::Print(FormOf(options.output, globals.form), outcome.report) << std::flush;
  Status status = WriteFiles(options, outcome);
  status.Update(ended);
  status.Update(CheckData(outcome));
  status.Update(CheckAll(thresholds, outcome.report));
  const Status drawn = DrawPlots(options.output, outcome);
  if (!status.ok() && !drawn.ok()) spdlog::error("{}", std::string(drawn.message()));
  status.Update(drawn);
  return status;
}

Status CleanAfter(const kube::Access& access, const kube::ObjectName& run, int connections,
                  const std::atomic<int>& signals) {
  lifecycle::Cleaning cleaning;
  cleaning.connections = connections;
  const int before = std::min(signals.load(), 1);
  cleaning.given_up = [&signals, before] { return signals > before; };
  const auto cleaned = lifecycle::CleanUp(access, run.space, run.name, cleaning);
  if (!cleaned.ok()) {
    spdlog::error("{}", std::string(cleaned.status().message()));
    return cleaned.status();
  }
  spdlog::info("deleted {} objects of run {}", *cleaned, run.name);
  return absl::OkStatus();
}

Status WorkWithSignals(ShutdownSignals& shutdown,
                       const std::function<Status(const std::atomic<int>& signals)>& work,
                       const std::function<void()>& interrupt) {
  std::atomic<int> signals = 0;
  Status status;
  std::thread thread([&] {
    status = work(signals);
    ShutdownSignals::Wake();
  });
  while (shutdown.Wait() != 0) {
    ++signals;
    interrupt();
  }
  thread.join();
  return status;
}

}  // namespace twofold::cli
