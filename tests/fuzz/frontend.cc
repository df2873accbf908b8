#include "tests/fuzz/frontend.h"

#include <spdlog/spdlog.h>

#include <array>
#include <future>
#include <vector>

#include "frontend/queues/convert.h"
#include "frontend/streams/client_session.h"
#include "frontend/streams/worker_session.h"
#include "tests/fuzz/target.h"

namespace twofold::fuzz {
namespace {

using Turn = frontend::QueueHost::Turn;

queue::QueueOptions Options() {
  queue::QueueOptions options;
  options.limit = 1000;
  options.lease = options.grace = Duration(1);
  options.ageing = std::chrono::seconds(1);
  return options;
}

std::vector<frontend::QueuePlan> Plans() {
  return {{.name = "a", .number = 0}, {.name = "d", .durable = true, .number = 1}};
}

/// Watches all jobs and their output, and forgets what it is told.
class Onlooker final : public frontend::Watcher {
 public:
  void OnJob(const v1::Job& job) override {
    Require(job.id() != 0, "a job that changes has an id");
  }
  void OnOutput(std::uint32_t, std::string_view, std::uint64_t) override {}
  void OnMoved() override {}
  [[nodiscard]] bool wants_output() const override { return true; }
  void Flush() override {}
};

std::vector<queue::JobId> FirstJobs(const Turn& turn, std::size_t most) {
  std::vector<queue::JobId> jobs;
  turn.core().List(turn.now(), {.limit = most},
                   [&](const queue::JobView& job) { jobs.push_back(job.job); });
  return jobs;
}

constexpr std::array<void (*)(Turn&), 5> kControls = {
    +[](Turn& turn) { turn.Resume(); },
    +[](Turn& turn) { turn.Pause(); },
    +[](Turn& turn) { turn.Drain(); },
    +[](Turn& turn) {
      turn.PauseWorkers({"*", ""});
    },
    +[](Turn& turn) {
      turn.ResumeWorkers({"*", ""});
    },
};

template <typename Session>
std::unique_ptr<FakeCall> Call(const std::shared_ptr<Session>& session,
                               FakeCall::OnWrite on_write) {
  return std::make_unique<FakeCall>(session, std::move(on_write));
}

}  // namespace

Frontend::Frontend(bool with_store) : queues_(Plans(), Options(), 1, nullptr) {
  spdlog::set_level(spdlog::level::off);  // most inputs are refused, each with a line in the log
  if (!with_store) return;
  journal_.emplace(store_);
  queues_.SetStore(store_, *journal_);
}

std::unique_ptr<FakeCall> Frontend::Submit(FakeCall::OnWrite on_write) {
  const queue::SubmitterId id{++last_submitter_};
  return Call(std::make_shared<frontend::ClientSession>(queues_, id), std::move(on_write));
}

std::unique_ptr<FakeCall> Frontend::Work(FakeCall::OnWrite on_write) {
  return Call(std::make_shared<frontend::WorkerSession>(queues_), std::move(on_write));
}

void Frontend::Sync() {
  if (!journal_) return;
  std::promise<void> done;
  journal_->Append({}, [&done] { done.set_value(); });
  done.get_future().wait();
}

void Frontend::ForEachQueue(const std::function<void(Turn&)>& visit) {
  for (const auto& host : queues_.all()) {
    Turn turn(*host, Now());
    visit(turn);
  }
}

void Frontend::Tick() {
  ForEachQueue([](Turn& turn) { turn.Tick(); });
}

void Frontend::Control(std::uint8_t how) { ForEachQueue(kControls[how % kControls.size()]); }

void Frontend::Cancel(std::size_t most) {
  ForEachQueue([most](Turn& turn) {
    for (const queue::JobId job : FirstJobs(turn, most)) turn.Cancel(job);
  });
}

void Frontend::Watch() {
  ForEachQueue([](Turn& turn) {
    for (const queue::JobId job : FirstJobs(turn, 1)) turn.Watch(job, std::make_shared<Onlooker>());
  });
}

std::uint64_t Frontend::unfinished() {
  std::uint64_t jobs = 0;
  ForEachQueue([&jobs](Turn& turn) {
    const queue::QueueStats stats = turn.core().Stats();
    jobs += stats.waiting + stats.running;
  });
  return jobs;
}

}  // namespace twofold::fuzz
