#include <absl/strings/str_cat.h>

#include <string>
#include <utility>
#include <vector>

#include "lib/suite/json.h"
#include "lib/suite/text.h"
#include "suites/iperf/iperf.h"

namespace twofold::suite::iperf {
namespace {

// The sums of one direction in "end" and in each interval.
struct Direction {
  const char* name;
  const char* sent;
  const char* received;
  const char* interval;
};
constexpr Direction kForward = {"forward", "sum_sent", "sum_received", "sum"};
constexpr Direction kReverse = {"reverse", "sum_sent", "sum_received", "sum"};
constexpr Direction kBackward = {"reverse", "sum_sent_bidir_reverse", "sum_received_bidir_reverse",
                                 "sum_bidir_reverse"};

class Reader {
 public:
  Reader(const StageOutput& client, const Json& json)
      : client_(client), json_(json), stage_(StageName(client, "client")), numbers_(stage_) {}

  Result<Measurements> Read() {
    // A run that was cut short has sums, too, and exits with 0: the error is all that tells.
    if (const std::string error = TextAt(json_, {"error"}); !error.empty()) {
      return ToolFailed(stage_, error);
    }
    if (const std::string end = BadEnd(client_); !end.empty()) return ToolFailed(stage_, end);
    result_.tool = TextAt(json_, {"start", "version"});
    const bool reverse = numbers_.Get(json_, {"start", "test_start", "reverse"}) != 0;
    ReadDirection(reverse ? kReverse : kForward);
    if (Find(json_, {"end", kBackward.sent}) != nullptr) ReadDirection(kBackward);
    ReadCpu("client", "host_total");
    ReadCpu("server", "remote_total");
    if (!numbers_.status().ok()) return numbers_.status();
    if (silent_) return ToolFailed(stage_, "no data arrived");
    return std::move(result_);
  }

 private:
  void ReadDirection(const Direction& direction) {
    const auto get = [&](const char* sum, const char* field) {
      return numbers_.Get(json_, {"end", sum, field});
    };
    if (get(direction.received, "bytes") <= 0) silent_ = true;
    Flow flow{.direction = direction.name,
              .received_bits_per_s = get(direction.received, "bits_per_second"),
              .sent_bits_per_s = get(direction.sent, "bits_per_second")};
    if (TextAt(json_, {"start", "test_start", "protocol"}) == "UDP") {
      flow.lost_percent = get(direction.received, "lost_percent");
      flow.loss = {.jitter_ms = get(direction.received, "jitter_ms"),
                   .lost = get(direction.received, "lost_packets"),
                   .packets = get(direction.received, "packets")};
    } else if (Find(json_, {"end", direction.sent, "retransmits"}) != nullptr) {
      flow.retransmits = get(direction.sent, "retransmits");
    }
    flow.intervals = Intervals(direction);
    AddFlow(std::move(flow), result_);
  }

  void ReadCpu(const char* side, const char* field) {
    const double percent = numbers_.Get(json_, {"end", "cpu_utilization_percent", field});
    result_.measurements.push_back({"cpu", percent, "%", Better::kLower, true, {{"side", side}}});
  }

  std::vector<std::vector<double>> Intervals(const Direction& direction) {
    std::vector<std::vector<double>> rows;
    const Json* intervals = Find(json_, {"intervals"});
    if (intervals == nullptr || !intervals->is_array()) return rows;
    for (const Json& interval : *intervals) {
      const Json* omitted = Find(interval, {direction.interval, "omitted"});
      if (omitted != nullptr && *omitted == true) continue;
      rows.push_back({numbers_.Get(interval, {direction.interval, "end"}),
                      numbers_.Get(interval, {direction.interval, "bits_per_second"}) / kGiga});
    }
    return rows;
  }

  const StageOutput& client_;
  const Json& json_;
  const std::string stage_;
  JsonNumbers numbers_;
  Measurements result_;
  bool silent_ = false;
};

}  // namespace

Result<Measurements> ParseIperf3(const StageOutput& client, const Expected& /*expected*/) {
  const auto document = FindDocument(StageName(client, "client"), client.out);
  if (!document.ok()) return document.status();
  return Reader(client, document->json).Read();
}

}  // namespace twofold::suite::iperf
