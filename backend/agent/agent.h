#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "backend/agent/frontend_link.h"
#include "backend/agent/held_results.h"
#include "backend/agent/relays.h"
#include "backend/agent/runner.h"
#include "backend/workload/workload.h"
#include "lib/common/instant.h"
#include "lib/process/cpu_use.h"
#include "lib/rpc/batches.h"

namespace twofold::backend {

/// Whose attempts this process ends by itself when the frontend may have given them to others.
enum class SelfFence : std::uint8_t { kOff, kDurable, kAll };

using Labels = std::map<std::string, std::string>;

struct AgentOptions {
  LinkOptions link;
  std::string queue = "sleep";
  std::string node;
  std::string pod;
  std::string device;            ///< what the workload runs on; empty: none
  std::string address;           ///< host name or IP address for the other members of a gang
  std::uint16_t peers_port = 0;  ///< where this process serves them; 0: nowhere
  Labels labels;
  std::uint32_t slots = 1;        ///< jobs at once
  std::uint64_t process_key = 1;  ///< random, not 0
  bool leave_when_empty = true;   ///< go as soon as no job waits
  bool ignore_arguments = false;  ///< of jobs
  std::string filename;           ///< replaces FILENAME in arguments of jobs; empty: nothing does
  Duration limit{0};              ///< longest run time; 0 = none
  Duration ready_limit = std::chrono::seconds(60);  ///< of the member of a gang to get ready
  Duration drain_limit = std::chrono::seconds(30);
  SelfFence self_fence = SelfFence::kOff;
  /// What this process and its programs use; empty: the frontend is told nothing of it.
  std::function<process::CpuUse()> cpu_use;
};

/// `text` with each FILENAME in it replaced.
std::string ReplaceFilename(std::string text, const std::string& filename);

/// A backend process as the frontend sees it: takes jobs, runs them, returns results, leaves.
///
/// Each Assign is answered by exactly one result. A result counts as delivered when it is handed to
/// a stream; those of jobs that end while the frontend is away are held until it is back, and Hello
/// lists them together with the jobs that run, so that a restart of the frontend costs no work.
/// Results of durable jobs are held until the frontend says that they are kept: they are listed and
/// delivered again on each new stream, and are the answer to a cancel that comes late.
///
/// Members of gangs say that they are ready, again on each new stream, until they are let go.
///
/// While it works it says what it uses of the processor, with what else it has to say (results,
/// heartbeats), at most once a second. An idle process does not say what it uses.
///
/// What jobs print is passed on for those that the frontend follows, for as long as the stream
/// lasts; how far they are is passed on always.
///
/// A process that could not be heard for its lease, or for the grace period without a stream, may
/// have lost its attempts to others: those that `self_fence` names are stopped and handed back.
///
/// Leaving goes in stages. First: take nothing new, finish. Then, at the second Shutdown or
/// `drain_limit` after the first: stop the workload, hand its jobs back. Results that have to be
/// kept are waited for; at the next Shutdown or `drain_limit` no longer. A frontend that says
/// `drain` causes the first stage without a limit, for the jobs at hand are as good as any other.
///
/// Threads  On the thread of the io_context.
class Agent final : private FrontendLink::Listener, private Runner::Listener {
 public:
  Agent(boost::asio::io_context& io, rpc::LoopOwner& loop, AgentOptions options,
        Workload& workload);

  /// `on_exit` gets the exit code of the program, once, when nothing is left to do: 0 if all jobs
  /// were answered and results kept that have to be, else 1 (the reason is logged).
  void Start(std::function<void(int)> on_exit);

  /// What SIGTERM means: the first call asks, the second insists, the third gives up.
  void Shutdown();

  /// Whether the frontend counts on this worker. From any thread.
  [[nodiscard]] bool registered() const { return link_.up(); }

 private:
  v1::Hello MakeHello() override;
  void OnMessage(const v1::FrontendMessage& message) override;
  bool HoldsAttempts() const override;
  void OnFlush() override;
  void OnSilence() override;
  void OnGone(const Status& status) override;

  void OnEnd(AttemptEnd end) override;
  void OnReady(const AttemptId& id) override;
  void OnProgress(const AttemptId& id, process::ProgressLine line) override;
  void OnOutput(const AttemptId& id, std::string_view bytes) override;

  void Welcomed();
  void Assign(const v1::AssignBatch& batch);
  void AssignOne(const v1::JobOptions& options, const rpc::AssignRow& row, const GangSeat* gang);
  void Run(const v1::JobOptions& options, const rpc::AssignRow& row, const GangSeat* gang);
  void Cancel(const AttemptId& id);
  void Follow(const AttemptId& id);
  void Unfollow(const AttemptId& id);

  void Deliver(const AttemptEnd& end);
  void SendProgress(const AttemptId& id, const process::ProgressLine& line);
  void SendOutput(const AttemptId& id, OutputBacklog::Chunk chunk);
  void Drain();
  void Insist();
  void LimitStage();
  void LeaveIfDone();

  boost::asio::io_context& io_;
  const AgentOptions options_;
  const std::vector<std::string> suites_;
  Runner runner_;
  FrontendLink link_;
  HeldResults held_;
  ProgressRelay progress_;
  OutputRelay output_;
  boost::asio::steady_timer stage_timer_;
  const Instant started_ = Now();
  Instant usage_due_ = started_;
  std::function<void(int)> on_exit_;
  int shutdowns_ = 0;
  bool draining_ = false;
  bool insisting_ = false;
  bool giving_up_ = false;
  bool leaving_ = false;
};

}  // namespace twofold::backend
