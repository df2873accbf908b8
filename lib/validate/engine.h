#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/target/target.h"
#include "lib/validate/answers.h"
#include "lib/validate/findings.h"
#include "lib/validate/options.h"

namespace twofold::validate {

/// How a validation ends beside 0 (pass), the number of checks that did not pass (125 at most) and
/// 128 + the number of a signal.
inline constexpr int kExitRefused = 200;    ///< nothing was touched
inline constexpr int kExitNoVerdict = 201;  ///< a call failed, or the workers did not hold

/// Time, and what ends a validation early.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual Instant Now() = 0;

  /// Waits; the signal that ended the wait, 0: none came.
  virtual int Wait(Duration at_most) = 0;
};

/// How an engine meets the world.
struct Surroundings {
  targets::Target& target;
  Clock& clock;
  std::ostream& out;   ///< results
  std::ostream& err;   ///< progress and trouble
  std::string called;  ///< what the program is called in messages

  /// Keeps what is found: at the start, after each step and at the end.
  std::function<Status(const Findings&)> keep;

  /// Writes the report that was asked for. Errors: for people.
  std::function<Status(const Findings&)> report;
};

/// One validation: does doubling the workers raise the throughput enough?
///
/// Deploys LIMIT workers to see that they all come; then, for each step, deploys its workers, waits
/// until they are ready, registered and warm, and measures until a look of the load client has seen
/// enough. The load client has the statistics; the engine has the order of things and the limits of
/// time, and notices workers that crash, change or stay away. A step that has failed for certain is
/// the last one, and so is one whose measurement SIGINT ends: what was seen of it is judged.
/// However a validation ends, the deployment has one worker and the load client is stopped, unless
/// nothing was touched.
///
/// Time     That of the clock.
/// Threads  Not thread-safe; Run blocks for minutes or hours.
class Engine {
 public:
  Engine(Findings findings, Surroundings surroundings);

  /// The exit code.
  int Run();

  [[nodiscard]] const Findings& findings() const { return findings_; }

 private:
  // These return why the validation ends, if it does.
  Status Validate();
  Status Begin();
  Status AllSteps();
  Status Repeat();
  Status Step(int workers);
  void PlanRepeats();
  Status Deploy(int workers);
  Status IsDeployed(int workers, Instant begin, Instant& told, bool& is_so);
  Status LookAtWorkers(int wanted);
  Status WarmUp(int workers);
  Status Measure(int workers);
  Status Watch(double seconds, int workers);
  Status LookAtWindow(int workers);
  Status Note(int workers, const Used& before);
  Status Judge();
  Status End();

  Status Ask(const std::string& target, std::string& answer);
  Status Pause(Duration time);
  Status Die(const std::string& why, const Status& cause = {});
  Status Spoiled(int workers);
  int CleanUp(const Status& why);
  std::string Stop();

  Used UsedNow();
  Result<std::string> Team();
  [[nodiscard]] bool AllFailed() const;
  [[nodiscard]] bool HasFailedForCertain() const;
  [[nodiscard]] std::string WhyLast(int workers) const;
  [[nodiscard]] std::string LookTarget(int workers) const;
  void Fail(const std::string& what);
  void Doubt(const std::string& what);
  void CheckSteps();
  void Explain();
  Status ShowResults();
  void SayWorkers(int workers);
  void SayWindow(int workers);
  void SayProblems();
  void Say(const std::string& line);
  void Print(const std::string& line);

  Findings findings_;
  Surroundings world_;

  bool touched_ = false;  // something has to be set back
  int signal_ = 0;
  bool answered_ = false;  // by Ctrl-C, while a step was measured: it was the last one
  std::string why_last_;   // why the step was the last one; empty: it was not
  int turn_ = 1;           // which repeat
  targets::Workers seen_;
  Answer window_;         // what the load client said last of the window
  std::string team_;      // when the measurement began
  std::string before_;    // throughput of the last step, as it was printed
  std::string records_;   // of the windows so far, as /look and /verdict take them
  std::string evidence_;  // the same for /why
};

}  // namespace twofold::validate
