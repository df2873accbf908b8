#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/operator/runs.h"

namespace twofold::benchmarks {

/// The process ends here.
struct Killed {};

/// Where something goes wrong: at the n-th write of a process, wherever it goes.
class Gate {
 public:
  enum class Fault { kKillBefore, kKillAfter, kLoseRequest, kLoseReply };

  Gate() = default;
  Gate(std::size_t at, Fault fault) : at_(at), fault_(fault) {}

  /// Does `write`, or not; an error: whoever asked learns no more than that.
  Status Pass(const std::function<void()>& write) {
    const bool is_now = at_ && writes_++ == *at_;
    if (is_now && fault_ == Fault::kKillBefore) throw Killed();
    if (is_now && fault_ == Fault::kLoseRequest) return absl::UnavailableError("lost");
    write();
    if (is_now && fault_ == Fault::kKillAfter) throw Killed();
    if (is_now && fault_ == Fault::kLoseReply) return absl::UnavailableError("the answer is lost");
    if (!at_) ++writes_;
    return absl::OkStatus();
  }

  [[nodiscard]] std::size_t writes() const { return writes_; }

 private:
  std::optional<std::size_t> at_;
  Fault fault_ = Fault::kKillBefore;
  std::size_t writes_ = 0;
};

/// A frontend, which outlives operators.
struct FakeFrontend {
  struct Job {
    enum class State { kPlanned, kWaiting, kRunning, kSucceeded, kFailed, kWithdrawn };
    State state = State::kPlanned;
    int executions = 0;
  };
  struct Run {
    std::string definition;
    std::vector<Job> jobs;
    int begun = 0;  ///< times that it was created
    bool cancelled = false;
  };

  std::map<std::string, Run> runs;
  std::size_t jobs_a_run = 3;
  std::size_t failing = SIZE_MAX;          ///< place of the job that fails
  Status fault;                            ///< of all calls
  std::string lacking;                     ///< workers, for new runs
  bool is_busy = false;                    ///< jobs that run do not end
  std::optional<Bar> bar;                  ///< to all runs
  kube::Json asked_about;                  ///< whether there is a bar to it, the last time
  std::vector<Headline> results;           ///< empty: one of its own
  std::shared_ptr<const MeasuredJob> job;  ///< that of each run
  Status no_results;                       ///< of results alone
};

/// One process' way to it. One job runs at a time; each look ends the one that ran before.
class FakeRuns final : public Runs {
 public:
  using State = FakeFrontend::Job::State;

  FakeRuns(FakeFrontend& frontend, Gate& gate) : frontend_(frontend), gate_(gate) {}

  [[nodiscard]] std::optional<Bar> BarTo(const RunOrder& order) override {
    frontend_.asked_about = order.of;
    return frontend_.bar;
  }

  Result<std::uint64_t> Check(const RunOrder& order) override {
    ++checks;
    if (order.definition.find("Nonsense") != std::string::npos) {
      return absl::InvalidArgumentError("spec.template.kind: there is no Nonsense");
    }
    return frontend_.jobs_a_run;
  }

  Result<RunLook> Advance(const RunOrder& order, Duration, bool anew) override {
    if (!frontend_.fault.ok()) return frontend_.fault;
    if (!frontend_.runs.contains(order.id)) {
      if (!anew) return absl::DataLossError("the frontend has no run " + order.id);
      if (!frontend_.lacking.empty()) {
        RunLook look;
        look.lacking = frontend_.lacking;
        return look;
      }
      Status begun = gate_.Pass([&] { Create(order); });
      if (!begun.ok()) return begun;
    }
    FakeFrontend::Run& run = frontend_.runs.at(order.id);
    Work(run);
    if (run.cancelled) return absl::CancelledError("run " + order.id + " was cancelled");
    const bool is_due = std::any_of(run.jobs.begin(), run.jobs.end(), [&](const auto& job) {
      return job.state == State::kPlanned || (anew && job.state == State::kWithdrawn);
    });
    if (is_due) {
      Status submitted = gate_.Pass([&] { Submit(run, anew); });
      if (!submitted.ok()) return submitted;
    }
    return Look(run);
  }

  Result<RunLook> Pause(const RunOrder& order) override {
    if (!frontend_.fault.ok()) return frontend_.fault;
    const auto known = frontend_.runs.find(order.id);
    if (known == frontend_.runs.end()) return RunLook{};
    Status paused = gate_.Pass([&] { Withdraw(known->second, false); });
    if (!paused.ok()) return paused;
    Work(known->second);
    return Look(known->second);
  }

  Status Cancel(const RunOrder& order) override {
    if (!frontend_.fault.ok()) return frontend_.fault;
    const auto known = frontend_.runs.find(order.id);
    if (known == frontend_.runs.end()) return absl::OkStatus();
    return gate_.Pass([&] {
      Withdraw(known->second, true);
      known->second.cancelled = true;
    });
  }

  Result<Results> Summary(const RunOrder& order) override {
    if (!frontend_.fault.ok()) return frontend_.fault;
    if (!frontend_.no_results.ok()) return frontend_.no_results;
    if (!frontend_.runs.contains(order.id)) return absl::NotFoundError("no run");
    std::vector<Headline> headlines = frontend_.results;
    if (headlines.empty()) {
      headlines.push_back({.permutation = 1,
                           .name = "bandwidth",
                           .unit = "MB/s",
                           .mean = 100,
                           .half_width = 2,
                           .jobs = 3});
    }
    return Results{.headlines = headlines, .in_all = headlines.size(), .job = frontend_.job};
  }

  void Forget(const std::string& id) override { forgotten.push_back(id); }

  int checks = 0;
  std::vector<std::string> forgotten;

 private:
  void Create(const RunOrder& order) {
    FakeFrontend::Run& run = frontend_.runs[order.id];
    run.definition = order.definition;
    run.jobs.resize(frontend_.jobs_a_run);
    ++run.begun;
  }

  static void Submit(FakeFrontend::Run& run, bool anew) {
    for (auto& job : run.jobs) {
      const bool is_due = job.state == State::kPlanned || (anew && job.state == State::kWithdrawn);
      if (is_due) job.state = State::kWaiting;
    }
  }

  static void Withdraw(FakeFrontend::Run& run, bool also_running) {
    for (auto& job : run.jobs) {
      const bool open = job.state == State::kWaiting || job.state == State::kPlanned;
      if (open || (also_running && job.state == State::kRunning)) job.state = State::kWithdrawn;
    }
  }

  void Work(FakeFrontend::Run& run) const {
    for (std::size_t i = 0; i < run.jobs.size(); ++i) {
      auto& job = run.jobs[i];
      if (job.state != State::kRunning) continue;
      if (frontend_.is_busy) return;
      job.state = i == frontend_.failing ? State::kFailed : State::kSucceeded;
    }
    for (auto& job : run.jobs) {
      if (job.state != State::kWaiting) continue;
      job.state = State::kRunning;
      ++job.executions;
      return;
    }
  }

  static RunLook Look(const FakeFrontend::Run& run) {
    RunLook look;
    look.jobs = run.jobs.size();
    for (const auto& job : run.jobs) {
      look.waiting += job.state == State::kWaiting || job.state == State::kPlanned ? 1 : 0;
      look.running += job.state == State::kRunning ? 1 : 0;
      look.succeeded += job.state == State::kSucceeded ? 1 : 0;
      look.failed += job.state == State::kFailed ? 1 : 0;
      look.withdrawn += job.state == State::kWithdrawn ? 1 : 0;
    }
    look.over = look.waiting + look.running == 0;
    return look;
  }

  FakeFrontend& frontend_;
  Gate& gate_;
};

}  // namespace twofold::benchmarks
