#pragma once

#include <atomic>
#include <cstddef>

namespace twofold {

/// Limits how much of something (bytes, places) all holders together may hold.
///
/// Threads  Safe. Each share belongs to one holder.
class Budget {
 public:
  explicit Budget(std::size_t most) : most_(most) {}

  /// What one holder holds; its destructor gives it back. The budget outlives the share.
  class Share {
   public:
    explicit Share(Budget& budget) : budget_(budget) {}
    ~Share() { budget_.used_ -= held_; }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    /// False: the budget has less than `more` left; the share stays as it was.
    [[nodiscard]] bool Grow(std::size_t more) {
      if ((budget_.used_ += more) <= budget_.most_) {
        held_ += more;
        return true;
      }
      budget_.used_ -= more;
      return false;
    }

    [[nodiscard]] std::size_t size() const { return held_; }

   private:
    Budget& budget_;
    std::size_t held_ = 0;
  };

 private:
  const std::size_t most_;
  std::atomic<std::size_t> used_ = 0;
};

}  // namespace twofold
