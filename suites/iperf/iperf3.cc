#include <absl/strings/str_cat.h>

#include <initializer_list>
#include <limits>
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
// From 3.7 to 3.10.1 both directions of --bidir have the same keys, and the client's own is first.
constexpr Direction kSecond = {"reverse", "sum_sent#2", "sum_received#2", "sum#2"};
constexpr std::string_view kRepeated[] = {"sum", "sum_sent", "sum_received"};
constexpr std::string_view kReceiver = "receiver";  // of a stream
constexpr double kMega = 1e6;
constexpr double kShortest3 = 0.99;  // of the seconds that the test says

// The one object that --json would have printed, of the events of --json-stream. With
// --json-stream-full-output that object follows them.
Result<Json> Joined(const std::string& stage, std::vector<Document> documents) {
  const bool is_stream = Find(documents[0].json, {"event"}) != nullptr;
  if (documents.size() == 1 && !is_stream) return std::move(documents[0].json);
  Json joined = {{"intervals", Json::array()}};
  for (Document& document : documents) {
    const std::string event = TextAt(document.json, {"event"});
    if (event.empty()) {
      const bool is_same = is_stream && &document == &documents.back() &&
                           joined.contains("start") && document.json.contains("start") &&
                           document.json["start"] == joined["start"];
      if (is_same) return std::move(document.json);
      return Unreadable(stage, "it has several results of iperf3");
    }
    Json& data = document.json["data"];
    if (event == "interval") {
      joined["intervals"].push_back(std::move(data));
    } else if (!event.empty()) {
      joined[event] = std::move(data);
    }
  }
  if (joined.contains("error")) return joined;  // a run that could not connect has no start
  if (joined.contains("end") && joined.contains("start")) return joined;
  return Unreadable(stage, absl::StrCat("its event ", joined.contains("start") ? "end" : "start",
                                        " is missing: it is cut off"));
}

// Of UDP versions before 3.10 have one sum, of what was sent, and say how much of it was lost.
void AddSumsOfOldUdp(Json& json) {
  const Json* sum = Find(json, {"end", "sum"});
  const Json* lost = Find(json, {"end", "sum", "lost_percent"});
  const Json* reverse = Find(json, {"start", "test_start", "reverse"});
  const bool is_old = lost != nullptr && lost->is_number() && reverse != nullptr && *reverse == 0 &&
                      TextAt(json, {"start", "test_start", "protocol"}) == "UDP" &&
                      Find(json, {"end", "sum_sent"}) == nullptr;
  if (!is_old) return;
  Json sent = *sum;
  Json received = *sum;
  for (const char* field : {"bytes", "bits_per_second"}) {
    if (!received.contains(field) || !received[field].is_number()) return;
    received[field] = received[field].get<double>() * (1 - lost->get<double>() / 100);
  }
  json["end"]["sum_sent"] = std::move(sent);
  json["end"]["sum_received"] = std::move(received);
}

class Reader {
 public:
  Reader(const StageOutput& client, const Json& json, const v1::suites::IperfSpec* spec)
      : client_(client),
        json_(json),
        spec_(spec),
        stage_(StageName(client, "client")),
        numbers_(stage_) {}

  Result<Measurements> Read() {
    // A run that was cut short has sums, too, and exits with 0: the error is all that tells.
    if (const std::string error = TextAt(json_, {"error"}); !error.empty()) {
      return ToolFailed(stage_, error);
    }
    if (const std::string end = BadEnd(client_); !end.empty()) return ToolFailed(stage_, end);
    if (Find(json_, {"start", "accepted_connection"}) != nullptr) {
      return Unreadable(stage_,
                        "it is of the server (iperf3 -s): that of the client has both sides");
    }
    if (Find(json_, {"end"}) != nullptr && Find(json_, {"end", "sum_sent"}) == nullptr) {
      return Unreadable(stage_, "its end has no sum_sent, without which it is not read");
    }
    result_.tool = TextAt(json_, {"start", "version"});
    const bool reverse = numbers_.Get(json_, {"start", "test_start", "reverse"}) != 0;
    const Direction* back = nullptr;
    for (const Direction* each : {&kBackward, &kSecond}) {
      if (Find(json_, {"end", each->sent}) != nullptr) back = each;
    }
    both_ = back != nullptr;
    ReadDirection(reverse ? kReverse : kForward);
    if (both_) ReadDirection(*back);
    if (Status status = CheckWhole(reverse); !status.ok()) return status;
    ReadCpu("client", "host_total");
    ReadCpu("server", "remote_total");
    if (!numbers_.status().ok()) return numbers_.status();
    if (silent_) return ToolFailed(stage_, "no data arrived");
    SayHow(done_, result_);
    return std::move(result_);
  }

 private:
  // Against what the test says of itself, and what the spec asked for.
  Status CheckWhole(bool reverse) {
    const auto differs = [&](const std::string& why) { return Unreadable(stage_, why); };
    const double streams = numbers_.Get(json_, {"start", "test_start", "num_streams"});
    const Json* list = Find(json_, {"end", "streams"});
    const double seen = list == nullptr ? 0 : static_cast<double>(list->size());
    const double wanted = streams * (both_ ? 2 : 1);
    if (seen != wanted) return differs(absl::StrCat("it has ", seen, " streams, not ", wanted));
    const double duration = numbers_.Get(json_, {"start", "test_start", "duration"});
    const double lasted = numbers_.Get(json_, {"end", "sum_sent", "end"});
    if (lasted < kShortest3 * duration) {
      return differs(absl::StrCat("it ends after ", NumberText(lasted), " s, not ", duration));
    }
    done_ = {.streams = streams,
             .seconds = duration,
             .forward = both_ || !reverse,
             .reverse = both_ || reverse,
             .udp = IsUdp(),
             .bitrate = Asked("target_bitrate") / kMega,
             .length = Asked("blksize")};
    const std::string otherwise = Otherwise(done_, spec_);
    return otherwise.empty() ? absl::OkStatus() : differs(otherwise);
  }

  [[nodiscard]] bool IsUdp() const {
    return TextAt(json_, {"start", "test_start", "protocol"}) == "UDP";
  }

  // 0: it does not say.
  [[nodiscard]] double Number(std::initializer_list<std::string_view> path) const {
    const Json* value = Find(json_, path);
    return value != nullptr && value->is_number() ? value->get<double>() : 0;
  }

  // What old versions may not say: 0.
  [[nodiscard]] double Asked(const char* field) const {
    return Number({"start", "test_start", field});
  }

  // Bits a second by the bytes and seconds of a sum; 0: it does not say.
  [[nodiscard]] double Counted(const char* sum) const {
    const double seconds = Number({"end", sum, "seconds"});
    return seconds > 0 ? 8 * Number({"end", sum, "bytes"}) / seconds : 0;
  }

  // The sum of a rate over the streams of a direction; 0: not all of them say it. Of UDP a stream
  // has one rate, that of its sender, and says how much of it was lost.
  [[nodiscard]] double SumOfStreams(bool forward, std::string_view side) const {
    const Json* streams = Find(json_, {"end", "streams"});
    if (streams == nullptr || !streams->is_array()) return 0;
    double sum = 0;
    for (const Json& stream : *streams) {
      const Json* part = Find(stream, {IsUdp() ? "udp" : side});
      const Json* rate = part == nullptr ? nullptr : Find(*part, {"bits_per_second"});
      const Json* sender = part == nullptr ? nullptr : Find(*part, {"sender"});
      if (rate == nullptr || !rate->is_number()) return 0;
      if (both_ && (sender == nullptr || !sender->is_boolean())) return 0;
      if (both_ && *sender != forward) continue;
      const Json* lost = IsUdp() ? Find(*part, {"lost_percent"}) : nullptr;
      const bool arrived = lost != nullptr && lost->is_number() && side == kReceiver;
      sum += rate->get<double>() * (arrived ? 1 - lost->get<double>() / 100 : 1);
    }
    return sum;
  }

  // iperf3 prints nan, which is null here, where it divides by 0: that is left out with its reason.
  double Get(const char* sum, const char* field) {
    const Json* value = Find(json_, {"end", sum, field});
    if (value != nullptr && value->is_null()) return std::numeric_limits<double>::quiet_NaN();
    return numbers_.Get(json_, {"end", sum, field});
  }

  void ReadDirection(const Direction& direction) {
    const auto get = [&](const char* sum, const char* field) { return Get(sum, field); };
    if (get(direction.received, "bytes") <= 0) silent_ = true;
    const bool forward = &direction == &kForward;
    Flow flow{.direction = direction.name,
              .received_bits_per_s = get(direction.received, "bits_per_second"),
              .sent_bits_per_s = get(direction.sent, "bits_per_second"),
              .parts_received_bits_per_s = SumOfStreams(forward, kReceiver),
              .parts_sent_bits_per_s = SumOfStreams(forward, "sender"),
              .counted_received_bits_per_s = Counted(direction.received),
              .counted_sent_bits_per_s = Counted(direction.sent),
              .seconds = Number({"end", direction.sent, "end"})};
    if (IsUdp()) {
      flow.lost_percent = get(direction.received, "lost_percent");
      flow.loss = {.jitter_ms = get(direction.received, "jitter_ms"),
                   .lost = get(direction.received, "lost_packets"),
                   .packets = get(direction.received, "packets")};
    } else if (Find(json_, {"end", direction.sent, "retransmits"}) != nullptr) {
      flow.retransmits = get(direction.sent, "retransmits");
    }
    ReadIntervals(direction, flow);
    AddFlow(std::move(flow), result_);
  }

  void ReadCpu(const char* side, const char* field) {
    const double percent = Get("cpu_utilization_percent", field);
    result_.measurements.push_back({"cpu", percent, "%", Better::kLower, true, {{"side", side}}});
  }

  void ReadIntervals(const Direction& direction, Flow& flow) {
    const Json* intervals = Find(json_, {"intervals"});
    if (intervals == nullptr || !intervals->is_array()) return;
    for (const Json& interval : *intervals) {
      const Json* omitted = Find(interval, {direction.interval, "omitted"});
      if (omitted != nullptr && *omitted == true) continue;
      const Json* end = Find(interval, {direction.interval, "end"});
      const Json* rate = Find(interval, {direction.interval, "bits_per_second"});
      if (end == nullptr || rate == nullptr || !end->is_number() || !rate->is_number()) {
        result_.failures.push_back({stage_, "an interval without its end or rate is left out"});
        continue;
      }
      const Json* start = Find(interval, {direction.interval, "start"});
      const bool has_start = start != nullptr && start->is_number();
      const double last = flow.times.empty() ? 0 : flow.times.back().second;
      flow.intervals.push_back({end->get<double>(), rate->get<double>() / kGiga});
      flow.times.emplace_back(has_start ? start->get<double>() : last, end->get<double>());
    }
  }

  const StageOutput& client_;
  const Json& json_;
  const v1::suites::IperfSpec* const spec_;
  const std::string stage_;
  JsonNumbers numbers_;
  Measurements result_;
  Done done_;
  bool both_ = false;  // directions at once
  bool silent_ = false;
};

}  // namespace

Result<Measurements> ParseIperf3(const StageOutput& client, const v1::suites::IperfSpec* spec) {
  const std::string stage = StageName(client, "client");
  auto documents = FindDocuments(stage, client.out, kRepeated);
  if (!documents.ok()) return documents.status();
  auto json = Joined(stage, *std::move(documents));
  if (!json.ok()) return json.status();
  AddSumsOfOldUdp(*json);
  return Reader(client, *json, spec).Read();
}

}  // namespace twofold::suite::iperf
