#include <optional>

#include "backend/suites/mpi_pingpong/mpi_pingpong.h"
#include "lib/suite/text.h"

namespace twofold::suite::mpi_pingpong {
namespace {

// Bytes a second in a Mbps of NetPIPE 3, whose mega is 2^20.
constexpr double kNetpipeMbit = 1048576.0 / 8;

// The unit in "t[usec]"; IMB prints microseconds and 10^6 bytes a second, and says so.
bool IsHeading(const std::vector<std::string_view>& words) {
  return words.size() == 4 && words[0] == "#bytes" && words[1] == "#repetitions" &&
         words[2] == "t[usec]" && words[3] == "Mbytes/sec";
}

std::optional<Point> ImbRow(const std::vector<std::string_view>& words) {
  if (words.size() != 4) return std::nullopt;
  const auto bytes = ToNumber(words[0]);
  const auto time = ToNumber(words[2]);
  const auto bandwidth = ToNumber(words[3]);
  if (!bytes || !ToNumber(words[1]) || !time || !bandwidth) return std::nullopt;
  return Point{*bytes, *time, *bandwidth};
}

// "  7:      13 bytes 124757 times -->    345.84 Mbps in       0.29 usec"
std::optional<Point> NetpipeRow(const std::vector<std::string_view>& words) {
  const auto bytes = ToNumber(words[1]);
  const auto bandwidth = ToNumber(words[6]);
  const auto time = ToNumber(words[9]);
  if (!bytes || !bandwidth || !time || words[7] != "Mbps" || words[10] != "usec") {
    return std::nullopt;
  }
  return Point{*bytes, *time, *bandwidth * kNetpipeMbit / 1e6};
}

}  // namespace

Result<std::vector<Point>> ReadImb(const std::string& stage, std::string_view text) {
  std::vector<Point> points;
  bool in_table = false;
  bool ended = false;
  for (const std::string_view line : Lines(text)) {
    const auto words = Words(line);
    if (IsHeading(words)) {
      in_table = true;
    } else if (in_table && line.starts_with('#')) {
      in_table = false;
      ended = true;
    } else if (in_table && !words.empty()) {
      const auto point = ImbRow(words);
      if (!point) return Unreadable(stage, "a row that is none: " + std::string(line));
      points.push_back(*point);
    }
  }
  if (!points.empty() && !ended) return Unreadable(stage, "the output of IMB is cut off");
  return points;
}

Result<std::vector<Point>> ReadNetpipe(const std::string& stage, std::string_view text) {
  std::vector<Point> points;
  for (const std::string_view line : Lines(text)) {
    const auto words = Words(line);
    if (words.size() < 4 || words[2] != "bytes" || !words[0].ends_with(':')) continue;
    // The largest sizes take so long that a run that was stopped ends in half a line.
    const auto point = words.size() == 11 ? NetpipeRow(words) : std::nullopt;
    if (!point) return Unreadable(stage, "a row that is cut off: " + std::string(line));
    points.push_back(*point);
  }
  return points;
}

}  // namespace twofold::suite::mpi_pingpong
