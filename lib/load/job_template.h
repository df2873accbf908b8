#pragma once

#include <string>

#include "twofold/v1/queue.pb.h"

namespace twofold::load {

/// What all jobs of a kind have in common.
struct JobTemplate {
  v1::JobOptions options;
  std::string spec;
};

}  // namespace twofold::load
