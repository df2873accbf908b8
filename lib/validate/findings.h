#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/validate/answers.h"
#include "lib/validate/options.h"
#include "lib/words/scaling.h"
#include "twofold/v1/validation.pb.h"

/// What a validation has found so far. Pure.
namespace twofold::validate {

/// One measurement of a step.
struct Window {
  v1::ValidationWindow record;
  std::string verdict;  ///< on this window alone: "measured", "failures", ...
  std::string why;      ///< of that verdict
};

/// A step by all of its windows. What is not known is absent; ends of intervals may be infinite.
struct JudgedStep {
  int workers = 0;
  std::optional<double> throughput;
  std::optional<double> ratio;  ///< to the step before
  std::optional<double> lower;
  std::optional<double> upper;
  std::optional<double> least;
  std::string verdict;
  std::string why;
  std::string error;
  int repeats_needed = 0;
  bool more_pods_help = false;                      ///< more than more time
  std::uint64_t jobs = 0;                           ///< that ended
  std::uint64_t failed_jobs = 0;                    ///< of these
  stats::Verdict failures = stats::Verdict::kPass;  ///< whether too many failed
  // Means of the windows; seconds, and cores that were busy.
  std::optional<double> wait;
  std::optional<double> run;
  std::optional<double> overhead;
  std::optional<double> cpu;
};

struct Findings {
  Options options;
  std::vector<std::string> argv;
  std::string began;                    ///< UTC, for people
  std::string outcome = "interrupted";  ///< "pass", "fail", "undecided", "none" at the end
  std::string reason;                   ///< of "none"
  int fails = 0;
  int undecided = 0;
  std::vector<Window> windows;
  Answer judged;         ///< what the load client said of all windows
  std::string frontend;  ///< version and commit
  std::string why;       ///< what held the workers back
  std::string headline;  ///< the verdict with its cause
};

/// What a step says of its failed jobs.
ScalingStep FailuresOf(const JudgedStep& step, const Options& options);

/// The steps in the order in which they were measured first.
std::vector<JudgedStep> JudgedSteps(const Findings& findings);

/// The window that an answer to /look tells of, without what workers used.
v1::ValidationWindow WindowOf(const Answer& look, int repeat, int workers);

/// The error that came most often, with its count before it: "7 no device"; empty: none.
std::string CommonError(const Answer& window);

v1::ValidationRecord RecordOf(const Findings& findings);

}  // namespace twofold::validate
