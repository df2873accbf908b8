#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/process/pipes.h"
#include "lib/process/reaper.h"
#include "lib/process/spawn.h"

namespace twofold::process {

/// How far a run is, in its own words.
struct ProgressLine {
  float fraction = 0;  ///< 0..1
  std::string text;    ///< one line of UTF-8, at most 200 bytes

  friend bool operator==(const ProgressLine&, const ProgressLine&) = default;
};

/// What a line `FRACTION TEXT` says; nullopt if it is none. FRACTION is a number from 0 to 1; TEXT
/// may be missing, is cut at 200 bytes, and made fit for people and protocols: control characters
/// become spaces, each byte that is not UTF-8 becomes `?`.
std::optional<ProgressLine> ParseProgress(std::string_view line);

/// The lines that a program writes, in whatever pieces they come.
///
/// Cost     Bounded memory: of a line nobody ends only the beginning is kept.
class ProgressReader {
 public:
  /// The newest of the lines that `bytes` end, if one of them makes sense; the others are old news.
  std::optional<ProgressLine> Append(std::string_view bytes);

 private:
  std::string line_;  // not yet ended
};

/// How a program ended, and what it printed.
struct ProgramEnd {
  Exit exit;
  std::string output;  ///< the last 4 KiB of stdout and stderr, as they came
};

/// The last `limit` bytes of what was appended.
///
/// Cost     At most twice the limit in memory; each byte is copied at most twice.
class OutputTail {
 public:
  explicit OutputTail(std::size_t limit) : limit_(limit) {}

  void Append(std::string_view bytes);

  [[nodiscard]] std::string Last() const;

 private:
  std::size_t limit_;
  std::string kept_;
};

/// One run of a program and of all that it starts in its process group: nothing of it is left when
/// it has ended, however it ended.
///
/// Threads  On the thread of the io_context.
/// Source   Stopping in two stages: TERM, time to clean up, KILL; as systemd and Kubernetes do.
///          Telling that a server is ready by a line to a descriptor; as s6 does.
class Process : public std::enable_shared_from_this<Process> {
 public:
  /// Who is told. Nothing comes before Start has returned, nor after the end.
  struct Events {
    std::function<void(ProgramEnd)> ended;  ///< once
    /// At most once: it has written a line to kReadyFd, or closed that and lived on.
    std::function<void()> ready = {};
    std::function<void(ProgressLine)> progress = {};     ///< as written to kProgressFd
    std::function<void(std::string_view)> printed = {};  ///< while it is followed
  };

  static constexpr Duration kStopGrace = std::chrono::seconds(2);  ///< between TERM and KILL

  /// Starts it. Keep the Process until `ended`. What the program tells needs no listener that it
  /// has not been asked for (`Program::tells_...`).
  static Result<std::shared_ptr<Process>> Start(boost::asio::io_context& io, Reaper& reaper,
                                                const Program& program, Events events);
  ~Process();

  /// Whether `printed` is to be told; if so it is at once, with the last 4 KiB so far.
  void Follow(bool on);

  /// Asks it to end, and after `grace` insists.
  void Stop(Duration grace = kStopGrace);

  /// Kills it; nothing is told any more.
  void Abandon();

 private:
  Process(boost::asio::io_context& io, Reaper& reaper, pid_t pid, Events events);

  void Watch(const Child& child);
  void Printed(std::string_view bytes);
  void ReadyClosed();
  void BecomeReady();
  void Exited(int wait_status);
  void ClosePipes();

  Reaper& reaper_;
  const pid_t pid_;
  Events events_;
  bool running_ = true;
  bool followed_ = false;
  bool told_ready_ = false;
  std::shared_ptr<PipeReader> output_;
  std::shared_ptr<PipeReader> ready_;
  std::shared_ptr<PipeReader> progress_;
  ProgressReader progress_lines_;
  boost::asio::steady_timer grace_;
  boost::asio::steady_timer settle_;
  OutputTail tail_;
};

}  // namespace twofold::process
