#include "kubernetes/commands/running.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <iostream>
#include <thread>

#include "kubernetes/lifecycle/sending/preparing.h"
#include "kubernetes/lifecycle/sending/remains.h"
#include "lib/common/descriptors.h"

namespace twofold::lifecycle {

Running::Running() {
  InitLogging(/*verbose=*/false);
  RaiseDescriptorLimit();
}

Status Running::Work(const std::function<Status(const std::atomic<int>& signals)>& work,
                     const std::function<void()>& interrupt) {
  std::atomic<int> signals = 0;
  Status status;
  std::thread thread([&] {
    status = work(signals);
    ShutdownSignals::Wake();
  });
  while (shutdown_.Wait() != 0) {
    ++signals;
    interrupt();
  }
  thread.join();
  return status;
}

Status PrintTrial(const kube::Access& access, const RunPlan& plan) {
  kube::Connection connection(access);
  const auto sending = SendingOf(plan);
  if (!sending.ok()) return sending.status();
  const auto words = TryOut(connection, *sending);
  if (!words.ok()) return words.status();
  for (const std::string& line : *words) std::cout << line << "\n";
  return absl::OkStatus();
}

void WarnOfExemption(Run& run) {
  if (!run.IsExempt()) return;
  spdlog::warn(
      "the API server takes us for one of system:masters: its flow control does not hold for us as "
      "it does for users");
}

void Log(const std::string& line) { spdlog::info("{}", line); }

Status CleanAfter(const kube::Access& access, const kube::ObjectName& run, int connections,
                  const std::atomic<int>& signals) {
  Cleaning cleaning;
  cleaning.connections = connections;
  const int before = std::min(signals.load(), 1);
  cleaning.given_up = [&signals, before] { return signals > before; };
  const auto cleaned = CleanUp(access, run.space, run.name, cleaning);
  if (!cleaned.ok()) {
    spdlog::error("{}", std::string(cleaned.status().message()));
    return cleaned.status();
  }
  spdlog::info("deleted {} objects of run {}", *cleaned, run.name);
  return absl::OkStatus();
}

}  // namespace twofold::lifecycle
