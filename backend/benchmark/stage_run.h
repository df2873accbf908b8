#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "backend/benchmark/artifact.h"
#include "backend/benchmark/options.h"
#include "backend/benchmark/prepare.h"
#include "backend/benchmark/sequence.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/process/process.h"
#include "lib/process/reaper.h"
#include "lib/suite/plan.h"
#include "twofold/v1/results.pb.h"

namespace twofold::backend {

/// One run of a stage of a plan: a program that prints to files, so that nothing that reads them
/// slows it down.
///
/// Threads  On the thread of the io_context.
/// Cost     A look at its files four times a second; more often until a server is ready, and while
///          it is followed.
class StageRun : public std::enable_shared_from_this<StageRun> {
 public:
  /// Nothing comes before Start has returned.
  struct Events {
    std::function<void()> ready;          ///< of a server: once, if it comes to that
    std::function<void(StageEnd)> ended;  ///< once; nothing comes after it
    std::function<void(process::ProgressLine)> progress;
    std::function<void(std::string_view)> printed;  ///< while it is followed
  };

  /// Starts the stage `index` of the rank. One that prints more than `most_output` bytes to a file
  /// is stopped. REQUIRES: `prepared` lives as long as the run.
  static Result<std::shared_ptr<StageRun>> Start(boost::asio::io_context& io,
                                                 process::Reaper& reaper, const Prepared& prepared,
                                                 std::size_t index, std::uint64_t most_output,
                                                 Events events);
  /// Kills it if it still runs; nothing is told any more.
  ~StageRun();

  /// Asks it to end, and after Stage::stop_grace insists.
  void Stop() { process_->Stop(plan_.stop_grace.value_or(process::Process::kStopGrace)); }

  /// Whether `printed` is to be told; if so it is at once, with the last 4 KiB so far of each file.
  void Follow(bool on);

  [[nodiscard]] const OutputFile& out() const { return *out_.file; }
  [[nodiscard]] const OutputFile& err() const { return *err_.file; }
  [[nodiscard]] Instant started() const { return started_; }
  [[nodiscard]] Duration wall() const { return wall_; }                          ///< after its end
  [[nodiscard]] const process::ProgramEnd& program_end() const { return end_; }  ///< after its end

 private:
  struct Output {
    std::unique_ptr<OutputFile> file;
    std::uint64_t told = 0;      // to who follows
    std::uint64_t searched = 0;  // so long it was when it had no line that says that it is ready
  };

  StageRun(boost::asio::io_context& io, const suite::Stage& plan, std::uint64_t most_output,
           Events events);

  Status Launch(boost::asio::io_context& io, process::Reaper& reaper, const Prepared& prepared,
                std::size_t index);
  void Watch();
  void Look();
  [[nodiscard]] Duration Pause();
  void LookForReady();
  bool HasLine(Output& output);
  void LookAtSizes();
  void Tell();
  void StopBecause(std::string why);
  void Ended(process::ProgramEnd end);

  const suite::Stage& plan_;
  const std::uint64_t most_output_;
  Events events_;
  Output out_;
  Output err_;
  std::shared_ptr<process::Process> process_;
  boost::asio::steady_timer watch_;
  boost::asio::steady_timer limit_;
  Duration ready_pause_;
  Instant started_;
  Duration wall_{0};
  process::ProgramEnd end_;
  std::string why_stopped_;
  bool awaits_ready_;
  bool followed_ = false;
};

/// How a stage went, and what it has left. `run` null: it could not be started. `start` is when the
/// attempt began.
v1::StageRecord RecordOf(const Prepared& prepared, std::size_t index, const StageEnd& end,
                         const StageRun* run, const OutputLimits& limits, Instant start);

}  // namespace twofold::backend
