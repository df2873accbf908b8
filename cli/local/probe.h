#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "cli/local/cluster.h"
#include "lib/common/instant.h"

namespace twofold::local {

/// The values of `twofold_worker_processes{queue="..."}` in a page of metrics.
Registrations ParseRegistrations(std::string_view metrics);

/// Asks the frontend again and again how many worker processes are registered.
///
/// Threads  One of its own, which calls the two functions.
class Probe {
 public:
  struct Question {
    std::string frontend;          ///< host:port; empty: ask nobody
    std::uint64_t generation = 0;  ///< of the cluster, handed to `answer`
    bool settled = false;          ///< nothing is expected to change: ask less often
  };

  Probe(std::function<Question()> question,
        std::function<void(std::uint64_t, Registrations)> answer);

 private:
  std::jthread thread_;
};

}  // namespace twofold::local
