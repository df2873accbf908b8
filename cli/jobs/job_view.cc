#include "cli/jobs/job_view.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/strip.h>

#include <iostream>
#include <utility>

#include "lib/common/printable.h"
#include "lib/show/table.h"

namespace twofold::cli {
namespace {

Json ReportJson(const v1::Report& report) {
  return {{"error", report.error()},
          {"exit_code", report.exit_code()},
          {"signal", report.signal()},
          {"output", report.output()},
          {"data_bytes", report.data().size()}};
}

Json MembersJson(const v1::Job& job) {
  Json members = Json::array();
  for (const v1::WorkerName& member : job.members()) {
    members.push_back({{"node", member.node()}, {"pod", member.pod()}});
  }
  return members;
}

std::string Gang(const v1::Job& job) {
  if (job.gang_size() == 0) return "";
  std::string text = absl::StrCat(job.gang_size(), " workers");
  for (int rank = 0; rank < job.members_size(); ++rank) {
    const v1::WorkerName& member = job.members(rank);
    absl::StrAppend(&text, rank == 0 ? ": " : ", ", rank, " on ", member.node(), "/", member.pod());
  }
  return text;
}

}  // namespace

std::string Word(const std::string& name, std::string_view prefix) {
  return absl::AsciiStrToLower(name.substr(name.find(prefix) == 0 ? prefix.size() : 0));
}

std::string State(const v1::Job& job) { return Word(v1::JobState_Name(job.state()), "JOB_STATE_"); }

std::string Outcome(const v1::Job& job) {
  if (job.state() != v1::JOB_STATE_FINISHED) return "";
  return Word(v1::Outcome_Name(job.outcome()), "OUTCOME_");
}

std::string Progress(const v1::Job& job) {
  if (job.progress() == 0 && job.progress_line().empty()) return "";
  return absl::StrFormat("%.0f %%%s%s", 100 * job.progress(),
                         job.progress_line().empty() ? "" : " ", job.progress_line());
}

Json ToJson(const v1::Job& job) {
  Json json = {{"id", IdText(job.id())},
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
               {"spec_bytes", job.spec_bytes()},
               {"run", job.run()},
               {"durable", job.durable()},
               {"gang_size", job.gang_size()},
               {"members", MembersJson(job)},
               {"progress", job.progress()},
               {"progress_line", job.progress_line()},
               {"total_seconds", InSeconds(job.total_ns())},
               {"accepted_unix_seconds", 1e-9 * static_cast<double>(job.accepted_unix_ns())},
               {"requeued_as", job.requeued_as() == 0 ? "" : IdText(job.requeued_as())}};
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
  const std::pair<const char*, std::string> lines[] = {
      {"run", job.run()},
      {"durable", job.durable() ? "yes" : ""},
      {"gang", Gang(job)},
      {"progress", Progress(job)},
      {"requeued as", job.requeued_as() == 0 ? "" : absl::StrCat(job.requeued_as())},
      {"error", job.report().error()}};
  std::string text;
  for (const auto& [name, value] : lines) {
    if (!value.empty()) absl::StrAppend(&text, name, ": ", Printable(value, value.size()), "\n");
  }
  if (job.report().output().empty()) return text;
  absl::StrAppend(&text, "output:\n", job.report().output());
  if (text.back() != '\n') text += '\n';
  return text;
}

void Print(const v1::Job& job, const Globals& globals) {
  std::cout << (globals.json ? JsonLine(ToJson(job))
                             : Table({JobHeading(), JobRow(job)}) + JobDetails(job));
}

}  // namespace twofold::cli
