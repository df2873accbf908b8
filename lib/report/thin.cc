#include "lib/report/thin.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace twofold::report {
namespace {

/// The spots of one column that a line through it needs.
class Column {
 public:
  [[nodiscard]] bool Holds(double x) const { return count_ > 0 && std::floor(x) == number_; }

  void Add(const Spot& spot) {
    if (count_ == 0) {
      number_ = std::floor(spot.x);
      kept_.fill({spot, 0});
    }
    if (spot.y < kept_[1].spot.y) kept_[1] = {spot, count_};
    if (spot.y > kept_[2].spot.y) kept_[2] = {spot, count_};
    kept_[3] = {spot, count_};
    ++count_;
  }

  void MoveTo(std::vector<Spot>& out) {
    if (count_ == 0) return;
    std::sort(kept_.begin(), kept_.end(),
              [](const Kept& a, const Kept& b) { return a.number < b.number; });
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      if (i == 0 || kept_[i].number != kept_[i - 1].number) out.push_back(kept_[i].spot);
    }
    count_ = 0;
  }

 private:
  struct Kept {
    Spot spot;
    std::size_t number = 0;
  };
  double number_ = 0.0;
  std::size_t count_ = 0;
  std::array<Kept, 4> kept_;  // first, least, greatest, last
};

}  // namespace

std::vector<Spot> ThinLine(const std::vector<Spot>& spots) {
  std::vector<Spot> thin;
  Column column;
  bool gap = false;
  for (const Spot& spot : spots) {
    if (spot.gap) {
      gap = true;
      continue;
    }
    if (!column.Holds(spot.x)) {
      column.MoveTo(thin);
      if (gap && !thin.empty()) thin.push_back({.gap = true});
    }
    gap = false;
    column.Add(spot);
  }
  column.MoveTo(thin);
  return thin;
}

std::vector<Stroke> Cover(std::vector<Stroke> strokes) {
  for (Stroke& stroke : strokes) {
    const auto [top, bottom] = std::minmax({stroke.top, stroke.bottom});
    stroke = {std::floor(stroke.x) + 0.5, std::floor(top), std::floor(bottom) + 1.0};
  }
  std::sort(strokes.begin(), strokes.end(), [](const Stroke& a, const Stroke& b) {
    return a.x != b.x ? a.x < b.x : a.top < b.top;
  });
  std::vector<Stroke> runs;
  for (const Stroke& stroke : strokes) {
    const bool joins =
        !runs.empty() && runs.back().x == stroke.x && stroke.top <= runs.back().bottom;
    if (joins) {
      runs.back().bottom = std::max(runs.back().bottom, stroke.bottom);
    } else {
      runs.push_back(stroke);
    }
  }
  return runs;
}

}  // namespace twofold::report
