// What iperf3 prints without --json. Its numbers have three digits, unless --format asked for more.

#include <absl/strings/str_cat.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "lib/suite/text.h"
#include "suites/iperf/iperf.h"

namespace twofold::suite::iperf {
namespace {

// The rows of one direction.
struct TextRows {
  std::map<std::string_view, Row> sent;      // by id
  std::map<std::string_view, Row> received;  // the same
  std::map<std::string_view, std::vector<Row>> intervals;
};

/// The rates of all streams; 0: there is only one, or only the sum (--sum-only).
double SumOfStreams(const std::map<std::string_view, Row>& rows) {
  double sum = 0;
  for (const auto& [id, row] : rows) {
    if (id != kSum) sum += row.bits_per_second;
  }
  return sum;
}

/// The row of all streams; that of the only one is that, too. Null: there is none.
template <typename Value>
const Value* TotalOf(const std::map<std::string_view, Value>& rows) {
  const auto sum = rows.find(kSum);
  if (sum != rows.end()) return &sum->second;
  return rows.size() == 1 ? &rows.begin()->second : nullptr;
}

// "iperf3: error - unable to connect to server: Connection refused"; else it only warns.
std::optional<std::string_view> ComplaintIn(std::string_view line) {
  for (const std::string_view word :
       {"iperf3: error - ", "iperf3: parameter error - ", "iperf3: interrupt - "}) {
    if (const auto reason = After(line, word)) return reason;
  }
  return std::nullopt;
}

class TextReader {
 public:
  TextReader(const StageOutput& client, const v1::suites::IperfSpec* spec)
      : client_(client), spec_(spec), stage_(StageName(client, "client")) {
    result_.tool = "iperf 3";
  }

  Result<Measurements> Read() {
    for (const std::string* text : {&client_.err, &client_.out}) {
      for (const std::string_view line : Lines(*text)) ReadLine(line);
    }
    if (!complaint_.empty()) return ToolFailed(stage_, complaint_);
    if (const std::string end = BadEnd(client_); !end.empty()) return ToolFailed(stage_, end);
    if (!whole_) return Unreadable(stage_, "it ends before 'iperf Done.'");
    if (directions_.empty()) return Unreadable(stage_, "no result of iperf3 in it");
    for (const auto& [name, rows] : directions_) {
      Status status = AddDirection(name, rows);
      if (!status.ok()) return status;
    }
    if (const std::string otherwise = Otherwise(done_, spec_); !otherwise.empty()) {
      return Unreadable(stage_, otherwise);
    }
    for (Measurement& one : cpu_) result_.measurements.push_back(std::move(one));
    SayHow(done_, result_);
    return std::move(result_);
  }

 private:
  void ReadLine(std::string_view line) {
    if (line == "Server output:") of_server_ = true;
    if (const auto complaint = ComplaintIn(line)) {
      if (complaint_.empty()) complaint_ = std::string(*complaint);
    } else if (line.starts_with("iperf 3.")) {
      result_.tool = std::string(Strip(line));
    } else if (line.starts_with("Reverse mode, ")) {
      reverse_ = true;
    } else if (line.starts_with("CPU Utilization: ") && !of_server_) {
      ReadCpu(line);
    } else if (line.starts_with("[ ID]")) {
      done_.udp = done_.udp || line.find("Datagrams") != line.npos;
    } else if (line == kDone) {
      whole_ = true;
    } else if (const auto row = ToRow(line)) {
      Keep(*row);
    }
  }

  void Keep(const Row& row) {
    if (of_server_ && !row.role.ends_with("-C")) return;
    const std::string_view last = row.rest.empty() ? "" : row.rest.back();
    const bool backward = row.role.empty() ? reverse_ : row.role.starts_with("RX");
    TextRows& rows = directions_[backward ? "reverse" : "forward"];
    if (last == "sender") {
      rows.sent[row.id] = row;
    } else if (last == "receiver") {
      rows.received[row.id] = row;
    } else if (last != "(omitted)") {
      rows.intervals[row.id].push_back(row);
    }
  }

  // "CPU Utilization: local/sender 38.6% (0.1%u/38.5%s), remote/receiver 33.0% (0.5%u/32.5%s)"
  void ReadCpu(std::string_view line) {
    for (const auto& [word, side] : {std::pair{"local/", "client"}, {"remote/", "server"}}) {
      const std::size_t at = line.find(word);
      const auto words = Words(at == line.npos ? std::string_view() : line.substr(at));
      std::string_view percent = words.size() > 1 ? words[1] : std::string_view();
      const auto value = TakeNumber(percent);
      if (!value || !percent.starts_with('%')) continue;
      cpu_.push_back({"cpu", *value, "%", Better::kLower, true, {{"side", side}}});
    }
  }

  Status AddDirection(std::string_view name, const TextRows& rows) {
    const Row* sent = TotalOf(rows.sent);
    const Row* received = TotalOf(rows.received);
    if (sent == nullptr || received == nullptr) {
      return Unreadable(stage_,
                        absl::StrCat("its totals are missing of direction ", std::string(name)));
    }
    if (received->bytes <= 0) return ToolFailed(stage_, "no data arrived");
    (name == "forward" ? done_.forward : done_.reverse) = true;
    done_.seconds = sent->end;
    done_.streams = static_cast<double>(rows.sent.size() - rows.sent.count(kSum));
    Flow flow{.direction = std::string(name),
              .received_bits_per_s = received->bits_per_second,
              .sent_bits_per_s = sent->bits_per_second,
              .parts_received_bits_per_s = SumOfStreams(rows.received),
              .parts_sent_bits_per_s = SumOfStreams(rows.sent),
              .counted_received_bits_per_s = received->counted_bits_per_s,
              .counted_sent_bits_per_s = sent->counted_bits_per_s,
              .seconds = sent->end};
    if (done_.udp) {
      flow.loss = ToLoss(*received);
      if (!flow.loss || flow.loss->packets <= 0) {
        return Unreadable(stage_, "its lost datagrams are missing");
      }
      flow.lost_percent = 100 * flow.loss->lost / flow.loss->packets;
    } else {
      flow.retransmits = ToNumber(sent->rest.front());
    }
    if (const std::vector<Row>* intervals = TotalOf(rows.intervals)) {
      for (const Row& row : *intervals) {
        flow.intervals.push_back({row.end, row.bits_per_second / kGiga});
        flow.times.emplace_back(row.start, row.end);
      }
    }
    AddFlow(std::move(flow), result_);
    return absl::OkStatus();
  }

  const StageOutput& client_;
  const v1::suites::IperfSpec* const spec_;
  const std::string stage_;
  Measurements result_;
  std::map<std::string_view, TextRows> directions_;
  std::vector<Measurement> cpu_;
  std::string complaint_;
  bool reverse_ = false;
  Done done_;
  bool whole_ = false;
  // --get-server-output: what comes is the server's, but for rows whose role is the client's.
  bool of_server_ = false;
};

}  // namespace

bool IsIperf3Text(std::string_view text) {
  return AnyLine(text, [](std::string_view line) {
    return line.starts_with("iperf3: ") || line.starts_with("Connecting to host ");
  });
}

bool IsServersIperf3Text(std::string_view text) {
  return AnyLine(
      text, [](std::string_view line) { return line.starts_with("Accepted connection from "); });
}

Result<Measurements> RefuseServersIperf3Text(const StageOutput& client,
                                             const v1::suites::IperfSpec* /*spec*/) {
  return Unreadable(StageName(client, "client"),
                    "it is of the server (iperf3 -s): that of the client has both sides");
}

Result<Measurements> ParseIperf3Text(const StageOutput& client, const v1::suites::IperfSpec* spec) {
  return TextReader(client, spec).Read();
}

}  // namespace twofold::suite::iperf
