#pragma once

#include <string_view>

#include "lib/suite/suite.h"
#include "twofold/v1/suites/mpi_pingpong.pb.h"

/// Latency and bandwidth between two MPI ranks; see README.md. The three functions of a Suite.
namespace twofold::suite::mpi_pingpong {

Result<std::uint32_t> Check(std::string_view spec);
Result<GangPlan> Plan(std::string_view spec, const Gang& gang);
Result<Measurements> Parse(const Outputs& outputs);

/// The spec, checked.
Result<v1::suites::MpiPingPongSpec> ReadSpec(std::string_view json);

/// One row of a table: message size, time of one way, and what that is as bandwidth.
struct Point {
  double bytes = 0;
  double us = 0;
  double mb_per_s = 0;  // 10^6 bytes
};

/// The rows in the output of either tool. Empty: there are none.
/// Errors   kDataLoss: a row or the end is cut off.
Result<std::vector<Point>> ReadImb(const std::string& stage, std::string_view text);
Result<std::vector<Point>> ReadNetpipe(const std::string& stage, std::string_view text);

}  // namespace twofold::suite::mpi_pingpong
