#pragma once

#include <gtest/gtest.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "backend/agent/agent.h"
#include "backend/agent/make_workload.h"
#include "backend/workload/loop_on_asio.h"
#include "backend/workload/sleep.h"
#include "tests/fakes/fake_workers_service.h"

namespace twofold::backend {

constexpr Duration kForever = std::chrono::hours(1);

/// An agent on a thread of its own, from its construction on.
class RunningAgent {
 public:
  /// With the sleep suite.
  RunningAgent(AgentOptions options, Duration sleep)
      : RunningAgent(std::move(options), [&](const WorkloadParts& parts) {
          return std::make_unique<Sleep>(parts.io, SleepTimes{Distribution(sleep)});
        }) {}

  /// With the command suite and a shell text as its program, `$1` in it being `argument`. One at a
  /// time: it collects every child of this process.
  RunningAgent(AgentOptions options, const std::string& text, const std::string& argument)
      : RunningAgent(std::move(options), [&](const WorkloadParts& parts) {
          return MakeWorkload(parts,
                              {.argv = {"/bin/sh", "-c", text, "sh", argument}, .null_in = true})
              .value();
        }) {}

  RunningAgent(const RunningAgent&) = delete;
  RunningAgent& operator=(const RunningAgent&) = delete;
  ~RunningAgent() {
    for (int i = 0; i < 3; ++i) Shutdown();  // does nothing after the exit
    thread_.join();
  }

  void Shutdown() {
    boost::asio::post(io_, [this] { agent_->Shutdown(); });
  }

  bool registered() const { return agent_->registered(); }

  int ExitCode() { return exit_code_.Take().value_or(-1); }

 private:
  using MakeSuite = std::function<std::unique_ptr<Workload>(const WorkloadParts&)>;

  // Programs are started on the thread that runs them: they die with it.
  RunningAgent(AgentOptions options, const MakeSuite& make)
      : workload_(make({io_, reaper_})),
        agent_(std::make_unique<Agent>(io_, loop_, std::move(options), *workload_)) {
    boost::asio::post(io_, [this] {
      agent_->Start([this](int code) {
        exit_code_.Put(code);
        io_.stop();
      });
    });
    thread_ = std::thread([this] { io_.run(); });
  }

  boost::asio::io_context io_{1};
  LoopOnAsio loop_{io_};
  process::Reaper reaper_{io_};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      io_.get_executor()};
  std::unique_ptr<Workload> workload_;
  std::unique_ptr<Agent> agent_;
  fakes::Mailbox<int> exit_code_;
  std::thread thread_;
};

class AgentTest : public ::testing::Test {
 protected:
  AgentOptions Options(std::uint32_t slots = 4) {
    AgentOptions options;
    options.link.address = frontend_.address();
    options.link.give_up = Duration::zero();
    options.link.pause = std::chrono::milliseconds(5);
    options.link.pause_max = std::chrono::milliseconds(50);
    options.queue = "sleep";
    options.node = "node-1";
    options.pod = "pod-1";
    options.device = "renderD128";
    options.slots = slots;
    options.process_key = 77;
    options.leave_when_empty = false;
    return options;
  }

  static void Break(fakes::FakeWorkStream& stream) {
    stream.Close(absl::UnavailableError("restart"));
  }

  fakes::FakeWorkersService frontend_;
};

}  // namespace twofold::backend
