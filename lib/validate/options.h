#pragma once

#include <string>
#include <vector>

#include "lib/common/instant.h"
#include "lib/common/result.h"

/// Options of a validation, as text and as values. Pure.
namespace twofold::validate {

/// What a validation was told, word for word. Empty: not given.
struct Words {
  std::vector<std::string> positional;  ///< DEPLOYMENT ... SCALE
  std::string json = {};
  std::string html = {};
  std::string steps = {};
  std::string repeat = {};
  std::string pods = {};
  std::string cap = {};
  std::string patience = {};
  std::string allow_failures = {};
  bool all_steps = false;
  std::string timeout = {};
  std::string queue = {};
};

/// What a validation does.
struct Options {
  bool local = false;         ///< a local cluster, not Kubernetes
  std::string deployment;     ///< of the workers; or "workerpool/NAME"
  std::string space;          ///< namespace of the deployment and of the frontend
  std::string service;        ///< of the load client
  std::string service_space;  ///< namespace of the service
  std::string queue;
  double job_seconds = 0;       ///< longest run time of a job
  int limit = 1;                ///< most workers
  double scale = 1;             ///< least ratio of throughputs for twice the workers
  std::vector<int> steps;       ///< workers, growing, `limit` at most
  int repeat = 1;               ///< times that all steps are measured
  bool more_repeats = false;    ///< where workers that differ keep a verdict open
  std::string pods = "any";     ///< what verdicts speak of: any pods, or "these"
  double cap_seconds = 60;      ///< longest measurement of a step ...
  double patience_seconds = 0;  ///< ... and of one whose verdict is likely to come by then
  bool all_steps = false;       ///< also behind one that has failed for certain
  double allowed_failures = 0;  ///< share of the jobs of a step
  Duration timeout{};           ///< longest wait for workers
  std::string json = "validate-scaling.json";
  std::string html;  ///< empty: no report

  [[nodiscard]] int windows() const { return static_cast<int>(steps.size()) * repeat; }
  /// Of repeats, all together: what one validation can compare, and has patience for.
  [[nodiscard]] int most_repeats() const;
};

/// Errors   kInvalidArgument: the first word at fault, and what is allowed.
Result<Options> Understand(const Words& words);

/// A number as people write it, in 15 digits at most: 100000 and not 1e+05.
std::string Plain(double number);

/// "1 2 4"
std::string StepsText(const Options& options);

}  // namespace twofold::validate
