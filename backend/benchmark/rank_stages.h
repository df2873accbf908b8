#pragma once

#include <boost/asio/io_context.hpp>
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
#include "lib/process/reaper.h"
#include "twofold/v1/results.pb.h"

namespace twofold::backend {

/// Carries out the stages of one rank: starts and stops programs as a StageSequence says, and keeps
/// what they leave.
///
/// Threads  On the thread of the io_context.
class RankStages {
 public:
  /// Any may come before Start, Go or Close returns. See StageSequence::Do.
  struct Events {
    std::function<void()> ready;
    std::function<void()> measured;
    std::function<void()> over;
    std::function<void(process::ProgressLine)> progress;
    std::function<void(std::string_view)> printed;
  };

  /// `start` is when the attempt began. REQUIRES: `prepared` lives as long as this.
  RankStages(boost::asio::io_context& io, process::Reaper& reaper, const Prepared& prepared,
             const OutputLimits& limits, Instant start, bool barrier, Events events);

  void Start() { Advance(); }
  void Go();
  void Close();
  void Follow(bool on);

  /// What has ended so far, in the order of the starts.
  [[nodiscard]] std::vector<v1::StageRecord> records() const;
  [[nodiscard]] const std::optional<suite::Failure>& failure() const { return sequence_.failure(); }
  /// The name of the stage that was started last; empty: none was.
  [[nodiscard]] std::string newest() const;
  /// The end of what `stage` has printed, at most `bytes`; stdout first.
  [[nodiscard]] std::string Tail(std::string_view stage, std::size_t bytes) const;

 private:
  struct Ran {
    std::shared_ptr<StageRun> run;  // null: not started, or it could not be
    std::optional<v1::StageRecord> record;
  };

  void Advance();
  void Do(const StageSequence::Step& step);
  void StartStage(std::size_t index);
  void Ended(std::size_t index, const StageEnd& end);
  void TellProgress(std::size_t index);
  [[nodiscard]] StageSetup SetupOf(std::size_t index) const;
  [[nodiscard]] v1::StageRecord RecordOf(std::size_t index, const StageEnd& end) const;
  void KeepOutputs(std::size_t index, v1::StageRecord& record) const;

  boost::asio::io_context& io_;
  process::Reaper& reaper_;
  const Prepared& prepared_;
  const std::vector<suite::Stage>& stages_;
  const OutputLimits& limits_;
  const Instant start_;
  const Events events_;
  StageSequence sequence_;
  std::vector<Ran> ran_;              // by stage
  std::vector<std::size_t> started_;  // in this order
  bool advancing_ = false;
  bool followed_ = false;
};

}  // namespace twofold::backend
