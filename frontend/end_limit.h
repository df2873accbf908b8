#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "lib/common/instant.h"

namespace twofold::frontend {

/// Bounds how long an end may take. A thread that waits for a disk that hangs cannot be stopped,
/// and what it uses cannot be freed, so a process that has to end in time ends without it. Nothing
/// that anybody was told is lost: it is on disk.
///
/// Threads  The thread that is returned calls `give_up` if it still lives after `limit`; that may
///          call exit functions.
inline std::jthread EndLimit(Duration limit, std::function<void()> give_up) {
  return std::jthread([limit, give_up = std::move(give_up)](const std::stop_token& ended) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any never;
    never.wait_for(lock, ended, limit, [] { return false; });
    if (!ended.stop_requested()) give_up();
  });
}

}  // namespace twofold::frontend
