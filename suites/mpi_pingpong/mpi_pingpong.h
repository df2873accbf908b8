#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/suite/suite.h"
#include "suites/mpi_pingpong/spec.pb.h"

/// Latency and bandwidth between two MPI ranks, and what else IMB measures; see README.md. The
/// three functions of a Suite.
namespace twofold::suite::mpi_pingpong {

Result<std::uint32_t> Check(std::string_view spec);
Result<GangPlan> Plan(std::string_view spec, const Gang& gang);
Result<Measurements> Parse(const Outputs& outputs);

/// The spec, checked.
Result<v1::suites::MpiPingPongSpec> ReadSpec(std::string_view json);

/// A column of a table.
struct TableColumn {
  Column column;
  bool primary = false;  ///< the best value of it is a headline
};

/// What one benchmark has measured with one number of processes. The first column is the message
/// size in bytes, if it has several.
struct Table {
  std::string benchmark;  ///< as IMB calls it: "PingPong", "Allreduce"
  Dimensions dimensions;  ///< how it was run; of a ping-pong, which is always run the same: none
  std::vector<TableColumn> columns;
  std::vector<std::vector<double>> rows;
  std::string failure = {};  ///< why its numbers do not count, in IMB's words
};

/// The tables in the output of either tool. Empty: there are none.
/// Errors   kDataLoss: a row or the end is cut off.
Result<std::vector<Table>> ReadImb(const std::string& stage, std::string_view text);
Result<std::vector<Table>> ReadNetpipe(const std::string& stage, std::string_view text);

}  // namespace twofold::suite::mpi_pingpong
