#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

#include "bench/peers/child.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"

namespace twofold::budgets {

/// A scenario cannot go on. It ends what it has started, and the next one begins.
class Trouble : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The value. Throws Trouble if there is none.
template <typename T>
T ValueOf(Result<T> result) {
  if (!result.ok()) throw Trouble(std::string(result.status().message()));
  return *std::move(result);
}

/// Returns how long it took until `done`, which is asked every few milliseconds. Throws Trouble
/// "WHAT takes longer than ..." after `limit`.
inline Duration Await(const std::string& what, const std::function<bool()>& done,
                      Duration limit = std::chrono::minutes(2)) {
  const Instant start = Now();
  while (!done()) {
    if (bench::Interrupted()) throw Trouble("interrupted");
    if (Now() - start > limit) {
      throw Trouble(what + " takes longer than " + std::to_string(ToSeconds(limit)) + " s");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return Now() - start;
}

inline void Sleep(double seconds) {
  const Instant end = Now() + FromSeconds(seconds);
  Await(
      "a pause", [end] { return Now() >= end; }, Duration::max());
}

}  // namespace twofold::budgets
