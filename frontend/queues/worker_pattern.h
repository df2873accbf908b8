#pragma once

#include <fnmatch.h>

#include <string>

#include "frontend/queues/endpoints.h"

namespace twofold::frontend {

/// Which workers are meant, by name: shell patterns, empty for any.
struct WorkerPattern {
  std::string node;
  std::string pod;

  [[nodiscard]] bool Matches(const WorkerIdentity& worker) const {
    const auto fits = [](const std::string& pattern, const std::string& name) {
      return pattern.empty() || fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
    };
    return fits(node, worker.node) && fits(pod, worker.pod);
  }

  bool operator==(const WorkerPattern&) const = default;
};

}  // namespace twofold::frontend
