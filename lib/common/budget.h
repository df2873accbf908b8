#pragma once

#include <atomic>
#include <cstddef>

namespace twofold {

/// So much of something (bytes, places) as several may hold together.
///
/// Threads  Safe. A share is its holder's own.
class Budget {
 public:
  explicit Budget(std::size_t most) : most_(most) {}

  /// What one of them holds; given back when it goes. The budget outlives it.
  class Share {
   public:
    explicit Share(Budget& budget) : budget_(budget) {}
    ~Share() { budget_.used_ -= held_; }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    /// False: there is not so much left, and the share is as it was.
    [[nodiscard]] bool Grow(std::size_t more) {
      if ((budget_.used_ += more) <= budget_.most_) {
        held_ += more;
        return true;
      }
      budget_.used_ -= more;
      return false;
    }

   private:
    Budget& budget_;
    std::size_t held_ = 0;
  };

 private:
  const std::size_t most_;
  std::atomic<std::size_t> used_ = 0;
};

}  // namespace twofold
