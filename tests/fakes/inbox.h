#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace twofold::testing {

/// What arrives from another thread, one after the other. Waiting ends with the arrival, or fails
/// the test after a time that only a hang takes.
template <typename T>
class Inbox {
 public:
  void Put(T value) {
    {
      const std::lock_guard lock(mutex_);
      values_.push_back(std::move(value));
    }
    arrived_.notify_all();
  }

  T Take() {
    std::unique_lock lock(mutex_);
    if (!arrived_.wait_for(lock, kHang, [this] { return !values_.empty(); })) {
      ADD_FAILURE() << "nothing arrived";
      return T{};
    }
    T value = std::move(values_.front());
    values_.pop_front();
    return value;
  }

  bool empty() {
    const std::lock_guard lock(mutex_);
    return values_.empty();
  }

 private:
  static constexpr auto kHang = std::chrono::seconds(30);

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<T> values_;
};

}  // namespace twofold::testing
