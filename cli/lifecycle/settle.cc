#include "cli/lifecycle/settle.h"

#include <algorithm>
#include <utility>

namespace twofold::lifecycle {
namespace {

constexpr std::size_t kBatch = 500;  // lives a look at a time, so that the watches go on

bool IsOver(const Kind& kind, const Life& life, bool until_ready) {
  const Sights sights = SightsOf(life);
  switch (StateOf(kind, life, sights)) {
    case State::kComplete:
    case State::kFailed:
    case State::kDeleted:
    case State::kRefused:
      return true;
    case State::kReady:
      return until_ready;
    case State::kNotReady:
    case State::kNeverSeen:
    case State::kNotSent:
      return false;
  }
  return false;
}

}  // namespace

std::size_t OpenLives::Count() {
  const std::size_t all =
      follower_.With([](Observer& observer) { return observer.lives().size(); });
  for (; looked_at_ < all; ++looked_at_) open_.push_back(looked_at_);
  std::vector<std::size_t> still;
  for (std::size_t begin = 0; begin < open_.size(); begin += kBatch) {
    follower_.With([&](Observer& observer) {
      const std::size_t end = std::min(open_.size(), begin + kBatch);
      for (std::size_t i = begin; i < end; ++i) {
        const Life& life = observer.lives()[open_[i]];
        if (!IsOver(kind_, life, until_ready_)) still.push_back(open_[i]);
      }
    });
  }
  open_ = std::move(still);
  return open_.size();
}

}  // namespace twofold::lifecycle
