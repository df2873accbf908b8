#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "tests/support/googletest.h"

namespace twofold::testing {

/// What arrives from another thread, one after the other. Waiting ends with the arrival, or fails
/// the test after a time that only a hang takes.
template <typename T>
class Inbox {
 public:
  void Put(T value) {
    const std::lock_guard lock(mutex_);
    values_.push_back(std::move(value));
    arrived_.notify_all();  // whoever takes it may destroy the inbox next
  }

  T Take() {
    std::optional<T> value = TakeWithin(kHang);
    if (value) return *std::move(value);
    ADD_FAILURE() << "nothing arrived";
    return T{};
  }

  /// nullopt: nothing has arrived in that time.
  std::optional<T> TakeWithin(std::chrono::milliseconds limit) {
    std::unique_lock lock(mutex_);
    if (!arrived_.wait_for(lock, limit, [this] { return !values_.empty(); })) return std::nullopt;
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
