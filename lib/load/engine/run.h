#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/load/engine/generator.h"
#include "lib/load/engine/session.h"
#include "lib/load/profile.h"
#include "lib/load/snapshot.h"
#include "lib/process/cpu_use.h"
#include "lib/security/client.h"
#include "twofold/v1/load.pb.h"

namespace twofold::load {

/// A load with an end.
struct RunOptions {
  std::string frontend;  ///< host:port
  JobTemplate job;       ///< its queue, and what jobs of the profile leave out
  Profile profile;
  std::optional<Duration> warm_up{};      ///< nullopt: by the rule of WarmUp
  double until = 0;                       ///< stop once IsKnownWithin this share; 0: no
  std::uint64_t jobs = 0;                 ///< stop once so many have ended after the warm-up; 0: no
  std::size_t outstanding_max = 100'000;  ///< of an open loop; at it, due jobs wait
  /// For answers after the end; nullopt: as long as the longest that came took, a second at least.
  std::optional<Duration> drain{};
  security::Client security{};
};

/// Why a run ended.
enum class RunEnd : std::uint8_t { kDuration, kUntil, kJobs, kInterrupted };
std::string_view Name(RunEnd end);  ///< as in LoadRecord.ended_because

/// One bounded run of a load:
///
///   Run run(options);
///   Status started = run.Start();
///   while (!run.Wait(milliseconds(200)) && !interrupted) Show(run.Look());
///   std::optional<v1::LoadRecord> record = run.Finish();
///
/// Time     The clock of the profile starts once the frontend is reached.
/// Threads  Call from one thread.
class Run {
 public:
  explicit Run(RunOptions options);
  ~Run();  ///< stops at once

  /// Errors   those of Generator::SetProfile.
  Status Start();

  /// Waits up to `patience` for the end. True: the load is over, call Finish.
  bool Wait(Duration patience);

  /// What has come of it so far. `estimate` and times are those after the warm-up, once it is over;
  /// before, those of the warm-up.
  [[nodiscard]] Snapshot Look() const;

  /// How long Finish waits for answers, as far as is known now.
  [[nodiscard]] Duration Drain() const;

  /// Ends the load, waits for the missing answers (RunOptions::drain) and makes the record, in
  /// which `origin` has the frontend only. nullopt: the frontend was never reached. Nothing else
  /// may be called after it. `hurried`, asked all the time, ends the wait: jobs without an answer
  /// are unanswered then.
  std::optional<v1::LoadRecord> Finish(const std::function<bool()>& hurried = [] { return false; });

 private:
  bool IsOver();
  bool IsKnown(std::uint64_t measured);
  void ObserveCpu();

  const RunOptions options_;
  Generator generator_;
  Session session_;
  const process::CpuUseReader cpu_;
  RunEnd end_ = RunEnd::kInterrupted;
  std::uint64_t looked_at_ = 0;  // when so many jobs had ended after the warm-up
};

}  // namespace twofold::load
