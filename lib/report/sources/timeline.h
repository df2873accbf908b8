#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/report/document/document.h"

/// Who ran what when, of loads and runs alike.
namespace twofold::report {

/// How a worker is written: "node-a pod-1 gpu0"; what repeats is said once.
std::string PlaceName(const std::string& node, const std::string& pod, const std::string& device);

struct Timeline {
  struct Job {
    std::size_t place = 0;  ///< number of its worker in `places`
    double started = 0.0;   ///< seconds on the axis
    double run = 0.0;       ///< seconds
    bool failed = false;
  };

  std::string since = {};  ///< what 0 on the axis is: "since the load began"
  std::vector<std::string> places = {};
  std::vector<Job> jobs = {};  ///< in any order; those that contradict themselves are left out
  std::uint64_t left_out = 0;  ///< further ones, from which `jobs` were drawn evenly
  std::vector<Series> behind = {};
};

/// A lane for each worker, more for one that has several jobs at once; of very many lanes the first
/// are drawn. `how`: a sentence after the caption, may be empty. nullopt: no job.
///
/// Cost    O(jobs log jobs + jobs x lanes of a worker).
std::optional<Picture> TimelinePicture(Timeline timeline, const std::string& how = "");

}  // namespace twofold::report
