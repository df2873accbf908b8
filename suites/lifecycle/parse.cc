#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "lib/suite/spec.h"
#include "lib/suite/text.h"
#include "suites/lifecycle/lifecycle.h"

namespace twofold::suite::lifecycle {
namespace {

// Exit codes of `twofold lifecycle run` with which the report is of a whole run all the same.
constexpr int kThreshold = 1;   // or no workload was created and seen
constexpr int kNotRemoved = 4;  // after two minutes
constexpr int kInterrupted = 6;

/// The program's last word on why it failed: it begins with its name. Empty: it has said nothing.
std::string_view LastWord(std::string_view err) {
  std::string_view last;
  for (const std::string_view line : Lines(err)) {
    if (const auto word = After(line, "twofold: ")) last = *word;
  }
  return last;
}

std::string WhyBad(const StageOutput& output) {
  const std::string end = BadEnd(output);
  if (end.empty()) return end;
  if (output.exit_code == kInterrupted) return "interrupted before its end";
  const std::string_view word = LastWord(output.err);
  return word.empty() ? end : absl::StrCat(std::string(word), " (", end, ")");
}

/// Of an ended run whose exit code complains of what the report says, or of what it left.
bool IsWhole(const StageOutput& output) {
  constexpr std::array<int, 2> kComplaints = {kThreshold, kNotRemoved};
  return output.signal == 0 &&
         std::find(kComplaints.begin(), kComplaints.end(), output.exit_code) != kComplaints.end();
}

double CountOf(const Measurements& numbers, std::string_view name) {
  const auto& all = numbers.measurements;
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Measurement& one) { return one.name == name; });
  return found == all.end() ? 0 : found->value;
}

/// Whether it is of the run that the job asked for.
Status CheckSpec(const std::string& stage, const std::string& json, const Measurements& numbers) {
  if (json.empty()) return absl::OkStatus();
  const auto spec = ReadSpec(json);
  if (!spec.ok()) return spec.status();
  const std::string& kind = numbers.measurements.front().dimensions.front().second;
  if (kind != spec->kind()) {
    return Unreadable(stage, absl::StrCat("its report is of ", kind, ", not of ", spec->kind()));
  }
  const double workloads = CountOf(numbers, "workloads");
  if (workloads == spec->count()) return absl::OkStatus();
  return Unreadable(
      stage, absl::StrCat("its report is of ", workloads, " workloads, not of ", spec->count()));
}

/// Without a workload that was created and seen, a report says nothing.
bool HasData(const Measurements& numbers) {
  const double none =
      CountOf(numbers, "refused") + CountOf(numbers, "never_seen") + CountOf(numbers, "not_sent");
  return CountOf(numbers, "workloads") > none;
}

}  // namespace

Result<Measurements> Parse(const Outputs& outputs) {
  if (outputs.stages.size() != 1) return Unreadable(kStage, "not the output of one run");
  const StageOutput& output = outputs.stages.front();
  const std::string stage = StageName(output, kStage);
  const std::string bad = WhyBad(output);
  if (!bad.empty() && !IsWhole(output)) return ToolFailed(stage, bad);
  const auto document = FindDocument(stage, output.out);
  if (!document.ok()) return bad.empty() ? document.status() : ToolFailed(stage, bad);
  auto numbers = NumbersOf(document->json);
  if (!numbers.ok()) return Unreadable(stage, std::string(numbers.status().message()));
  if (Status status = CheckSpec(stage, outputs.spec, *numbers); !status.ok()) return status;
  if (!HasData(*numbers)) return ToolFailed(stage, "no workload was created and seen");
  if (!bad.empty()) numbers->failures.push_back({stage, Quoted(bad)});
  return numbers;
}

}  // namespace twofold::suite::lifecycle
