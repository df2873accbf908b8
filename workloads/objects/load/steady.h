#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

namespace twofold::objects {

/// Says when a rate has become steady: when each of the last `seconds` differs from their mean by
/// at most `percent`.
///
/// Time     One count a second; the caller's clock.
/// Cost     O(seconds) a call.
class Steady {
 public:
  Steady(std::size_t seconds, double percent) : seconds_(seconds), percent_(percent) {}

  /// `done` is what was done in one more second. Returns whether it is steady now.
  bool Add(std::uint64_t done);

 private:
  std::size_t seconds_;
  double percent_;
  std::deque<std::uint64_t> last_;
};

}  // namespace twofold::objects
