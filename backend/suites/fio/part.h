#pragma once

#include <array>
#include <string>
#include <vector>

#include "lib/suite/suite.h"

namespace twofold::suite::fio {

/// Reads or writes of one entry of fio's "jobs".
struct Side {
  double bytes_per_s = 0;
  double iops = 0;
  double ios = 0;
  double lat_min_ns = 0;
  double lat_max_ns = 0;
  double lat_mean_ns = 0;
  double lat_stddev_ns = 0;
  std::vector<std::pair<std::string, double>> percentiles;  ///< of completion latency: {"99", ns}
};

inline constexpr std::array<const char*, 3> kSides = {"read", "write", "trim"};

/// What fio says of one job, or of all jobs of a worker together.
struct Part {
  std::string worker;  ///< rank, or host and port
  std::string job;     ///< which of several of the worker; empty: there is only one
  double usr_cpu = 0;
  double sys_cpu = 0;
  std::array<Side, kSides.size()> sides;  ///< as kSides
};

/// Adds the parts in the output of one fio, which may be a client of several servers.
/// Errors   As Suite::parse.
Status ReadParts(const StageOutput& output, std::string& tool, std::vector<Part>& parts);

}  // namespace twofold::suite::fio
