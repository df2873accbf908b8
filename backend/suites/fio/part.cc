#include "backend/suites/fio/part.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "lib/suite/json.h"
#include "lib/suite/text.h"

namespace twofold::suite::fio {
namespace {

// Of all clients together: fio adds up what we add up, and mixes percentiles.
constexpr const char* kTotal = "All clients";

std::string Text(const Json& json, std::string_view key) {
  const Json* found = Find(json, {key});
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

// "<host> fio: /nonexistent is not a directory"
std::string Complaint(std::string_view text) {
  for (const std::string_view line : Lines(text)) {
    for (const std::string_view mark : {"fio: ", "disconnected", "client: "}) {
      if (line.find(mark) != std::string_view::npos) return std::string(line);
    }
  }
  return {};
}

std::string Complaint(const StageOutput& output, std::string_view before) {
  const std::string said = Complaint(output.err);
  return said.empty() ? Complaint(before) : said;
}

void ReadPercentiles(const Json& json, JsonNumbers& numbers, Side& side) {
  const Json* percentiles = Find(json, {"clat_ns", "percentile"});
  if (percentiles == nullptr) return;  // lat_percentiles or no reads at all
  for (const auto& [key, value] : percentiles->items()) {
    const auto percent = ToNumber(key);  // "99.900000"
    if (percent) side.percentiles.emplace_back(NumberText(*percent), numbers.Get(value, {}));
  }
}

Side ReadSide(const Json& json, JsonNumbers& numbers) {
  Side side;
  side.ios = numbers.Get(json, {"total_ios"});
  side.bytes_per_s = numbers.Get(json, {"bw_bytes"});
  side.iops = numbers.Get(json, {"iops"});
  side.lat_min_ns = numbers.Get(json, {"lat_ns", "min"});
  side.lat_max_ns = numbers.Get(json, {"lat_ns", "max"});
  side.lat_mean_ns = numbers.Get(json, {"lat_ns", "mean"});
  side.lat_stddev_ns = numbers.Get(json, {"lat_ns", "stddev"});
  if (side.ios > 0) ReadPercentiles(json, numbers, side);
  return side;
}

// The entries of "jobs", or of "client_stats" but for their total.
std::vector<const Json*> Entries(const Json& json) {
  std::vector<const Json*> entries;
  for (const char* key : {"jobs", "client_stats"}) {
    const Json* list = Find(json, {key});
    if (list == nullptr || !list->is_array()) continue;
    for (const Json& entry : *list) {
      if (Text(entry, "jobname") != kTotal) entries.push_back(&entry);
    }
  }
  return entries;
}

std::string WorkerOf(const Json& entry, const StageOutput& output) {
  const std::string host = Text(entry, "hostname");
  if (host.empty()) return absl::StrCat(output.rank);
  const Json* port = Find(entry, {"port"});
  return port != nullptr ? absl::StrCat(host, ":", port->dump()) : host;
}

std::string StageName(const StageOutput& output) {
  return absl::StrCat(output.stage.empty() ? "fio" : output.stage, " of worker ", output.rank);
}

Status CheckErrors(const std::string& stage, const StageOutput& output, const Document& document,
                   const std::vector<const Json*>& entries, JsonNumbers& numbers) {
  const std::string complaint = Complaint(output, document.before);
  if (entries.empty()) {
    if (!complaint.empty()) return ToolFailed(stage, complaint);
    return Unreadable(stage, "no jobs in fio's JSON");
  }
  for (const Json* entry : entries) {
    const double error = numbers.Get(*entry, {"error"});
    if (error == 0) continue;
    return ToolFailed(stage, complaint.empty() ? "error " + NumberText(error) : complaint);
  }
  const std::string end = BadEnd(output);
  if (end.empty()) return numbers.status();
  return ToolFailed(stage, complaint.empty() ? end : complaint);
}

}  // namespace

Status ReadParts(const StageOutput& output, std::string& tool, std::vector<Part>& parts) {
  const std::string stage = StageName(output);
  const auto document = FindDocument(stage, output.out);
  if (!document.ok()) {
    // Without JSON, what it says is the reason.
    const std::string complaint = Complaint(output, output.out);
    return complaint.empty() ? document.status() : ToolFailed(stage, complaint);
  }
  JsonNumbers numbers(stage);
  const auto entries = Entries(document->json);
  Status status = CheckErrors(stage, output, *document, entries, numbers);
  if (!status.ok()) return status;
  tool = Text(document->json, "fio version");
  const bool servers = Find(document->json, {"client_stats"}) != nullptr;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    Part part{.worker = WorkerOf(*entries[i], output), .job = {}, .sides = {}};
    if (!servers && entries.size() > 1) part.job = absl::StrCat(i);
    part.usr_cpu = numbers.Get(*entries[i], {"usr_cpu"});
    part.sys_cpu = numbers.Get(*entries[i], {"sys_cpu"});
    for (std::size_t side = 0; side < kSides.size(); ++side) {
      const Json* json = Find(*entries[i], {kSides[side]});
      part.sides[side] = ReadSide(json != nullptr ? *json : Json(), numbers);
    }
    parts.push_back(std::move(part));
  }
  return numbers.status();
}

}  // namespace twofold::suite::fio
