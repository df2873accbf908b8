#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/common/descriptors.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/suite/plan.h"

namespace twofold::backend {

/// The files of one attempt: the folder that its programs are started in, what they print, and the
/// folders that its plan asks for, wherever these are.
///
/// What a worker leaves behind that was killed is removed by the next one with the same parent
/// folder. Which are left behind tells a lock that a process holds as long as it lives: unlike its
/// number it means the same in all containers that share a volume.
///
/// What is not removed is left behind.
///
/// Threads  One at a time.
/// Errors   The path, and what the system says.
class WorkFolder {
 public:
  static Result<std::unique_ptr<WorkFolder>> Make(const std::string& parent);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Where programs are started, and what relative paths of a plan are relative to.
  [[nodiscard]] std::string run() const { return path_ + "/run"; }
  /// Where the worker keeps what they print.
  [[nodiscard]] std::string out() const { return path_ + "/out"; }
  /// For temporary files of programs.
  [[nodiscard]] std::string tmp() const { return path_ + "/tmp"; }
  /// NAME=VALUE: a variable for all programs of this attempt, and of no other. See KillMarked.
  [[nodiscard]] std::string marker() const { return MarkerOf(path_); }
  static std::string MarkerOf(const std::string& path) { return "TWOFOLD_WORK=" + path; }
  /// Six letters and digits that no other folder with this parent has.
  [[nodiscard]] std::string_view suffix() const;
  /// The absolute path of what a plan calls `path`.
  [[nodiscard]] std::string Absolute(const std::string& path) const;

  /// Makes what the plan asks for. A folder that is there already is an error: it is somebody
  /// else's.
  Status Fill(const suite::RankPlan& plan);

  /// Removes at most `entries` files and folders; whether that was all. What cannot be removed is
  /// left, and counted in failures().
  bool RemoveSome(int entries);
  /// What could not be removed, and why; empty: all could.
  [[nodiscard]] const std::string& failures() const { return failures_; }

 private:
  WorkFolder(std::string path, Descriptor lock);

  Status MakeFolder(const std::string& path);

  const std::string path_;
  const Descriptor lock_;
  std::vector<std::string> to_remove_;  // the last one first
  std::string failures_;
};

/// Removes the work folders in `parent`, with the folders of their plans, whose process is gone and
/// that belong to the same user, and kills what is left of their programs before. Returns how many.
std::size_t RemoveLeftWorkFolders(const std::string& parent);

/// Kills all processes that have been started with the variable `marker` (NAME=VALUE) in their
/// environment, wherever they are by now: a daemon that has left the process group of its stage and
/// lost its parents, too. Returns how many there were; 0: none is left.
///
/// Cost     Reads the environment of every process of this user.
std::size_t KillMarked(const std::string& marker);

/// Sees to it that nothing is left of an attempt whose stages have ended: kills what has slipped
/// away from them, then removes folders, a part at a time so that the thread has time for others.
///
/// Threads  On the thread of the io_context.
class CleanUp : public std::enable_shared_from_this<CleanUp> {
 public:
  /// `folder` may be null.
  CleanUp(boost::asio::io_context& io, std::unique_ptr<WorkFolder> folder)
      : pause_(io), folder_(std::move(folder)) {}
  /// Does what can be done at once of what is left to do.
  ~CleanUp();

  /// `on_done` comes once, after Start has returned. What cannot be killed or removed is logged.
  void Start(std::function<void()> on_done);

 private:
  void Next(Duration pause, void (CleanUp::*round)());
  void KillRound();
  void RemoveRound();

  boost::asio::steady_timer pause_;
  std::unique_ptr<WorkFolder> folder_;
  std::function<void()> on_done_;
  int rounds_ = 0;
  int quiet_rounds_ = 0;  // in a row, that found nothing
};

}  // namespace twofold::backend
