#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <iostream>
#include <utility>

#include "cli/jobs/job_commands.h"
#include "lib/common/printable.h"
#include "lib/show/message.h"
#include "lib/show/table.h"

namespace twofold::cli {
namespace {

std::string Gang(const v1::Job& job) {
  if (job.gang_size() == 0) return "";
  std::string text = absl::StrCat(job.gang_size(), " workers");
  for (int rank = 0; rank < job.members_size(); ++rank) {
    const v1::WorkerName& member = job.members(rank);
    absl::StrAppend(&text, rank == 0 ? ": " : ", ", rank, " on ", member.node(), "/", member.pod());
  }
  return text;
}

/// Empty if there is nothing to say.
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

}  // namespace

const show::Columns& JobColumns() {
  static const show::Columns kColumns = {
      {"ID", "id"},
      {"QUEUE", "queue"},
      {"STATE", "state"},
      {"OUTCOME", "outcome"},
      {"ATTEMPTS", "attempts"},
      {.heading = "WAIT S", .path = "wait_seconds", .decimals = 3},
      {.heading = "RUN S", .path = "run_seconds", .decimals = 3},
      {"POD", "pod"}};
  return kColumns;
}

std::string Progress(const v1::Job& job) {
  if (job.progress() == 0 && job.progress_line().empty()) return "";
  return absl::StrFormat("%.0f %%%s%s", 100 * job.progress(),
                         job.progress_line().empty() ? "" : " ", job.progress_line());
}

void Print(const v1::Job& job, const Globals& globals) {
  std::cout << show::Print(globals.form, JobColumns(), show::ToJson(job));
  if (globals.form == show::Form::kText) std::cout << JobDetails(job);
}

}  // namespace twofold::cli
