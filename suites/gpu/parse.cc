#include <absl/strings/str_cat.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "lib/suite/json.h"
#include "lib/suite/latencies.h"
#include "lib/suite/spec.h"
#include "lib/suite/text.h"
#include "suites/gpu/gpu.h"

namespace twofold::suite::gpu {
namespace {

using v1::suites::GpuHealth;
using v1::suites::GpuPart;
using v1::suites::GpuReport;
using v1::suites::GpuSpec;

constexpr std::string_view kTool = "twofold-gpu";
constexpr double kGiga = 1e9;

// What the program says when it ends with an error: "twofold-gpu: wrong result: ...".
std::string Complaint(std::string_view text) {
  for (const std::string_view line : Lines(text)) {
    const auto said = After(line, "twofold-gpu: ");
    if (said) return Quoted(*said);
  }
  return {};
}

// A part of a report as measurements.
class Writer {
 public:
  Writer(const GpuReport& report, const GpuPart& part, bool mixed, bool headline,
         Measurements& result)
      : part_(part),
        headline_(headline),
        result_(result),
        dimensions_(Names(part, mixed, report.streams())) {}

  Status Write() {
    const auto times = FromMessage(part_.times());
    const auto latencies = FromMessage(part_.latencies());
    if (!times.ok() || !latencies.ok()) return Unreadable(kTool, "a histogram that cannot be");
    if (times->Count() != part_.iterations()) {
      return Unreadable(
          kTool, absl::StrCat(times->Count(), " times of ", part_.iterations(), " iterations"));
    }
    AddRate("compute", part_.flop() / kGiga, "GFLOP/s");
    AddRate("bandwidth", part_.bytes() / kGiga, "GB/s");
    AddRate("launch_rate", part_.launches(), "1/s");
    AddLatencies("iteration", *times, dimensions_, false, result_);
    AddLatencies("launch_latency", *latencies, dimensions_, headline_, result_);
    return absl::OkStatus();
  }

 private:
  // All that makes its numbers incomparable with those of another part.
  static Dimensions Names(const GpuPart& part, bool mixed, std::uint32_t streams) {
    Dimensions names;
    const auto add = [&](const char* key, const std::string& value) {
      if (!value.empty()) names.emplace_back(key, value);
    };
    const auto add_number = [&](const char* key, double value) {
      if (value > 0) names.emplace_back(key, NumberText(value));
    };
    if (mixed) add("in", "mixed");
    add("work", part.work());
    add("precision", part.precision());
    add("pattern", part.pattern());
    add("direction", part.direction());
    add("host_memory", part.host_memory());
    if (part.size() > 0) add("size", absl::StrCat(part.size()));
    add_number("gflop", part.flop() / kGiga);
    add_number("launches", part.launches());
    if (streams > 1) add_number("streams", streams);
    return names;
  }

  void AddRate(const char* name, double each, const char* unit) {
    if (each <= 0) return;
    result_.measurements.push_back(
        {.name = name,
         .value = each * static_cast<double>(part_.iterations()) / part_.span_s(),
         .unit = unit,
         .better = Better::kHigher,
         .headline = headline_,
         .dimensions = dimensions_});
  }

  const GpuPart& part_;
  const bool headline_;
  Measurements& result_;
  const Dimensions dimensions_;
};

void AddRange(const char* name, const char* unit, const GpuHealth::Range& range,
              Measurements& result) {
  const auto add = [&](const char* what, double value) {
    result.measurements.push_back(
        {.name = absl::StrCat(name, what), .value = value, .unit = unit, .dimensions = {}});
  };
  add("_min", range.least());
  add("_mean", range.mean());
  add("_max", range.most());
}

void AddHealth(const GpuHealth& health, Measurements& result) {
  if (health.has_clock_mhz()) AddRange("clock", "MHz", health.clock_mhz(), result);
  if (health.has_memory_clock_mhz()) {
    AddRange("memory_clock", "MHz", health.memory_clock_mhz(), result);
  }
  if (health.has_power_w()) AddRange("power", "W", health.power_w(), result);
  if (health.has_temperature_c()) AddRange("temperature", "C", health.temperature_c(), result);
  if (health.samples() == 0) return;
  Measurement throttled{.name = "throttled",
                        .value = 100.0 * health.throttled_samples() / health.samples(),
                        .unit = "%",
                        .better = Better::kLower,
                        .headline = health.throttled_samples() > 0,
                        .dimensions = {}};
  for (const std::string& reason : health.throttle_reasons()) {
    throttled.at.emplace_back(reason, "seen");
  }
  result.measurements.push_back(std::move(throttled));
}

std::size_t PartsOf(const GpuSpec& spec) {
  if (spec.work() != "mixed") return Sizes(spec).size();
  const std::uint32_t shares[] = {spec.compute_share(), spec.memory_share(), spec.transfer_share(),
                                  spec.launch_share()};
  return static_cast<std::size_t>(
      std::count_if(std::begin(shares), std::end(shares), [](auto share) { return share > 0; }));
}

Status CheckPart(const GpuPart& part) {
  const auto bad = [](std::string_view why) { return Unreadable(kTool, why); };
  if (part.work().empty()) return bad("a part without its work");
  if (part.iterations() == 0) return bad("a part without iterations");
  if (part.span_s() <= 0) return bad("a part that took no time");
  const bool empty = part.flop() <= 0 && part.bytes() <= 0 && part.launches() == 0;
  return empty ? bad("a part without work") : absl::OkStatus();
}

// What makes a part another one than the spec asked for; empty: nothing.
std::string Otherwise(const GpuSpec& spec, const GpuPart& part) {
  const auto differs = [](const std::string& is, const std::string& asked) {
    return absl::StrCat("it did ", is, ", not ", asked);
  };
  if (spec.work() != "mixed" && part.work() != spec.work()) {
    return differs(part.work(), spec.work());
  }
  for (const auto& [is, asked] :
       {std::pair<const std::string&, const std::string&>{part.precision(), spec.precision()},
        {part.pattern(), spec.pattern()},
        {part.direction(), spec.direction()}}) {
    if (!is.empty() && is != asked) return differs(is, asked);
  }
  const auto sizes = Sizes(spec);
  if (part.size() > 0 && std::find(sizes.begin(), sizes.end(), part.size()) == sizes.end()) {
    return absl::StrCat("size ", part.size(), " was not asked for");
  }
  if (spec.iterations() == 0 || spec.work() == "mixed" || part.iterations() == spec.iterations()) {
    return {};
  }
  return absl::StrCat(part.iterations(), " iterations, not ", spec.iterations());
}

Status CheckAgainst(const std::string& json, const GpuReport& report) {
  if (json.empty()) return absl::OkStatus();
  const auto spec = ReadSpec(json);
  if (!spec.ok()) return spec.status();
  const bool sizes = spec->work() == "memory" || spec->work() == "transfer";
  const std::size_t parts = sizes || spec->work() == "mixed" ? PartsOf(*spec) : 1;
  // A mixed run that is short has not come to all of its kinds.
  const auto seen = static_cast<std::size_t>(report.parts_size());
  if (seen > parts || (seen < parts && spec->work() != "mixed")) {
    return Unreadable(kTool, absl::StrCat("it has ", seen, " parts, not ", parts));
  }
  for (const GpuPart& part : report.parts()) {
    if (std::string otherwise = Otherwise(*spec, part); !otherwise.empty()) {
      return Unreadable(kTool, absl::StrCat(part.work(), ": ", otherwise));
    }
    const bool unchecked = spec->validate() && part.compared() == 0 && part.work() != "launch";
    if (unchecked) return Unreadable(kTool, absl::StrCat(part.work(), ": results not compared"));
  }
  return absl::OkStatus();
}

Status CheckReport(const GpuReport& report) {
  if (!report.tool().starts_with(kTool)) return Unreadable(kTool, "no result of twofold-gpu");
  if (report.device().name().empty()) return Unreadable(kTool, "no device");
  if (report.parts().empty()) return Unreadable(kTool, "no parts");
  for (const GpuPart& part : report.parts()) {
    if (Status status = CheckPart(part); !status.ok()) return status;
  }
  return absl::OkStatus();
}

Result<GpuReport> ReadReport(const StageOutput& output) {
  const std::string end = BadEnd(output);
  std::string complaint = Complaint(output.err);
  if (complaint.empty()) complaint = Complaint(output.out);
  if (!end.empty()) return ToolFailed(kTool, complaint.empty() ? end : complaint);
  const auto document = FindDocument(kTool, output.out);
  if (!document.ok()) {
    return complaint.empty() ? document.status() : ToolFailed(kTool, complaint);
  }
  GpuReport report;
  if (Status status = ReadJson(document->json.dump(), report); !status.ok()) {
    return Unreadable(kTool, std::string(status.message()));
  }
  if (Status status = CheckReport(report); !status.ok()) return status;
  return report;
}

}  // namespace

Result<Measurements> Parse(const Outputs& outputs) {
  if (outputs.stages.size() != 1) return Unreadable(kTool, "not the output of one run");
  const auto report = ReadReport(outputs.stages.front());
  if (!report.ok()) return report.status();
  if (Status status = CheckAgainst(outputs.spec, *report); !status.ok()) return status;
  Measurements result;
  result.tool = report->tool();
  const bool mixed = report->parts_size() > 1 && report->parts(0).work() != report->parts(1).work();
  for (int i = 0; i < report->parts_size(); ++i) {
    // Of several sizes the largest is what people ask for.
    const bool headline = mixed || i + 1 == report->parts_size();
    Status status = Writer(*report, report->parts(i), mixed, headline, result).Write();
    if (!status.ok()) return status;
  }
  AddHealth(report->health(), result);
  return result;
}

}  // namespace twofold::suite::gpu
