#include "suites/fio/part.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

#include "lib/suite/text.h"

namespace twofold::suite::fio {
namespace {

constexpr std::string_view kTerminated = "fio: terminating on signal";

bool HasLine(std::string_view text, bool (*is)(std::string_view)) {
  const auto lines = Lines(text);
  return std::any_of(lines.begin(), lines.end(), is);
}

// "3;fio-3.33;randread;0;0;..."
bool IsTerse(std::string_view line) { return TakeNumber(line) && line.starts_with(';'); }

struct Format {
  bool (*is_line)(std::string_view line);  ///< a line that only this form has
  Result<Report> (*read)(const std::string& stage, std::string_view text);
};
constexpr Format kFormats[] = {
    {[](std::string_view line) { return line.starts_with('{'); }, FromJson},
    {IsTerse, FromTerse},
    {[](std::string_view line) { return line.find("(groupid=") != line.npos; }, FromNormal},
};

Result<Report> Read(const std::string& stage, std::string_view text) {
  for (const Format& format : kFormats) {
    if (HasLine(text, format.is_line)) return format.read(stage, text);
  }
  const auto lines = Lines(text);
  if (lines.empty()) return Unreadable(stage, "no output");
  return Unreadable(stage, "no result of fio in its output, but: " + Quoted(lines.front()));
}

// "<host> fio: /nonexistent is not a directory", but not "fio: (g=0): rw=..." of a job of that
// name.
std::string Complaint(std::string_view text) {
  for (const std::string_view line : Lines(text)) {
    if (line.find("(g=") != line.npos || line.find("(groupid=") != line.npos) continue;
    for (const std::string_view mark : {"fio: ", "disconnected", "client: "}) {
      if (line.find(mark) != line.npos) return std::string(line);
    }
  }
  return {};
}

std::string StageName(const StageOutput& output) {
  return absl::StrCat(output.stage.empty() ? "fio" : output.stage, " of worker ", output.rank);
}

Status CheckEnd(const std::string& stage, const StageOutput& output, const Report& report,
                const std::string& complaint) {
  const auto failed = [&](const std::string& reason) {
    return ToolFailed(stage, complaint.empty() ? reason : complaint);
  };
  if (report.parts.empty()) {
    return complaint.empty() ? Unreadable(stage, "no jobs in fio's output") : failed("");
  }
  if (report.error != 0) return failed("error " + NumberText(report.error));
  // It then prints what it has, and ends with 0.
  if (report.said.find(kTerminated) != report.said.npos ||
      output.err.find(kTerminated) != output.err.npos) {
    return failed("terminated by a signal");
  }
  const std::string end = BadEnd(output);
  return end.empty() ? absl::OkStatus() : failed(end);
}

}  // namespace

Status ReadParts(const StageOutput& output, std::string& tool, std::vector<Part>& parts) {
  const std::string stage = StageName(output);
  Result<Report> report = Read(stage, output.out);
  const std::string_view said = report.ok() ? report->said : std::string_view(output.out);
  std::string complaint = Complaint(output.err);
  if (complaint.empty()) complaint = Complaint(said);
  // Without numbers, what it says is the reason.
  if (!report.ok()) return complaint.empty() ? report.status() : ToolFailed(stage, complaint);
  if (Status status = CheckEnd(stage, output, *report, complaint); !status.ok()) return status;
  tool = report->tool;
  for (std::size_t i = 0; i < report->parts.size(); ++i) {
    Part& part = report->parts[i];
    if (part.worker.empty()) {
      part.worker = absl::StrCat(output.rank);
      if (report->parts.size() > 1) part.job = absl::StrCat(i);
    }
    parts.push_back(std::move(part));
  }
  return absl::OkStatus();
}

}  // namespace twofold::suite::fio
