#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/instant.h"

namespace twofold::load {

/// What the generator itself, or its link, did to the numbers.
enum class Trouble : std::uint8_t {
  kLate,        ///< jobs were sent after they were due
  kFull,        ///< as many jobs were outstanding as may be, and due jobs waited
  kThrottled,   ///< a CPU quota held the generator up
  kLink,        ///< the frontend was lost
  kUnanswered,  ///< jobs of an open loop had no answer when the record was closed
};
inline constexpr std::size_t kTroubles = 5;

std::string_view Name(Trouble trouble);

/// A job sent longer after it was due counts as late.
inline constexpr Duration kLateAfter = std::chrono::milliseconds(10);
/// A window is spoiled if a larger share of its jobs was late.
inline constexpr double kMostLate = 0.01;
/// A window is spoiled if a CPU quota held the generator up for longer between two looks.
inline constexpr Duration kMostThrottled = std::chrono::milliseconds(10);

/// When there was trouble.
struct Mark {
  Trouble trouble = Trouble::kLate;
  Instant from{};
  Instant to{};
  std::uint64_t jobs = 0;  ///< kLate, kUnanswered: how many
  Duration worst{};        ///< kLate: the latest; kThrottled: held up in all
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

/// The marks that spoil a window in which `sent` jobs of an open loop were sent and `late` of them
/// late: all, but those of kLate only if the share of late jobs says so.
std::vector<Mark> Spoiling(const Marks& marks, std::uint64_t sent, std::uint64_t late);

/// "late: 12 jobs were sent more than 10 ms late, at most 0.52 s"
std::string Text(const Mark& mark);

/// Each trouble of `marks` once, in a sentence; empty: there is none. kLink is left out: windows
/// count interruptions themselves.
std::string Summary(const std::vector<Mark>& marks, std::uint64_t sent, std::uint64_t late);

}  // namespace twofold::load
