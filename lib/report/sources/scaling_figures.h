#pragma once

#include <string>
#include <vector>

#include "lib/report/document/document.h"
#include "twofold/v1/validation.pb.h"

namespace twofold::report {

/// A validation under a name; empty: it is the only one.
struct NamedValidation {
  std::string name;
  const v1::ValidationRecord* record;
};

/// Throughput over workers, and the ratio of each step to the one before; several are overlaid.
std::vector<Picture> ScalingPictures(const std::vector<NamedValidation>& validations);

/// Wait, run and overhead over workers, and run times by node; those of which there are numbers.
std::vector<Picture> TimePictures(const v1::ValidationRecord& record);

}  // namespace twofold::report
