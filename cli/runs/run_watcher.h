#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>

#include "cli/runs/progress.h"
#include "cli/runs/watch.h"
#include "lib/common/instant.h"

namespace twofold::cli {

/// What may become of a run that is interrupted: a key, and what it does.
struct Choice {
  char key;
  run::Wish wish;
  const char* text;
};

/// Of a run on a cluster; or of one whose cluster ends with us.
std::span<const Choice> ChoicesOf(bool is_local);

/// Shows a run on stderr: on a terminal one line that is written over, else a line when something
/// has changed. Failed jobs are named either way. Ctrl-C asks what shall become of the run; where
/// nobody can be asked it is detached, also by SIGTERM.
///
/// Threads  Make it before other threads are made: they must not get the signals.
class RunWatcher final : public run::Watcher {
 public:
  explicit RunWatcher(std::span<const Choice> choices);
  ~RunWatcher() override;
  RunWatcher(const RunWatcher&) = delete;
  RunWatcher& operator=(const RunWatcher&) = delete;

  void Show(const run::Driver& driver) override;
  void Note(const std::string& line) override;
  run::Wish Wait(Duration at_most) override;

  /// The line is done with: what comes next begins a new one.
  void Finish();

 private:
  void NameFailures(const run::Driver& driver);
  [[nodiscard]] run::Wish Ask();
  [[nodiscard]] bool TakeSignal(bool& interrupt) const;

  const std::span<const Choice> choices_;
  const bool terminal_;     // progress goes to one
  const bool interactive_;  // and there is somebody who can answer
  int signals_ = -1;        // a signalfd
  bool line_open_ = false;
  std::string last_;
  Instant last_at_;
  std::set<std::uint64_t> named_;  // failed jobs
};

}  // namespace twofold::cli
