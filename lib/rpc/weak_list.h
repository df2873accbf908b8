#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace twofold::rpc {

/// Objects that others own.
///
/// Memory   Those that are gone are dropped when there are twice as many as after the last time.
/// Cost     Add: O(1), on average.
template <typename T>
class WeakList {
 public:
  void Add(std::weak_ptr<T> added) {
    if (all_.size() >= most_) DropGone();
    all_.push_back(std::move(added));
  }

  /// The list is empty then.
  [[nodiscard]] std::vector<std::weak_ptr<T>> Take() { return std::exchange(all_, {}); }

  /// With those that are gone and not dropped yet.
  [[nodiscard]] std::size_t size() const { return all_.size(); }

 private:
  static constexpr std::size_t kFew = 16;

  void DropGone() {
    std::erase_if(all_, [](const auto& each) { return each.expired(); });
    most_ = std::max(kFew, 2 * all_.size());
  }

  std::vector<std::weak_ptr<T>> all_;
  std::size_t most_ = kFew;  // before it is looked through
};

}  // namespace twofold::rpc
