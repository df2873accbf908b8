#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/frontend_link.h"
#include "backend/runner.h"
#include "backend/workload.h"
#include "lib/common/instant.h"
#include "lib/rpc/batches.h"

namespace twofold::backend {

struct AgentOptions {
  LinkOptions link;
  std::string queue;
  std::string node;
  std::string pod;
  std::string device;             ///< what the workload runs on; empty: none
  std::uint32_t slots = 1;        ///< jobs at once
  std::uint64_t process_key = 1;  ///< random, not 0
  bool leave_when_empty = true;   ///< go as soon as no job waits
  bool ignore_arguments = false;  ///< of jobs
  std::string filename;           ///< replaces FILENAME in arguments of jobs; empty: nothing does
  Duration limit{0};              ///< longest run time; 0 = none
  Duration drain_limit = std::chrono::seconds(30);
};

/// A backend process as the frontend sees it: takes jobs, runs them, returns results, leaves.
///
/// Each Assign is answered by exactly one result. A result counts as delivered when it is handed to
/// a stream; those of jobs that end while the frontend is away are kept until it is back, and Hello
/// lists them together with the jobs that run, so that a restart of the frontend costs no work.
///
/// Leaving goes in two stages. First: take nothing new, finish. Then, at the second Shutdown or
/// `drain_limit` after the first: stop the workload, hand its jobs back. A frontend that says
/// `drain` causes the first stage without a limit, for the jobs at hand are as good as any other.
///
/// Threads  On the thread of the io_context.
class Agent final : private FrontendLink::Listener {
 public:
  Agent(boost::asio::io_context& io, AgentOptions options, Workload& workload);

  /// `on_exit` gets the exit code of the program, once, when nothing is left to do: 0 if all jobs
  /// were answered, else 1 (the reason is logged).
  void Start(std::function<void(int)> on_exit);

  /// What SIGTERM means: the first call asks, the second insists.
  void Shutdown();

  /// Whether the frontend counts on this worker. From any thread.
  [[nodiscard]] bool registered() const { return link_.up(); }

 private:
  v1::Hello MakeHello() override;
  void OnMessage(const v1::FrontendMessage& message) override;
  void OnGone(const Status& status) override;

  void Assign(const v1::AssignBatch& batch);
  void AssignOne(const v1::JobOptions& options, const rpc::AssignRow& row);
  void Run(const v1::JobOptions& options, const rpc::AssignRow& row);
  void AttemptEnded(AttemptEnd end);
  void Deliver(const AttemptEnd& end);
  void DeliverKept();

  void Drain();
  void Insist();
  void LeaveIfDone();

  boost::asio::io_context& io_;
  const AgentOptions options_;
  const std::string_view suite_;
  Runner runner_;
  FrontendLink link_;
  boost::asio::steady_timer drain_timer_;
  std::function<void(int)> on_exit_;
  std::vector<AttemptEnd> kept_;  // ended while the frontend was away
  int shutdowns_ = 0;
  bool draining_ = false;
  bool insisting_ = false;
  bool leaving_ = false;
};

}  // namespace twofold::backend
