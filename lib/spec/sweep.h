#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/spec/kind.h"
#include "lib/yaml/node.h"

namespace twofold::spec {

/// When a permutation has been repeated often enough.
struct Until {
  double relative_interval = 0;  ///< 0.03: the mean is known to +- 3 %
  std::uint32_t most = 0;        ///< repetitions at most
};

enum class Next : std::uint8_t {
  kRepeat,
  kNarrow,  ///< stop: the interval is as narrow as asked
  kMost,    ///< stop: so often is enough
};

struct UntilVerdict {
  Next next = Next::kRepeat;
  double relative_interval = 0;  ///< as it is now; infinity from fewer than two headlines
};

/// Says whether a permutation goes on. `headlines` are the main numbers of its repetitions so far,
/// in their order, `failed` is how many have ended without one, and `least` is how many headlines
/// are needed at least.
///
/// The interval is that of stats::IntervalOfLooks, and never narrow enough from fewer headlines
/// than stats::kLeastForLooks.
UntilVerdict Judge(const Until& until, std::uint32_t least, std::span<const double> headlines,
                   std::uint32_t failed);

/// In which order the jobs of a sweep are queued.
enum class Order : std::uint8_t {
  kConsecutive,  ///< all repetitions of a permutation, then the next one
  kInterleaved,  ///< every permutation once, then every one again ...
  kShuffled,     ///< at random, by a seed
};
inline constexpr std::array<std::string_view, 3> kOrderNames = {"consecutive", "interleaved",
                                                                "shuffled"};

/// One field that a sweep varies, from permutations.product.
struct Axis {
  Entry field;  ///< its value is the list of values, one at least
  [[nodiscard]] const List& values() const { return *AsList(*field.value); }
};

/// Only so many permutations, chosen at random.
struct Sample {
  std::uint64_t count = 0;
  std::uint64_t seed = 1;
  Place place{};
};

/// On which nodes: every permutation on every combination of `combinations` of the nodes.
struct NodeChoice {
  std::vector<std::string> select;  ///< names and shell patterns
  std::uint64_t combinations = 1;
  Place place{};
};

/// A file as it was read: one benchmark, or a set of them. Its own options have been checked; the
/// specs that it makes are checked when it is expanded.
struct Sweep {
  std::string file;      ///< for messages
  std::string name;      ///< metadata.name
  std::string run_id{};  ///< metadata.runid; empty, also for nil: the file does not say
  std::string queue{};   ///< metadata.queue; empty: the file does not say
  const Kind* kind = nullptr;
  NodeRef spec;                   ///< the template: a map
  Place place{};                  ///< of what says how much is run, for messages
  std::vector<Axis> product{};    ///< in the order written; the last one varies fastest
  std::vector<NodeRef> listed{};  ///< permutations.explicit: maps
  std::uint32_t repetitions = 1;  ///< measured ones of each permutation; with `until` the least
  std::uint32_t warmup = 0;       ///< unmeasured ones of each permutation, before them
  Order order = Order::kConsecutive;
  std::uint64_t seed = 1;          ///< of Order::kShuffled
  std::uint32_t max_parallel = 1;  ///< jobs that run at once: more measure each other
  bool fail_fast = false;          ///< the first job that fails ends the run
  double job_limit_seconds = 0;    ///< longest run time of a job; 0 = none
  double run_limit_seconds = 0;    ///< of the whole run; 0 = none
  std::optional<Until> until{};
  std::optional<Sample> sample{};
  std::optional<NodeChoice> nodes{};
};

/// How much a benchmark may ask for.
struct Limits : yaml::Limits {
  std::uint64_t permutations = 100'000;  ///< of a sweep, after sampling
  std::uint64_t jobs = 1'000'000;        ///< permutations times repetitions
  std::size_t spec_bytes = 256 << 20;    ///< the specs of all permutations together
};

/// Reads `text`, a benchmark of one of `kinds`, which must outlive the sweep, or a BenchmarkSet.
/// `file` is what messages call it.
/// Errors   kInvalidArgument "FILE:LINE:COLUMN: field: what".
Result<Sweep> ReadSweep(const std::string& file, const std::string& text,
                        std::span<const Kind> kinds, const Limits& limits = {});

}  // namespace twofold::spec
