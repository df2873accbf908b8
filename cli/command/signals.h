#pragma once

#include <initializer_list>

#include "lib/common/instant.h"

namespace twofold::cli {

/// Makes SIGINT and SIGTERM (and other signals) something to wait for, as long as it lives.
///
/// Threads  Make it before other threads are made: they must not get the signals.
class AwaitedSignals {
 public:
  AwaitedSignals(std::initializer_list<int> others = {});
  ~AwaitedSignals();
  AwaitedSignals(const AwaitedSignals&) = delete;
  AwaitedSignals& operator=(const AwaitedSignals&) = delete;

  /// The signal that came before `at_most` had passed; 0: none has.
  [[nodiscard]] int Wait(Duration at_most) const;

  /// The same at once.
  [[nodiscard]] int Take() const;

  /// Readable when a signal has come.
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  const int descriptor_;
};

}  // namespace twofold::cli
