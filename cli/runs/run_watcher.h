#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "cli/command/live_line.h"
#include "cli/command/signals.h"
#include "cli/runs/watch.h"
#include "lib/common/instant.h"

namespace twofold::cli {

/// Shows a run on stderr: on a terminal one line that is written over, else a line when something
/// has changed. Failed jobs are named either way. Ctrl-C asks what shall become of the run; where
/// nobody can be asked it is detached, also by SIGTERM.
///
/// Threads  Make it before other threads are made: they must not get the signals.
class RunWatcher final : public run::Watcher {
 public:
  /// Of whom Ctrl-C asks what to do: of a person, if one can be asked, or of nobody.
  enum class Asks : std::uint8_t { kAPerson, kNobody };

  /// `is_local`: the cluster of the run ends with us.
  explicit RunWatcher(bool is_local, Asks asks = Asks::kAPerson);
  RunWatcher(const RunWatcher&) = delete;
  RunWatcher& operator=(const RunWatcher&) = delete;

  void Show(const run::Driver& driver) override;
  void Note(const std::string& line) override;
  run::Wish Wait(Duration at_most) override;
  void Finish() override;

 private:
  void NameFailures(const run::Driver& driver);
  [[nodiscard]] run::Wish Ask();
  [[nodiscard]] run::Wish Unasked() const;

  const bool is_local_;
  const AwaitedSignals signals_;
  LiveLine line_;
  const bool interactive_;  // progress goes to a terminal, and there is somebody who can answer
  std::string last_;
  Instant last_at_;
  std::set<std::uint64_t> named_;  // failed jobs
};

}  // namespace twofold::cli
