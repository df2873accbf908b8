#include <optional>

#include "lib/suite/text.h"
#include "suites/mpi_pingpong/mpi_pingpong.h"

namespace twofold::suite::mpi_pingpong {
namespace {

// Bytes a second in a Mbps of NetPIPE 3, whose mega is 2^20.
constexpr double kMbit = 1048576.0 / 8;

// "  7:      13 bytes 124757 times -->    345.84 Mbps in       0.29 usec"
std::optional<std::vector<double>> ReadRow(const std::vector<std::string_view>& words) {
  if (words.size() != 11 || words[7] != "Mbps" || words[10] != "usec") return std::nullopt;
  const auto bytes = ToNumber(words[1]);
  const auto bandwidth = ToNumber(words[6]);
  const auto time = ToNumber(words[9]);
  if (!bytes || !bandwidth || !time) return std::nullopt;
  return std::vector<double>{*bytes, *time, *bandwidth * kMbit / 1e6};
}

}  // namespace

Result<std::vector<Table>> ReadNetpipe(const std::string& stage, std::string_view text) {
  Table table{"PingPong",
              {},
              {{{"size", "B"}},
               {{"latency", "us", Better::kLower}, true},
               {{"bandwidth", "MB/s", Better::kHigher}, true}},
              {}};
  for (const std::string_view line : Lines(text)) {
    const auto words = Words(line);
    if (words.size() < 4 || words[2] != "bytes" || !words[0].ends_with(':')) continue;
    // The largest sizes take so long that a run that was stopped ends in half a line.
    auto row = ReadRow(words);
    if (!row) return Unreadable(stage, "a row that is cut off: " + std::string(line));
    table.rows.push_back(*std::move(row));
  }
  if (table.rows.empty()) return std::vector<Table>();
  return std::vector<Table>{std::move(table)};
}

}  // namespace twofold::suite::mpi_pingpong
