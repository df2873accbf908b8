#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/suite/suite.h"
#include "lib/suite/text.h"
#include "suites/mpi_pingpong/spec.pb.h"

/// Latency and bandwidth between two MPI ranks, and what else IMB measures; see README.md.
namespace twofold::suite::mpi_pingpong {

/// The spec, checked.
Result<v1::suites::MpiPingPongSpec> ReadSpec(std::string_view json);

GangPlan Plan(const v1::suites::MpiPingPongSpec& spec, const Gang& gang);
Result<Measurements> Parse(const Outputs& outputs);

/// What one benchmark has measured with one number of processes.
struct Table {
  std::string benchmark;  ///< as IMB calls it: "PingPong", "Allreduce"
  Dimensions dimensions;  ///< how it was run; of a ping-pong, which is always run the same: none
  SizeTable data;
  std::string failure = {};  ///< why its numbers do not count, in IMB's words
};

/// The tables in the output of IMB. Empty: there are none.
/// Errors   kDataLoss: a row or the end is cut off.
Result<std::vector<Table>> ReadImb(const std::string& stage, std::string_view text);

}  // namespace twofold::suite::mpi_pingpong
