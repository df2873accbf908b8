#include "lib/suite/plan.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include <algorithm>

#include "lib/common/instant.h"
#include "lib/suite/text.h"

namespace twofold::suite {
namespace {

constexpr const char* kPhases[] = {"prepare", "serve", "run"};

// In quotes where a shell would split it.
std::string Argument(const std::string& text) {
  constexpr char kPlain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@%^";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  return absl::StrCat("'", absl::Utf8SafeCEscape(text), "'");
}

std::string Command(const Stage& stage) {
  std::string line;
  for (const auto& [name, value] : stage.environment) {
    absl::StrAppend(&line, " ", name, "=", Argument(value));
  }
  for (const std::string& word : stage.argv) absl::StrAppend(&line, " ", Argument(word));
  return line;
}

std::string Conditions(const Stage& stage) {
  std::string text;
  if (stage.ready.port != 0) absl::StrAppend(&text, ", ready: port ", stage.ready.port);
  if (!stage.ready.line.empty()) absl::StrAppend(&text, ", ready: line '", stage.ready.line, "'");
  for (const std::string& file : stage.collect) absl::StrAppend(&text, ", collect ", file);
  if (stage.limit) absl::StrAppend(&text, ", limit ", NumberText(ToSeconds(*stage.limit)), " s");
  if (!stage.starts.empty()) absl::StrAppend(&text, ", starts ", stage.starts);
  if (stage.cores != 0) absl::StrAppend(&text, ", cores ", stage.cores);
  if (stage.goes_on) absl::StrAppend(&text, ", goes on");
  if (stage.may_end) absl::StrAppend(&text, ", may end");
  if (stage.stop_grace) {
    absl::StrAppend(&text, ", stop grace ", NumberText(ToSeconds(*stage.stop_grace)), " s");
  }
  return text;
}

std::string Text(const RankPlan& rank) {
  std::string text;
  if (rank.serves_exec) absl::StrAppend(&text, "  serves exec\n");
  for (const std::string& folder : rank.folders) absl::StrAppend(&text, "  folder ", folder, "\n");
  if (rank.disk_bytes != 0) absl::StrAppend(&text, "  disk ", rank.disk_bytes, " B\n");
  for (const std::string& path : rank.paths) absl::StrAppend(&text, "  path ", path, "\n");
  for (const File& file : rank.files) {
    absl::StrAppend(&text, "  file ", file.path, "\n");
    for (const std::string_view line : Lines(file.content)) {
      absl::StrAppend(&text, "    | ", std::string(line), "\n");
    }
  }
  for (const Stage& stage : rank.stages) {
    absl::StrAppend(&text, "  ", kPhases[static_cast<std::size_t>(stage.phase)], " ", stage.name,
                    Conditions(stage), "\n   ", Command(stage), "\n");
  }
  return text;
}

}  // namespace

std::vector<std::string> ProgramsOf(const RankPlan& rank) {
  std::vector<std::string> programs;
  for (const Stage& stage : rank.stages) {
    for (const std::string& program : {stage.argv.at(0), stage.starts}) {
      const bool known = std::find(programs.begin(), programs.end(), program) != programs.end();
      if (!program.empty() && !known) programs.push_back(program);
    }
  }
  return programs;
}

std::uint32_t CoresOf(const GangPlan& plan) {
  std::uint32_t cores = 0;
  for (const RankPlan& rank : plan.ranks) {
    for (const Stage& stage : rank.stages) {
      if (stage.phase == Phase::kRun) cores = std::max(cores, stage.cores);
    }
  }
  return cores;
}

std::string Text(const GangPlan& plan) {
  std::string text =
      absl::StrCat("ends with ", plan.ending == Ending::kRankZero ? "rank 0" : "every rank", "\n");
  for (const std::string& what : plan.unlisted) absl::StrAppend(&text, "unlisted ", what, "\n");
  for (const Ask& ask : plan.asks) {
    absl::StrAppend(&text, "asks ", ask.field, "=", Argument(ask.value), "\n");
  }
  for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank) {
    absl::StrAppend(&text, "rank ", rank, "\n", Text(plan.ranks[rank]));
  }
  return text;
}

}  // namespace twofold::suite
