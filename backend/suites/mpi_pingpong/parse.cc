#include <algorithm>
#include <utility>

#include "backend/suites/mpi_pingpong/mpi_pingpong.h"
#include "lib/suite/mpirun.h"
#include "lib/suite/text.h"

namespace twofold::suite::mpi_pingpong {
namespace {

constexpr std::string_view kImbTitle = "Intel(R) MPI Benchmarks ";

std::string ToolOf(std::string_view text) {
  for (const std::string_view line : Lines(text)) {
    const std::size_t found = line.find(kImbTitle);
    if (found == std::string_view::npos) continue;
    const std::string_view version = line.substr(found + kImbTitle.size());
    return "Intel MPI Benchmarks " + std::string(version.substr(0, version.find(',')));
  }
  return "NetPIPE";
}

// NetPIPE writes its table to stderr.
Result<std::vector<Point>> ReadEither(const std::string& stage, const StageOutput& output) {
  Result<std::vector<Point>> points = ReadImb(stage, output.out);
  for (const std::string* text : {&output.out, &output.err}) {
    if (points.ok() && points->empty()) points = ReadNetpipe(stage, *text);
  }
  return points;
}

Measurements ToMeasurements(const std::string& tool, const std::vector<Point>& points) {
  const auto first = std::min_element(points.begin(), points.end(),
                                      [](const Point& a, const Point& b) { return a.us < b.us; });
  const auto peak =
      std::max_element(points.begin(), points.end(),
                       [](const Point& a, const Point& b) { return a.mb_per_s < b.mb_per_s; });
  Measurements result;
  result.tool = tool;
  result.measurements = {
      {"peak_bandwidth",
       peak->mb_per_s,
       "MB/s",
       Better::kHigher,
       true,
       {{"size", NumberText(peak->bytes)}}},
      {"min_latency", first->us, "us", Better::kLower, true, {{"size", NumberText(first->bytes)}}}};
  Series series{
      "pingpong",
      {},
      {{"size", "B"}, {"latency", "us", Better::kLower}, {"bandwidth", "MB/s", Better::kHigher}},
      {}};
  for (const Point& point : points) {
    series.rows.push_back({point.bytes, point.us, point.mb_per_s});
  }
  result.series.push_back(std::move(series));
  return result;
}

// The spec's largest size must have been reached: a run that was stopped has whole rows, too.
Status CheckReached(const std::string& stage, const std::string& json,
                    const std::vector<Point>& points) {
  if (json.empty()) return absl::OkStatus();
  const auto spec = ReadSpec(json);
  if (!spec.ok()) return spec.status();
  const auto largest = static_cast<double>(std::uint64_t{1} << spec->maxlog());
  const bool reached = std::any_of(points.begin(), points.end(),
                                   [&](const Point& point) { return point.bytes >= largest; });
  // NetPIPE stops at the last of its own steps below the size.
  if (reached || spec->tool() == "netpipe") return absl::OkStatus();
  return Unreadable(stage, "the table ends before size " + NumberText(largest));
}

}  // namespace

Result<Measurements> Parse(const Outputs& outputs) {
  if (outputs.stages.empty()) return Unreadable("pingpong", "no output");
  const StageOutput& output = outputs.stages.front();
  const std::string stage = output.stage.empty() ? "pingpong" : output.stage;
  const auto points = ReadEither(stage, output);
  const std::string reason = MpiReason(output.out, output.err);
  if (const std::string end = BadEnd(output); !end.empty()) {
    return ToolFailed(stage, reason.empty() ? end : reason);
  }
  if (!points.ok()) return points.status();
  if (points->empty()) {
    if (!reason.empty()) return ToolFailed(stage, reason);
    return Unreadable(stage, "no table of IMB PingPong or NetPIPE in it");
  }
  if (Status status = CheckReached(stage, outputs.spec, *points); !status.ok()) return status;
  return ToMeasurements(ToolOf(output.out), *points);
}

}  // namespace twofold::suite::mpi_pingpong
