#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "lib/suite/plausible.h"
#include "lib/suite/text.h"
#include "suites/iperf/iperf.h"

namespace twofold::suite::iperf {
namespace {

// Streams by id. With --interval there are rows of parts, too. The row of the whole starts at 0, as
// the first part does, and comes after all parts.
struct Rows {
  std::map<std::string_view, Row> sent;
  std::map<std::string_view, std::pair<Row, Loss>> received;
  std::map<std::string_view, double> retransmits;  // of `sent`, where it says so
  std::uint32_t connections = 0;                   // 0: it does not say
  bool udp = false;
  std::string refusal;   // why it is none that is read; empty: it may be one
  double last_part = 0;  // the end of the last row of a part; 0: there is none but a first one
};

void KeepSent(const Row& row, Rows& rows) {
  const auto known = rows.sent.find(row.id);
  const bool is_second = row.start == 0 && known != rows.sent.end() && !known->second.is_round &&
                         !known->second.is_coarse;
  if (is_second && rows.refusal.empty()) {
    rows.refusal = absl::StrCat("two runs in one file: stream ", std::string(row.id),
                                " has two rows of the whole run");
  }
  if (row.start > 0) {
    rows.sent.erase(row.id);
    rows.retransmits.erase(row.id);
    rows.last_part = std::max(rows.last_part, row.end);
  } else {
    rows.sent[row.id] = row;
  }
}

// "44349/0": what --enhanced says of writes, and how many of them failed.
bool IsWrites(std::string_view word) {
  return TakeNumber(word) && word.starts_with('/') && ToNumber(word.substr(1));
}

void Keep(const Row& row, bool has_retries, Rows& rows) {
  if (const auto loss = ToLoss(row)) {
    rows.udp = true;  // the line that says so may be cut off
    rows.received[row.id] = {row, *loss};
  } else if (row.rest.empty() || IsWrites(row.rest[0])) {
    KeepSent(row, rows);
    const auto retries = row.rest.size() > 1 ? ToNumber(row.rest[1]) : std::nullopt;
    if (has_retries && retries && row.start == 0) rows.retransmits[row.id] = *retries;
  }
}

constexpr char kBothWays[] =
    "it is of both directions (-d, -r or --full-duplex), which is not read";
constexpr char kOfReverse[] = "it is of the reverse direction (-R), which is not read";
constexpr char kWithHeader[] = "it is CSV with a header, as of iperf 2.2, which is not read";
constexpr char kTwoInCsv[] = "two runs in one file, and in CSV nothing shows where one ends";
constexpr char kOfServer[] = "it is of the server: that of the client is read";

// What a log of text is, if it is not that of a client that sends.
std::string RefusalOf(std::string_view text) {
  const auto says = [text](std::string_view word) {
    return AnyLine(text, [word](std::string_view line) { return line.find(word) != line.npos; });
  };
  if (says("time,srcaddress,")) return kWithHeader;
  const bool listens = says("Server listening on ");
  if (says("(full-duplex)") || (listens && says("Client connecting to "))) return kBothWays;
  if (listens) return kOfServer;
  return says("(reverse)") ? kOfReverse : "";
}

Rows CollectText(std::string_view text) {
  Rows rows;
  rows.refusal = RefusalOf(text);
  bool has_retries = false;
  for (const std::string_view line : Lines(text)) {
    if (line.starts_with("[ ID] ")) has_retries = line.find(" Rtry ") != line.npos;
    if (line.find(", UDP port ") != line.npos) rows.udp = true;
    if (line.find(" connected with ") != line.npos) ++rows.connections;
    if (const auto row = ToRow(line)) Keep(*row, has_retries, rows);
  }
  return rows;
}

// What --reportstyle C prints:
//   time,address,port,address,port,id,start-end,bytes,bits a second
// and of UDP: jitter,lost,packets,percent,out of order. Packets are -1 where only the client
// counts. Before the time of versions since 2.1.9 stands the zone: "+0000:20250608071118.569769".
constexpr std::size_t kCsvFields = 9;
constexpr std::size_t kUdpFields = 14;

// Of a time with or without its zone, "20250608071118.569769": seconds since any instant, the same
// for all times of a zone. nullopt: it is none.
std::optional<double> CsvTime(std::string_view text) {
  const std::size_t colon = text.find(':');
  const bool has_zone = colon == 5 && (text[0] == '+' || text[0] == '-');
  if (has_zone && text.substr(1, 4).find_first_not_of("0123456789") == text.npos) {
    text.remove_prefix(colon + 1);
  }
  constexpr std::size_t kWhole = 14;  // digits, to the second
  const bool fits =
      text.size() >= kWhole && text.substr(0, kWhole).find_first_not_of("0123456789") == text.npos;
  const auto seconds = fits ? ToNumber(text.substr(kWhole - 2)) : std::nullopt;
  if (!seconds) return std::nullopt;
  const auto part = [&](std::size_t from, std::size_t size) {
    return static_cast<unsigned>(ToNumber(text.substr(from, size)).value_or(0));
  };
  const std::chrono::year_month_day day{std::chrono::year(static_cast<int>(part(0, 4))),
                                        std::chrono::month(part(4, 2)),
                                        std::chrono::day(part(6, 2))};
  if (!day.ok()) return std::nullopt;
  const auto days = static_cast<double>(std::chrono::sys_days(day).time_since_epoch().count());
  return (days * 24 + part(8, 2)) * 3600 + part(10, 2) * 60 + *seconds;
}

std::optional<Row> ToCsvRow(const std::vector<std::string_view>& fields) {
  const bool fits = fields.size() == kCsvFields || fields.size() == kUdpFields;
  if (!fits || !CsvTime(fields[0])) return std::nullopt;
  std::string_view interval = fields[6];
  const auto start = TakeNumber(interval);
  const auto end = interval.starts_with('-') ? ToNumber(interval.substr(1)) : std::nullopt;
  const auto bytes = ToNumber(fields[7]);
  const auto bits = ToNumber(fields[8]);
  if (!start || !end || !bytes || !bits || !ToNumber(fields[5])) return std::nullopt;
  Row row;
  row.id = fields[5] == "-1" ? kSum : fields[5];  // of all, in versions before 2.1
  row.start = *start;
  row.end = *end;
  row.bytes = *bytes;
  row.bits_per_second = *bits;
  // Ends have one digit; bytes and rate tell the real one.
  row.is_round = *end > 0 && std::abs(*bytes * 8 / *end - *bits) <= 1;
  return row;
}

std::optional<Loss> ToCsvLoss(const std::vector<std::string_view>& fields) {
  if (fields.size() != kUdpFields) return std::nullopt;
  const auto jitter = ToNumber(fields[9]);
  const auto lost = ToNumber(fields[10]);
  const auto packets = ToNumber(fields[11]);
  if (!jitter || !lost || !packets || *packets < 0) return std::nullopt;
  return Loss{*jitter, *lost, *packets};
}

// Streams of one id are of one connection, and a client's port is one that was free.
class Ports {
 public:
  // Of a row that a client has sent. What it is, if not that of a client of one run that sends.
  std::string RefusalOf(const std::vector<std::string_view>& fields) {
    constexpr double kFirstFree = 32768;
    const double local = ToNumber(fields[2]).value_or(0);
    const double peer = ToNumber(fields[4]).value_or(0);
    if (peer == 0) return kBothWays;
    if (local < kFirstFree && peer >= kFirstFree) {
      return absl::StrCat("it is of the server, or of the reverse direction (-R): it sent to port ",
                          peer);
    }
    const double known = of_id_.try_emplace(fields[5], local).first->second;
    if (known == local) return {};
    return kTwoInCsv;
  }

 private:
  std::map<std::string_view, double> of_id_;
};

// Streams of one run begin together. A row comes when its time is over, or some seconds later.
class Beginning {
 public:
  [[nodiscard]] bool IsOfAnotherRun(const Row& row, double time) {
    constexpr double kLate = 3;
    const double began = time - row.end;
    if (!began_) began_ = began;
    return std::abs(began - *began_) > std::max(row.end, kLate);
  }

 private:
  std::optional<double> began_;
};

Rows CollectCsv(std::string_view text) {
  Rows rows;
  Ports ports;
  Beginning beginning;
  double last_id = 0;
  for (const std::string_view line : Lines(text)) {
    const auto fields = SplitAt(',', line);
    const auto row = ToCsvRow(fields);
    if (!row) continue;
    rows.udp = rows.udp || fields.size() == kUdpFields;
    if (beginning.IsOfAnotherRun(*row, *CsvTime(fields[0])) && rows.refusal.empty()) {
      rows.refusal = kTwoInCsv;
    }
    if (const auto loss = ToCsvLoss(fields)) {
      rows.received[row->id] = {*row, *loss};
    } else {
      if (row->id != kSum && rows.refusal.empty()) rows.refusal = ports.RefusalOf(fields);
      KeepSent(*row, rows);
    }
    if (row->id != kSum) last_id = std::max(last_id, *ToNumber(row->id));
  }
  // Since 2.1 streams are numbered from 1 on. Before, it was by descriptors from 3 on, and of more
  // than one there is a row of all.
  const bool is_old = rows.sent.contains(kSum) || (rows.sent.size() == 1 && last_id == 3);
  if (!is_old) rows.connections = static_cast<std::uint32_t>(last_id);
  return rows;
}

// Without a row of all, they ran at the same time.
void AddSum(Rows& rows) {
  if (rows.sent.contains(kSum) || rows.sent.size() < 2) return;
  Row sum;
  sum.is_round = true;
  for (const auto& [id, row] : rows.sent) {
    sum.end = std::max(sum.end, row.end);
    sum.is_round = sum.is_round && row.is_round;
    sum.bytes += row.bytes;
    sum.bits_per_second += row.bits_per_second;
  }
  sum.id = kSum;
  rows.sent[kSum] = sum;
}

Rows Collect(std::string_view text) {
  text = text.substr(0, text.rfind('\n') + 1);  // a line without end may be half a number
  if (!IsIperf2Csv(text)) return CollectText(text);
  Rows rows = CollectCsv(text);
  AddSum(rows);
  return rows;
}

constexpr std::string_view kComplaints[] = {"connect failed",      "Unknown host",
                                            "read failed",         "write failed",
                                            "did not receive ack", "Connection timed out"};

// Of all streams, or of one.
Dimensions DimensionsOf(std::string_view stream) {
  Dimensions dimensions = {{"direction", "forward"}};
  if (!stream.empty()) dimensions.emplace_back("stream", std::string(stream));
  return dimensions;
}

void Add(const char* name, double value, const char* unit, Better better, bool headline,
         Measurements& result, std::string_view stream = {}) {
  result.measurements.push_back({name, value, unit, better, headline, DimensionsOf(stream)});
}

// What the streams together have that `total` may be the rate of: the sum of their rates, or their
// bytes by its own time where one of them ended later than the others. 0: there is only the sum.
double SumOfStreams(const Rows& rows, const Row& total) {
  double rates = 0;
  double bits = 0;
  for (const auto& [id, row] : rows.sent) {
    if (id == kSum) continue;
    rates += row.bits_per_second;
    bits += row.bits_per_second * row.end;
  }
  const double least = total.end > 0 ? std::min(rates, bits / total.end) : rates;
  return std::clamp(total.bits_per_second, least, rates);
}

// The rate of a row, unless its streams or its bytes say another. `streams`: what they have
// together; 0: it is one itself.
void AddRate(const char* name, const Row& row, double streams, bool headline, Measurements& result,
             std::string_view stream = {}) {
  const double rate = row.bits_per_second / kGiga;
  std::string fault = FaultOfTotal(rate, streams / kGiga, "Gbit/s");
  if (fault.empty()) fault = FaultOfRate(rate, row.counted_bits_per_s / kGiga, "Gbit/s");
  if (fault.empty()) {
    Add(name, rate, "Gbit/s", Better::kHigher, headline, result, stream);
  } else {
    result.failures.push_back({name, LeftOut(DimensionsOf(stream), fault)});
  }
}

void AddSent(const Rows& rows, const Row& total, Measurements& result) {
  AddRate(rows.udp ? "throughput_sent" : "throughput", total, SumOfStreams(rows, total), !rows.udp,
          result);
  const auto retransmits = rows.retransmits.find(total.id);
  if (retransmits != rows.retransmits.end()) {
    Add("retransmits", retransmits->second, "", Better::kLower, true, result);
  }
  for (const auto& [id, row] : rows.sent) {
    if (id == kSum) continue;
    AddRate("throughput_sent", row, 0, false, result, id);
    Add("transfer", row.bytes / 1024, "KiB", Better::kNone, false, result, id);
  }
}

Status AddReceived(const std::string& stage, const Rows& rows, Measurements& result) {
  double bits = 0;
  Loss all;
  for (const auto& [id, row] : rows.received) {
    const auto& [received, loss] = row;
    bits += received.bits_per_second;
    all.lost += loss.lost;
    all.packets += loss.packets;
    Add("jitter", loss.jitter_ms, "ms", Better::kLower, true, result, id);
  }
  if (all.packets <= 0) return ToolFailed(stage, "no data arrived");
  Add("throughput", bits / kGiga, "Gbit/s", Better::kHigher, true, result);
  const double lost = 100 * all.lost / all.packets;
  if (const std::string fault = FaultOfShare(lost); fault.empty()) {
    Add("lost", lost, "%", Better::kLower, true, result);
  } else {
    result.failures.push_back({"lost", LeftOut(DimensionsOf({}), fault)});
  }
  Add("lost_packets", all.lost, "", Better::kLower, false, result);
  Add("packets", all.packets, "", Better::kNone, false, result);
  return absl::OkStatus();
}

// The sum of all streams, which the only one of them is, too.
const Row* Total(const Rows& rows) {
  const auto sum = rows.sent.find(kSum);
  if (sum != rows.sent.end()) return &sum->second;
  return rows.sent.size() == 1 ? &rows.sent.begin()->second : nullptr;
}

// Why rows may be of parts of a run that was killed (--interval); empty: they are of the whole run.
std::string WhyEarly(const Rows& rows, const Row* total, bool is_asked_for) {
  constexpr double kOff = 0.95;  // the streams end at different times
  constexpr char kEnds[] = "it ends before the row of the whole run";
  const auto is_part = [&](const auto& of_stream) {
    const Row& row = of_stream.second;
    return row.is_round && row.end < kOff * rows.last_part;
  };
  if (rows.last_part > 0 && (total == nullptr || total->end < kOff * rows.last_part)) return kEnds;
  if (std::any_of(rows.sent.begin(), rows.sent.end(), is_part)) return kEnds;
  // Whoever knows how long it was to run sees that.
  if (is_asked_for || rows.last_part > 0 || total == nullptr || !total->is_round) return {};
  return absl::StrCat(kEnds, ", or has but one of exactly ", NumberText(total->end),
                      " s, as of its first interval");
}

// 0 with --sum-only.
std::size_t StreamsIn(const Rows& rows) { return rows.sent.size() - rows.sent.count(kSum); }

Done DoneIn(const Rows& rows, const Row& total) {
  const std::size_t streams = StreamsIn(rows);
  return {.streams = static_cast<double>(streams > 0 ? streams : rows.connections),
          .seconds = total.end,
          .forward = true,
          .udp = rows.udp};
}

// A log that was cut off has whole rows, too.
Status CheckWhole(const std::string& stage, const Rows& rows, const Row* total,
                  const v1::suites::IperfSpec* spec) {
  const std::string early = WhyEarly(rows, total, spec != nullptr);
  if (!early.empty()) return Unreadable(stage, early);
  if (rows.sent.empty()) return Unreadable(stage, "no result of iperf in it");
  if (total == nullptr) return Unreadable(stage, "its [SUM] line is missing: it is cut off");
  const std::size_t streams = StreamsIn(rows);
  const std::string otherwise = Otherwise(DoneIn(rows, *total), spec);
  if (!otherwise.empty()) {
    return Unreadable(stage, otherwise);
  }
  if (rows.connections != 0 && streams != 0 && streams != rows.connections) {
    return Unreadable(stage, absl::StrCat("it has ", streams, " streams, not ", rows.connections));
  }
  if (rows.udp && rows.received.size() < streams) {
    return Unreadable(stage, "a server report is missing");
  }
  return absl::OkStatus();
}

}  // namespace

bool IsIperf2Csv(std::string_view text) {
  return AnyLine(text,
                 [](std::string_view line) { return ToCsvRow(SplitAt(',', line)).has_value(); });
}

Result<Measurements> ParseIperf2(const StageOutput& client, const v1::suites::IperfSpec* spec) {
  const std::string stage = StageName(client, "client");
  // It exits with 0 when the connection is refused: what it says is all that tells.
  for (const std::string* text : {&client.err, &client.out}) {
    const std::string_view complaint = LineWith(*text, kComplaints);
    if (!complaint.empty()) return ToolFailed(stage, complaint);
  }
  if (const std::string end = BadEnd(client); !end.empty()) return ToolFailed(stage, end);
  const Rows rows = Collect(client.out);
  if (!rows.refusal.empty()) return Unreadable(stage, rows.refusal);
  const Row* total = Total(rows);
  Status status = CheckWhole(stage, rows, total, spec);
  if (!status.ok()) return status;
  Measurements result;
  result.tool = "iperf 2";
  if (spec == nullptr && !rows.udp && rows.last_part == 0 && total->is_coarse) {
    result.notes.push_back(
        absl::StrCat("its only row, of ", NumberText(total->end),
                     " s, may be that of its first interval: iperf before 2.1 says no more"));
  }
  AddSent(rows, *total, result);
  if (rows.udp) status = AddReceived(stage, rows, result);
  if (!status.ok()) return status;
  SayHow(DoneIn(rows, *total), result);
  return result;
}

}  // namespace twofold::suite::iperf
