#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/load/curve.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::load {

/// How the jobs of an open loop lie in time.
enum class Arrivals : std::uint8_t {
  kConstant,  ///< one each time the planned number of jobs grows by one
  kPoisson,   ///< the same on average, independent of each other
};

constexpr std::string_view Name(Arrivals arrivals) {
  return arrivals == Arrivals::kConstant ? "constant" : "poisson";
}

/// A stretch of a load.
struct Stage {
  enum class Kind : std::uint8_t {
    kParallel,  ///< closed loop: so many jobs are outstanding
    kRate,      ///< open loop: so many jobs a second are due
    kTrace,     ///< open loop: jobs are due at recorded moments
  };

  Kind kind = Kind::kParallel;
  std::string name;    ///< for people: "rate 100 to 500 /s, 30 s"
  double seconds = 0;  ///< kForever: until something else is asked for
  double from = 0;     ///< jobs outstanding, or jobs a second, at its begin
  double to = 0;       ///< the same at its end
  Curve curve{};       ///< kRate
  std::shared_ptr<const std::vector<double>> moments{};  ///< kTrace: seconds since it began, rising
};

inline constexpr double kForever = 1e9;  ///< seconds, 30 years

/// What a profile may ask for.
inline constexpr std::size_t kMostProfileBytes = 64 << 10;
inline constexpr std::size_t kMostStages = 200;  ///< steps and repetitions written out
inline constexpr std::size_t kMostJobKinds = 100;
inline constexpr std::size_t kMostMoments = 1'000'000;  ///< of a trace
inline constexpr std::size_t kMostTraceBytes = 32 << 20;
inline constexpr double kMostRate = 1e6;  ///< jobs a second
inline constexpr std::uint32_t kMostParallel = 10'000'000;

/// What all jobs of a kind have in common.
struct JobTemplate {
  v1::JobOptions options;
  std::string spec;
};

/// One kind of job, and how often it is drawn.
struct WeightedJob {
  JobTemplate job;
  double weight = 1;
};

/// A load: its stages one after the other, and the jobs of which it is made.
struct Profile {
  std::vector<Stage> stages;  ///< one at least
  Arrivals arrivals = Arrivals::kConstant;
  std::uint64_t seed = 1;         ///< of all that is random
  std::vector<WeightedJob> jobs;  ///< empty: the job that is given elsewhere
  std::string text;               ///< YAML from which ParseProfile makes the same load

  [[nodiscard]] double seconds() const;
};

/// A stage each. `seconds`: kForever if the load has no end.
Profile ParallelProfile(std::uint32_t parallel, double seconds);
Profile RateProfile(double rate, Arrivals arrivals, double seconds, std::uint64_t seed);

/// Opens the trace that a profile names: its text, `kMostTraceBytes` at most.
using ReadTrace = Result<std::string> (*)(const std::string& path);

/// Refuses traces: for profiles that come over the network.
Result<std::string> NoTraces(const std::string& path);

/// Reads a profile (docs/load.md has its fields). `file` is what messages call it. Jobs take from
/// `job` what they leave out; `seed` replaces that of the profile.
///
/// Errors   kInvalidArgument "FILE:LINE:COLUMN: FIELD: what".
Result<Profile> ParseProfile(const std::string& file, const std::string& text,
                             const JobTemplate& job, std::optional<std::uint64_t> seed = {},
                             ReadTrace read_trace = &NoTraces);

}  // namespace twofold::load
