#include <absl/strings/str_cat.h>

#include <string>
#include <utility>

#include "lib/suite/json.h"
#include "lib/suite/text.h"
#include "suites/iperf/iperf.h"

namespace twofold::suite::iperf {
namespace {

constexpr double kGiga = 1e9;  // bits

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

std::string Text(const Json& json, std::initializer_list<std::string_view> path) {
  const Json* found = Find(json, path);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

class Reader {
 public:
  Reader(const StageOutput& client, const Json& json)
      : client_(client), json_(json), numbers_(StageName()) {}

  Result<Measurements> Read() {
    // A run that was cut short has sums, too, and exits with 0: the error is all that tells.
    if (const std::string error = Text(json_, {"error"}); !error.empty()) {
      return ToolFailed(StageName(), error);
    }
    if (const std::string end = BadEnd(client_); !end.empty()) return ToolFailed(StageName(), end);
    udp_ = Text(json_, {"start", "test_start", "protocol"}) == "UDP";
    result_.tool = Text(json_, {"start", "version"});
    const bool reverse = numbers_.Get(json_, {"start", "test_start", "reverse"}) != 0;
    ReadDirection(reverse ? kReverse : kForward);
    if (Find(json_, {"end", kBackward.sent}) != nullptr) ReadDirection(kBackward);
    ReadCpu("client", "host_total");
    ReadCpu("server", "remote_total");
    if (!numbers_.status().ok()) return numbers_.status();
    if (silent_) return ToolFailed(StageName(), "no data arrived");
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::string StageName() const {
    return client_.stage.empty() ? "client" : client_.stage;
  }

  void Add(Measurement one) { result_.measurements.push_back(std::move(one)); }

  void ReadDirection(const Direction& direction) {
    const Dimensions dimensions = {{"direction", direction.name}};
    const auto get = [&](const char* sum, const char* field) {
      return numbers_.Get(json_, {"end", sum, field});
    };
    if (get(direction.received, "bytes") <= 0) silent_ = true;
    Add({"throughput", get(direction.received, "bits_per_second") / kGiga, "Gbit/s",
         Better::kHigher, true, dimensions});
    Add({"throughput_sent", get(direction.sent, "bits_per_second") / kGiga, "Gbit/s",
         Better::kHigher, false, dimensions});
    udp_ ? ReadLoss(direction, dimensions) : ReadRetransmits(direction, dimensions);
    ReadIntervals(direction, dimensions);
  }

  void ReadLoss(const Direction& direction, const Dimensions& dimensions) {
    const auto get = [&](const char* field) {
      return numbers_.Get(json_, {"end", direction.received, field});
    };
    Add({"lost", get("lost_percent"), "%", Better::kLower, true, dimensions});
    Add({"lost_packets", get("lost_packets"), "", Better::kLower, false, dimensions});
    Add({"packets", get("packets"), "", Better::kNone, false, dimensions});
    Add({"jitter", get("jitter_ms"), "ms", Better::kLower, true, dimensions});
  }

  // Not all systems count them.
  void ReadRetransmits(const Direction& direction, const Dimensions& dimensions) {
    if (Find(json_, {"end", direction.sent, "retransmits"}) == nullptr) return;
    Add({"retransmits", numbers_.Get(json_, {"end", direction.sent, "retransmits"}), "",
         Better::kLower, true, dimensions});
  }

  void ReadCpu(const char* side, const char* field) {
    Add({"cpu",
         numbers_.Get(json_, {"end", "cpu_utilization_percent", field}),
         "%",
         Better::kLower,
         true,
         {{"side", side}}});
  }

  void ReadIntervals(const Direction& direction, const Dimensions& dimensions) {
    Series series{"throughput_over_time",
                  dimensions,
                  {{"time", "s"}, {"throughput", "Gbit/s", Better::kHigher}},
                  {}};
    const Json* intervals = Find(json_, {"intervals"});
    if (intervals == nullptr || !intervals->is_array()) return;
    for (const Json& interval : *intervals) {
      const Json* omitted = Find(interval, {direction.interval, "omitted"});
      if (omitted != nullptr && *omitted == true) continue;
      series.rows.push_back(
          {numbers_.Get(interval, {direction.interval, "end"}),
           numbers_.Get(interval, {direction.interval, "bits_per_second"}) / kGiga});
    }
    if (!series.rows.empty()) result_.series.push_back(std::move(series));
  }

  const StageOutput& client_;
  const Json& json_;
  JsonNumbers numbers_;
  Measurements result_;
  bool udp_ = false;
  bool silent_ = false;
};

}  // namespace

Result<Measurements> ParseIperf3(const StageOutput& client) {
  const std::string stage = client.stage.empty() ? "client" : client.stage;
  const auto document = FindDocument(stage, client.out);
  if (!document.ok()) return document.status();
  return Reader(client, document->json).Read();
}

}  // namespace twofold::suite::iperf
