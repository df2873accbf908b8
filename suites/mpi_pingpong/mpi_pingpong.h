#pragma once

#include <cstddef>
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

/// Where runs of IMB or NetPIPE begin in a log (Suite::runs): at the title of IMB; at the first row
/// of NetPIPE; at a row of a run that has lost its beginning.
std::vector<std::size_t> Runs(std::string_view text);

/// Whether the line is the title of IMB, of any version since 3.
bool IsImbTitle(std::string_view line);

/// What IMB says last.
inline constexpr std::string_view kImbEnds = "# All processes entering MPI_Finalize";

/// What one benchmark has measured with one number of processes.
struct Table {
  std::string benchmark;     ///< as IMB calls it: "PingPong", "Allreduce"
  Dimensions dimensions;     ///< how it was run; of a ping-pong, which is always run the same: none
  SizeTable data;            ///< "bandwidth" still in megabytes of the tool, until SettleUnit
  std::string failure = {};  ///< why its numbers do not count, in IMB's words
  std::vector<std::string> bad_rows = {};  ///< why rows were left out
};

struct Tables {
  std::vector<Table> all;          ///< empty: there are none
  std::vector<std::string> notes;  ///< see Measurements::notes
};

/// The tables in the output of IMB.
/// Errors   kDataLoss: a row or the end is cut off.
Result<Tables> ReadImb(const std::string& stage, std::string_view text);

/// Makes the bandwidths of a table MB/s (10^6 bytes). Which bytes the tool counts, and in how many
/// directions, its own rows prove: bandwidth is size by time, or size by message rate. Until 2017
/// the Mbytes of IMB had 2^20 bytes, since then 10^6, under the same heading. `otherwise`: bytes in
/// a mega where rows have too few digits to tell. A row whose bandwidth is not what its own
/// size and time say is left out, with its reason.
/// Returns in how many directions bytes are counted; 0: rows cannot tell.
int SettleUnit(double otherwise, Table& table);

}  // namespace twofold::suite::mpi_pingpong
