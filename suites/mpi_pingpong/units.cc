#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/suite/plausible.h"
#include "suites/mpi_pingpong/mpi_pingpong.h"

namespace twofold::suite::mpi_pingpong {
namespace {

constexpr double kMB = 1e6;
constexpr double kMiB = 1048576;
constexpr double kLeast = 10;           // MB/s: less is printed with too few digits
constexpr double kLeastTime = 0.25e-6;  // s: times are printed in hundredths of a microsecond
constexpr double kNear = 0.03;          // less than half of what 2^20 and 10^6 are apart
constexpr double kTooMuch = 1.1;        // over what a row's own size and time say, or below

std::optional<std::size_t> ColumnOf(const SizeTable& table, std::string_view name) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].column.name == name) return i;
  }
  return std::nullopt;
}

// Which numbers of a row its bandwidth follows from.
struct Shape {
  std::size_t bandwidth;
  std::size_t by;  // a time, or a message rate
  bool is_rate;

  [[nodiscard]] TimedRate Of(const std::vector<double>& row, int directions) const {
    const double seconds = is_rate ? 1 / row[by] : row[by] / 1e6;
    return {row[0] * directions, seconds, row[bandwidth]};
  }
};

// IMB divides by the time of the slowest process.
std::optional<Shape> ShapeOf(const SizeTable& table) {
  const auto bandwidth = ColumnOf(table, "bandwidth");
  if (!bandwidth || table.columns[0].column.name != "size") return std::nullopt;
  for (const char* name : {"latency_max", "latency", "message_rate"}) {
    if (const auto by = ColumnOf(table, name)) {
      return Shape{*bandwidth, *by, std::string_view(name) == "message_rate"};
    }
  }
  return std::nullopt;
}

// Mega bytes of so many bytes a second, by size and time.
double Computed(const TimedRate& row, double mega) { return row.bytes / row.seconds / mega; }

bool Tells(const Shape& shape, const TimedRate& row) {
  const double least_time = shape.is_rate ? 0 : kLeastTime;
  return row.megas >= kLeast && row.bytes > 0 && std::isfinite(row.seconds) &&
         row.seconds > least_time;
}

// What is wrong with a bandwidth by the size and time of its row, counted in so many directions at
// most and at least; empty: nothing, or it has too few digits.
std::string FaultOf(const Shape& shape, const std::vector<double>& row, int most, int least,
                    double mega) {
  TimedRate one = shape.Of(row, most);
  if (Tells(shape, one) && one.megas > kTooMuch * Computed(one, mega)) {
    return absl::StrCat(one.megas, " MB/s is more than its size in its time");
  }
  one = shape.Of(row, least);
  const double by_time = Computed(one, mega);
  const double is = std::exchange(one.megas, by_time);  // whose digits tell
  if (!Tells(shape, one) || is * kTooMuch >= by_time) return {};
  return absl::StrCat(is, " MB/s is less than its size in its time");
}

bool Agrees(const TimedRate& row) {
  return std::abs(row.megas / Computed(row, kMB) - 1) < kNear ||
         std::abs(row.megas / Computed(row, kMiB) - 1) < kNear;
}

struct Proof {
  int directions = 0;     // 0: none
  std::string_view unit;  // of ProvenMega
};

// Most rows must agree: a single one may be garbled.
Proof Prove(const Shape& shape, const SizeTable& table) {
  for (const int directions : {1, 2, 4}) {  // PingPong, Sendrecv, Exchange
    std::size_t telling = 0;
    std::vector<TimedRate> agreeing;
    for (const auto& row : table.rows) {
      const TimedRate one = shape.Of(row, directions);
      if (!Tells(shape, one)) continue;
      ++telling;
      if (Agrees(one)) agreeing.push_back(one);
    }
    if (2 * agreeing.size() <= telling) continue;
    const std::string_view unit = ProvenMega(agreeing);
    if (!unit.empty()) return {directions, unit};
  }
  return {};
}

}  // namespace

int SettleUnit(double otherwise, Table& table) {
  const auto shape = ShapeOf(table.data);
  if (!shape) return 0;
  constexpr int kMostDirections = 4;
  const Proof proof = Prove(*shape, table.data);
  const double mega = proof.directions == 0 ? otherwise : proof.unit == "MiB/s" ? kMiB : kMB;
  const int most = proof.directions == 0 ? kMostDirections : proof.directions;
  const int least = std::max(1, proof.directions);
  std::erase_if(table.data.rows, [&](std::vector<double>& row) {
    const std::string fault = FaultOf(*shape, row, most, least, mega);
    if (!fault.empty()) {
      table.bad_rows.push_back(
          absl::StrCat("row left out, size ", NumberText(row[0]), ": ", fault));
    }
    if (mega != kMB) row[shape->bandwidth] = row[shape->bandwidth] * mega / kMB;
    return !fault.empty();
  });
  return proof.directions;
}

}  // namespace twofold::suite::mpi_pingpong
