#include <absl/strings/str_cat.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "backend/suites/iperf/iperf.h"
#include "lib/suite/text.h"

namespace twofold::suite::iperf {
namespace {

// A line such as
//   [SUM] 0.0000-3.0005 sec  6.06 GBytes  17.4 Gbits/sec   0.002 ms 29/1787 (1.6%)
struct Row {
  std::string_view id;
  double start = 0;
  double end = 0;
  double bytes = 0;
  double bits_per_second = 0;
  std::vector<std::string_view> rest;  // of UDP: jitter, its unit, lost/total
};

constexpr std::string_view kSum = "SUM";
constexpr double kShortest = 0.99;  // of the seconds asked for; they are met to some milliseconds

// iperf counts bytes by powers of 1024 and bits by powers of 1000.
double Factor(std::string_view unit, double base) {
  double factor = 1;
  for (const char prefix : {'K', 'M', 'G', 'T'}) {
    factor *= base;
    if (unit.starts_with(prefix)) return factor;
  }
  return 1;
}

std::optional<double> Quantity(std::string_view number, std::string_view unit,
                               std::string_view ending, double base) {
  const auto value = ToNumber(number);
  if (!value || !unit.ends_with(ending)) return std::nullopt;
  return *value * Factor(unit, base);
}

std::optional<Row> ToRow(std::string_view line) {
  const std::size_t close = line.find(']');
  if (!line.starts_with('[') || close == std::string_view::npos) return std::nullopt;
  const auto words = Words(line.substr(close + 1));
  if (words.size() < 6 || words[1] != "sec") return std::nullopt;
  Row row;
  row.id = Strip(line.substr(1, close - 1));
  std::string_view interval = words[0];
  const auto start = TakeNumber(interval);
  if (!start || !interval.starts_with('-')) return std::nullopt;
  const auto end = ToNumber(interval.substr(1));
  const auto bytes = Quantity(words[2], words[3], "Bytes", 1024);
  const auto bits = Quantity(words[4], words[5], "bits/sec", 1000);
  if (!end || !bytes || !bits) return std::nullopt;
  row.start = *start;
  row.end = *end;
  row.bytes = *bytes;
  row.bits_per_second = *bits;
  row.rest.assign(words.begin() + 6, words.end());
  return row;
}

// What the server has seen of a UDP stream.
struct Loss {
  double jitter_ms = 0;
  double lost = 0;
  double packets = 0;
};

std::optional<Loss> ToLoss(const Row& row) {
  if (row.rest.size() < 3 || row.rest[1] != "ms") return std::nullopt;
  std::string_view share = row.rest[2];
  const auto jitter = ToNumber(row.rest[0]);
  const auto lost = TakeNumber(share);
  if (!jitter || !lost || !share.starts_with('/')) return std::nullopt;
  const auto packets = ToNumber(share.substr(1));
  if (!packets) return std::nullopt;
  return Loss{*jitter, *lost, *packets};
}

// Streams by id. With --interval there are rows of parts, too. The row of the whole starts at 0, as
// the first part does, and comes after all parts.
struct Rows {
  std::map<std::string_view, Row> sent;
  std::map<std::string_view, std::pair<Row, Loss>> received;
  std::uint32_t connections = 0;
  bool udp = false;
};

void Keep(const Row& row, Rows& rows) {
  if (const auto loss = ToLoss(row)) {
    rows.received[row.id] = {row, *loss};
  } else if (row.rest.empty() && row.start > 0) {
    rows.sent.erase(row.id);
  } else if (row.rest.empty()) {
    rows.sent[row.id] = row;
  }
}

Rows Collect(std::string_view text) {
  Rows rows;
  text = text.substr(0, text.rfind('\n') + 1);  // a line without end may be half a number
  for (const std::string_view line : Lines(text)) {
    if (line.find(", UDP port ") != std::string_view::npos) rows.udp = true;
    if (line.find(" connected with ") != std::string_view::npos) ++rows.connections;
    if (const auto row = ToRow(line)) Keep(*row, rows);
  }
  return rows;
}

constexpr std::array<std::string_view, 6> kComplaints = {
    "connect failed", "Unknown host",        "read failed",
    "write failed",   "did not receive ack", "Connection timed out"};

std::string Complaint(std::string_view text) {
  for (const std::string_view line : Lines(text)) {
    for (const std::string_view complaint : kComplaints) {
      if (line.find(complaint) != std::string_view::npos) return std::string(line);
    }
  }
  return {};
}

double Gbits(const Row& row) { return row.bits_per_second / 1e9; }

void AddTotal(const std::string& name, const Row& total, bool headline, Measurements& result) {
  result.measurements.push_back(
      {name, Gbits(total), "Gbit/s", Better::kHigher, headline, {{"direction", "forward"}}});
}

void AddStreams(const Rows& rows, Measurements& result) {
  for (const auto& [id, row] : rows.sent) {
    if (id == kSum) continue;
    const Dimensions dimensions = {{"direction", "forward"}, {"stream", std::string(id)}};
    result.measurements.push_back(
        {"throughput_sent", Gbits(row), "Gbit/s", Better::kHigher, false, dimensions});
    result.measurements.push_back(
        {"transfer", row.bytes / 1024, "KiB", Better::kNone, false, dimensions});
  }
}

Status AddReceived(const std::string& stage, const Rows& rows, Measurements& result) {
  double bits = 0;
  Loss all;
  for (const auto& [id, row] : rows.received) {
    bits += row.first.bits_per_second;
    all.lost += row.second.lost;
    all.packets += row.second.packets;
    result.measurements.push_back({"jitter",
                                   row.second.jitter_ms,
                                   "ms",
                                   Better::kLower,
                                   true,
                                   {{"direction", "forward"}, {"stream", std::string(id)}}});
  }
  if (all.packets <= 0) return ToolFailed(stage, "no data arrived");
  const Dimensions dimensions = {{"direction", "forward"}};
  result.measurements.push_back(
      {"throughput", bits / 1e9, "Gbit/s", Better::kHigher, true, dimensions});
  result.measurements.push_back(
      {"lost", 100 * all.lost / all.packets, "%", Better::kLower, true, dimensions});
  result.measurements.push_back({"lost_packets", all.lost, "", Better::kLower, false, dimensions});
  result.measurements.push_back({"packets", all.packets, "", Better::kNone, false, dimensions});
  return absl::OkStatus();
}

// The sum of all streams, which the only one of them is, too.
const Row* Total(const Rows& rows) {
  const auto sum = rows.sent.find(kSum);
  if (sum != rows.sent.end()) return &sum->second;
  return rows.sent.size() == 1 ? &rows.sent.begin()->second : nullptr;
}

// A log that was cut off has whole rows, too.
Status CheckWhole(const std::string& stage, const Rows& rows, const Row* total,
                  const Expected& expected) {
  if (rows.sent.empty()) return Unreadable(stage, "no result of iperf in it");
  if (total == nullptr) return Unreadable(stage, "its [SUM] line is missing: it is cut off");
  const auto streams = static_cast<std::uint32_t>(rows.sent.size() - rows.sent.count(kSum));
  const std::uint32_t wanted = expected.streams != 0 ? expected.streams : rows.connections;
  if (wanted != 0 && streams != wanted) {
    return Unreadable(stage, absl::StrCat("it has ", streams, " streams, not ", wanted));
  }
  if (total->end < kShortest * expected.seconds) {
    return Unreadable(stage, absl::StrCat("it ends after ", NumberText(total->end), " s, not ",
                                          expected.seconds));
  }
  if (rows.udp && rows.received.size() < streams) {
    return Unreadable(stage, "a server report is missing");
  }
  return absl::OkStatus();
}

}  // namespace

Result<Measurements> ParseIperf2(const StageOutput& client, const Expected& expected) {
  const std::string stage = client.stage.empty() ? "client" : client.stage;
  // It exits with 0 when the connection is refused: what it says is all that tells.
  for (const std::string* text : {&client.err, &client.out}) {
    const std::string complaint = Complaint(*text);
    if (!complaint.empty()) return ToolFailed(stage, complaint);
  }
  if (const std::string end = BadEnd(client); !end.empty()) return ToolFailed(stage, end);
  const Rows rows = Collect(client.out);
  const Row* total = Total(rows);
  Status status = CheckWhole(stage, rows, total, expected);
  if (!status.ok()) return status;
  Measurements result;
  result.tool = "iperf 2";
  AddTotal(rows.udp ? "throughput_sent" : "throughput", *total, !rows.udp, result);
  AddStreams(rows, result);
  if (rows.udp) status = AddReceived(stage, rows, result);
  if (!status.ok()) return status;
  return result;
}

}  // namespace twofold::suite::iperf
