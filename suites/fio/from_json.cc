#include <absl/strings/str_cat.h>

#include <utility>

#include "lib/suite/json.h"
#include "lib/suite/text.h"
#include "suites/fio/fio.h"

namespace twofold::suite::fio {
namespace {

// Of all clients together: fio adds up what we add up, and mixes percentiles.
constexpr const char* kTotalOfClients = "All clients";

constexpr std::pair<Clock, const char*> kFields[] = {{kTotal, "lat_ns"}, {kCompletion, "clat_ns"}};

// Of a clock that is switched off (disable_lat, disable_clat) all is 0.
Latency ReadLatency(const Json& json, std::string_view field, JsonNumbers& numbers) {
  Latency latency;
  const Json* counted = Find(json, {field, "N"});
  if (counted != nullptr && *counted == 0) return latency;
  latency.moments = {.min_ns = numbers.Get(json, {field, "min"}),
                     .max_ns = numbers.Get(json, {field, "max"}),
                     .mean_ns = numbers.Get(json, {field, "mean"}),
                     .stddev_ns = numbers.Get(json, {field, "stddev"})};
  const Json* percentiles = Find(json, {field, "percentile"});
  if (percentiles == nullptr) return latency;
  for (const auto& [key, value] : percentiles->items()) {
    const auto percent = ToNumber(key);  // "99.900000"
    if (percent) latency.percentiles.emplace_back(NumberText(*percent), numbers.Get(value, {}));
  }
  return latency;
}

Side ReadSide(const Json& json, JsonNumbers& numbers) {
  Side side{.bytes_per_s = numbers.Get(json, {"bw_bytes"}),
            .iops = numbers.Get(json, {"iops"}),
            .ios = numbers.Get(json, {"total_ios"}),
            .latencies = {}};
  if (side.ios == 0) return side;
  for (const auto& [clock, field] : kFields) {
    side.latencies[clock] = ReadLatency(json, field, numbers);
  }
  return side;
}

Part ReadPart(const Json& entry, JsonNumbers& numbers) {
  Part part{.usr_cpu = numbers.Get(entry, {"usr_cpu"}), .sys_cpu = numbers.Get(entry, {"sys_cpu"})};
  if (const std::string host = TextAt(entry, {"hostname"}); !host.empty()) {
    const Json* port = Find(entry, {"port"});
    part.worker = port != nullptr ? absl::StrCat(host, ":", port->dump()) : host;
  }
  for (std::size_t side = 0; side < kSides.size(); ++side) {
    const Json* json = Find(entry, {kSides[side]});
    part.sides[side] = ReadSide(json != nullptr ? *json : Json(), numbers);
  }
  return part;
}

}  // namespace

Result<Report> FromJson(const std::string& stage, std::string_view text) {
  const auto document = FindDocument(stage, text);
  if (!document.ok()) return document.status();
  Report report{
      .tool = TextAt(document->json, {"fio version"}), .parts = {}, .said = document->before};
  JsonNumbers numbers(stage);
  for (const char* key : {"jobs", "client_stats"}) {
    const Json* list = Find(document->json, {key});
    if (list == nullptr || !list->is_array()) continue;
    for (const Json& entry : *list) {
      if (TextAt(entry, {"jobname"}) == kTotalOfClients) continue;
      if (report.error == 0) report.error = numbers.Get(entry, {"error"});
      report.parts.push_back(ReadPart(entry, numbers));
    }
  }
  // Of a job that failed not all need be there.
  if (report.error == 0 && !numbers.status().ok()) return numbers.status();
  return report;
}

}  // namespace twofold::suite::fio
