#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/report/document/document.h"
#include "twofold/v1/load.pb.h"

namespace twofold::report {

/// A load under a name; empty: it is the only one.
struct NamedLoad {
  std::string name;
  const v1::LoadRecord* record;
};

/// Stretches of time that are not measured, or not to be trusted.
std::vector<Series> SpecialParts(const v1::LoadRecord& record);

/// Latency by percentile, which several loads share; nullopt: no job succeeded.
std::optional<Picture> LatencyPicture(const std::vector<NamedLoad>& loads);

/// Over time: throughput with warm-up and spoiled parts, and how many jobs took how long.
std::vector<Picture> TimePictures(const v1::LoadRecord& record);

/// Who ran what when, and run times by node and device.
std::vector<Picture> PlacePictures(const v1::LoadRecord& record);

}  // namespace twofold::report
