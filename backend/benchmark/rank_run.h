#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/benchmark/options.h"
#include "backend/benchmark/prepare.h"
#include "backend/benchmark/sequence.h"
#include "backend/benchmark/stage_run.h"
#include "backend/benchmark/tool_versions.h"
#include "backend/benchmark/verdict.h"
#include "backend/workload/peer_link.h"
#include "backend/workload/workload.h"
#include "lib/process/machine_use.h"
#include "lib/process/reaper.h"
#include "lib/suite/suite.h"

namespace twofold::backend {

/// What all attempts of a process share.
struct BenchmarkParts {
  boost::asio::io_context& io;
  process::Reaper& reaper;
  ToolVersions& versions;
  process::MachineReader& machine;
  const suite::Suite& suite;
  const BenchmarkOptions& options;
};

/// The part of one rank in one attempt, from its plan to its result: stages in the order of a
/// StageSequence, the barrier, the records of the other ranks, the verdict, and at the end nothing
/// that is left.
///
/// A rank above 0 that has done its part waits with its record until it is stopped, as the gang is
/// over when rank 0 is; only one that fails ends by itself.
///
/// Threads  On the thread of the io_context.
class RankRun : public std::enable_shared_from_this<RankRun>, private PeerLink::Member {
 public:
  /// Any may come before the call returns that causes it, but for `ended`.
  struct Events {
    std::function<void()> ready;                        ///< once, of a gang's member
    std::function<void(Instant at, RunEnd end)> ended;  ///< once; nothing comes after it
    std::function<void(process::ProgressLine)> progress;
    std::function<void(std::string_view)> printed;
  };

  RankRun(const BenchmarkParts& parts, Instant start, const Job& job, Events events);

  /// Prepares, and without a gang goes on to the end. REQUIRES: the job that it was made of lives.
  void Start(const Job& job);
  void Go();
  void Follow(bool on);
  void Stop();
  /// Kills what runs, and removes what it can at once; nothing is told any more, and what it was
  /// made of may go.
  void Abandon();

 private:
  struct Ran {
    std::shared_ptr<StageRun> run;  // null: not started, or it could not be
    std::optional<v1::StageRecord> record;
  };

  [[nodiscard]] bool leads() const { return prepared_.rank == 0; }
  [[nodiscard]] GangSeat seat() const { return {&*roster_, prepared_.rank}; }
  [[nodiscard]] std::uint64_t SinceStart() const;
  [[nodiscard]] Case CaseOf() const;

  void AskVersions();
  void StartStages();

  void Advance();
  void Do(const StageSequence::Step& step);
  void StartStage(std::size_t index);
  void StageEnded(std::size_t index, const StageEnd& end);
  void TellReady();
  void Close();
  void AddRecords(v1::RankRecord& rank) const;
  [[nodiscard]] std::string Newest() const;
  [[nodiscard]] std::string Tail(std::string_view stage) const;

  void Collect(bool stop, PeerLink::OnRecord on_record) override;
  void Measured();
  void CheckOwnPart();
  void CollectAll();
  void LimitAnswers();
  void Answered(std::uint32_t rank, Result<v1::RankRecord> record);
  void Collected(const Verdict& wrong);
  void AnswerCollects();

  void Fail(const Verdict& why);
  void Over();
  Verdict WhatWentWrong();
  void End(RunEnd end);
  RunEnd MakeEnd(const Verdict& wrong);
  void AddMachine();
  void CleanUpAndTell(Instant at, const RunEnd& end);

  const BenchmarkParts parts_;
  const Instant start_;
  Events events_;
  std::optional<v1::GangRoster> roster_;  // nullopt: it is no gang
  Prepared prepared_;
  std::optional<StageSequence> sequence_;  // nullopt: before the first stage
  std::vector<Ran> ran_;                   // by stage
  v1::BenchmarkResult result_;
  process::MachineUse before_;                // the first stage, or Go of a gang
  boost::asio::steady_timer answers_limit_;   // for the other ranks, of rank 0
  std::vector<PeerLink::OnRecord> collects_;  // that wait for the record of this rank
  std::size_t awaited_ = 0;                   // versions of programs, then records of other ranks
  Verdict wrong_;                             // beside what the stages say
  bool advancing_ = false;
  bool announced_ = false;
  bool followed_ = false;
  bool measured_ = false;
  bool collecting_ = false;  // rank 0 awaits the records of the others
  bool stopped_ = false;
  bool over_ = false;   // the stages have ended
  bool ended_ = false;  // the end is decided, and nothing changes it
};

}  // namespace twofold::backend
