#include "cli/commands/job_view.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/strip.h>

#include <string_view>

namespace twofold::cli {
namespace {

double InSeconds(std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; }

// OUTCOME_TIMED_OUT is "timed_out" to people.
std::string Lower(const std::string& name, std::string_view prefix) {
  return absl::AsciiStrToLower(name.substr(name.find(prefix) == 0 ? prefix.size() : 0));
}

std::string State(const v1::Job& job) {
  return Lower(v1::JobState_Name(job.state()), "JOB_STATE_");
}

std::string Outcome(const v1::Job& job) {
  if (job.state() != v1::JOB_STATE_FINISHED) return "";
  return Lower(v1::Outcome_Name(job.outcome()), "OUTCOME_");
}

nlohmann::ordered_json ReportJson(const v1::Report& report) {
  return {{"error", report.error()},
          {"exit_code", report.exit_code()},
          {"signal", report.signal()},
          {"output", report.output()},
          {"data_bytes", report.data().size()}};
}

std::string OrDash(const std::string& text) { return text.empty() ? "-" : text; }

}  // namespace

nlohmann::ordered_json ToJson(const v1::Job& job) {
  nlohmann::ordered_json json = {{"id", job.id()},
                                 {"queue", job.queue()},
                                 {"suite", job.suite()},
                                 {"state", State(job)},
                                 {"outcome", Outcome(job)},
                                 {"priority", job.priority()},
                                 {"attempts", job.attempts()},
                                 {"wait_seconds", InSeconds(job.wait_ns())},
                                 {"run_seconds", InSeconds(job.run_ns())},
                                 {"node", job.worker().node()},
                                 {"pod", job.worker().pod()},
                                 {"device", job.worker().device()},
                                 {"spec_bytes", job.spec_bytes()}};
  if (job.state() == v1::JOB_STATE_FINISHED) json["report"] = ReportJson(job.report());
  return json;
}

std::vector<std::string> JobHeading() {
  return {"ID", "QUEUE", "STATE", "OUTCOME", "ATTEMPTS", "WAIT S", "RUN S", "POD"};
}

std::vector<std::string> JobRow(const v1::Job& job) {
  return {absl::StrCat(job.id()),
          job.queue(),
          State(job),
          OrDash(Outcome(job)),
          absl::StrCat(job.attempts()),
          absl::StrFormat("%.3f", InSeconds(job.wait_ns())),
          absl::StrFormat("%.3f", InSeconds(job.run_ns())),
          OrDash(job.worker().pod())};
}

std::string JobDetails(const v1::Job& job) {
  std::string text;
  if (!job.report().error().empty()) absl::StrAppend(&text, "error: ", job.report().error(), "\n");
  if (job.report().output().empty()) return text;
  absl::StrAppend(&text, "output:\n", job.report().output());
  if (text.back() != '\n') text += '\n';
  return text;
}

}  // namespace twofold::cli
