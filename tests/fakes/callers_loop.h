#pragma once

#include "lib/rpc/loop_thread.h"

namespace twofold::testing {

/// The loop of a test's own streams, for as long as the process lives.
inline rpc::LoopThread& CallersLoop() {
  static auto* const loop = new rpc::LoopThread(h2::Budgets());
  return *loop;
}

}  // namespace twofold::testing
