#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/suite/measurements.h"
#include "lib/suite/suite.h"
#include "suites/iperf/spec.pb.h"

/// Network throughput with iperf3 or iperf 2; see README.md.
namespace twofold::suite::iperf {

/// The spec, checked.
Result<v1::suites::IperfSpec> ReadSpec(std::string_view json);

GangPlan Plan(const v1::suites::IperfSpec& spec, const Gang& gang);
Result<Measurements> Parse(const Outputs& outputs);

/// What a client did, to be held against its spec, and to tell it from what was done in another
/// way.
struct Done {
  double streams = 0;  ///< of a direction; 0: it does not say
  double seconds = 0;
  bool forward = false;
  bool reverse = false;
  bool udp = false;
  double bitrate = 0;  ///< that a stream was held to, in Mbit/s; 0: none, or it does not say
  double length = 0;   ///< of a write or datagram, in bytes; 0: it does not say
};

/// How that is not what `spec` asks for; empty: it is, or there is no spec.
std::string Otherwise(const Done& done, const v1::suites::IperfSpec* spec);

/// Whether the text is that of iperf3 without --json, or of iperf 2 with --reportstyle C.
bool IsIperf3Text(std::string_view text);
bool IsIperf2Csv(std::string_view text);
/// Of iperf3 -s, where it is not within that of a client.
bool IsServersIperf3Text(std::string_view text);

/// Suite::runs: of all forms.
std::vector<std::size_t> Runs(std::string_view output);

/// Of the client of either tool; `spec` is null where it is not known. Iperf 2 prints text or CSV.
using Parser = Result<Measurements>(const StageOutput& client, const v1::suites::IperfSpec* spec);
Parser ParseIperf3;
Parser ParseIperf3Text;
Parser RefuseServersIperf3Text;
Parser ParseIperf2;

inline constexpr std::string_view kDone = "iperf Done.";  ///< the last line of iperf3
inline constexpr std::string_view kSum = "SUM";
inline constexpr double kGiga = 1e9;  ///< bits

/// A line of a table of either iperf, such as
///   [SUM] 0.0000-3.0005 sec  6.06 GBytes  17.4 Gbits/sec   0.002 ms 29/1787 (1.6%)
///   [  5][TX-C]   0.00-2.00   sec  1.04 GBytes  4.46 Gbits/sec    5             sender
struct Row {
  std::string_view id;    ///< of the stream; kSum of all, also for "SUM-2"
  std::string_view role;  ///< "TX-C"; empty: it has none
  double start = 0;       ///< seconds
  double end = 0;
  double bytes = 0;
  double bits_per_second = 0;
  std::vector<std::string_view> rest;  ///< what stands behind
  /// Its end is a tenth of a second to the last of four digits, as that of an interval; a run ends
  /// when it ends.
  bool is_round = false;
  bool is_coarse = false;         ///< its end has too few digits to tell that
  double counted_bits_per_s = 0;  ///< its bytes by its time; 0: they have too few digits
};

/// nullopt: the line is none. What it returns points into `line`.
std::optional<Row> ToRow(std::string_view line);

/// What the receiver has seen of a UDP stream.
struct Loss {
  double jitter_ms = 0;
  double lost = 0;
  double packets = 0;
};

/// What went in one direction, as iperf3 says it in either form.
struct Flow {
  std::string direction;  ///< "forward"
  double received_bits_per_s = 0;
  double sent_bits_per_s = 0;
  double parts_received_bits_per_s = 0;  ///< sum over the streams; 0: not known
  double parts_sent_bits_per_s = 0;
  double counted_received_bits_per_s = 0;  ///< its bytes by its seconds; 0: not known
  double counted_sent_bits_per_s = 0;
  std::optional<Loss> loss = {};                      ///< of UDP
  double lost_percent = 0;                            ///< of UDP
  std::optional<double> retransmits = {};             ///< not all systems count them
  std::vector<std::vector<double>> intervals = {};    ///< their ends in seconds, and Gbit/s
  std::vector<std::pair<double, double>> times = {};  ///< of the intervals: start, end
  double seconds = 0;                                 ///< that it took
};

/// Adds the measurements of a direction, and its intervals as a series; a rate that is not that of
/// its streams, or of its bytes, is a failure. Ends of intervals (1.00011) are put on the grid of
/// the interval, so that a row is a second and repetitions have the same rows; time that is in none
/// of them is said as a note.
void AddFlow(Flow flow, Measurements& result);

/// Adds to all numbers in which way they were made: numbers of two ways are not compared. Most runs
/// are of TCP, in one direction, as fast as it can, with the length that is usual of it: that is
/// not said.
void SayHow(const Done& done, Measurements& result);

/// Why so many percent of all packets cannot be lost; empty: they can.
std::string FaultOfShare(double percent);

/// "0.002 ms 29/1787 (1.6%)" at the beginning of Row::rest; nullopt: it is something else.
std::optional<Loss> ToLoss(const Row& row);

}  // namespace twofold::suite::iperf
