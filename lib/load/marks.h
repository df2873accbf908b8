#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/instant.h"
#include "lib/load/job_entry.h"

namespace twofold::load {

/// What spoils the numbers, whatever the system did.
enum class Trouble : std::uint8_t {
  kLate,       ///< jobs were sent after they were due
  kFull,       ///< as many jobs were outstanding as may be, and due jobs waited
  kThrottled,  ///< a CPU quota held the generator up
  kLink,       ///< the frontend was lost
  kShared,     ///< workers of the queue had jobs of others
  kLaw,        ///< the record's numbers contradict each other (laws.h)
};
inline constexpr std::size_t kTroubles = 6;

std::string_view Name(Trouble trouble);

/// A job sent longer after it was due counts as late.
inline constexpr Duration kLateAfter = std::chrono::milliseconds(10);
/// A window is spoiled if a larger share of its jobs was late.
inline constexpr double kMostLate = 0.01;
/// A window is spoiled if others had more jobs than this share of its own.
inline constexpr double kMostOfOthers = 0.01;
/// A window is spoiled if a CPU quota held the generator up for longer between two looks.
inline constexpr Duration kMostThrottled = std::chrono::milliseconds(10);

/// When there was trouble.
struct Mark {
  Trouble trouble = Trouble::kLate;
  Instant from{};
  Instant to{};
  std::uint64_t jobs = 0;  ///< kLate, kShared: how many
  Duration worst{};        ///< kLate: the latest; kThrottled: held up in all
  std::string text{};      ///< kLaw: which
};

/// Marks, each trouble's neighbours within a second merged, so their number is bounded: beyond
/// kMost the last one of its trouble grows.
///
/// Threads  Not thread-safe.
/// Cost     O(1).
class Marks {
 public:
  static constexpr std::size_t kMost = 1000;

  void Add(const Mark& mark);

  [[nodiscard]] const std::vector<Mark>& all() const { return all_; }

 private:
  std::vector<Mark> all_;
  std::array<std::size_t, kTroubles> last_{};  // index + 1 of the last of each; 0: none yet
};

/// The marks that spoil a window with these jobs: all, but those of kLate and kShared only if their
/// share of the jobs says so.
std::vector<Mark> Spoiling(const Marks& marks, const JobCounts& jobs);

/// Each trouble once, from its first mark to its last.
std::vector<Mark> Grouped(const std::vector<Mark>& marks);

/// "late: 12 jobs were sent more than 10 ms late, at most 0.52 s"
std::string Text(const Mark& mark);

/// Each trouble of `marks` once, in a sentence; empty: there is none. kLink is left out: windows
/// count interruptions themselves.
std::string Summary(const std::vector<Mark>& marks, const JobCounts& jobs);

}  // namespace twofold::load
