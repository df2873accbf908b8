#include "suites/table/workload.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "lib/process/environment.h"
#include "suites/table/table.h"

namespace twofold::suite {
namespace {

bool IsBuiltIn(const std::string& name) { return name == "sleep" || !FindSuites(name).empty(); }

Status NoWorkload(const std::string& name, const Status& why) {
  if (name.find('/') != std::string::npos) return why;
  return absl::InvalidArgumentError(
      absl::StrCat(std::string(why.message()), ", nor built in, as sleep, ", SuiteNames(), " are"));
}

}  // namespace

Result<std::vector<std::string>> FindWorkload(std::vector<std::string> words) {
  if (words.empty() || IsBuiltIn(words[0])) return words;
  Result<std::string> program = process::ProgramAsTyped(words[0]);
  if (!program.ok()) return NoWorkload(words[0], program.status());
  words[0] = *std::move(program);
  return words;
}

std::vector<std::string> WithShell(const std::string& line, std::vector<std::string> words) {
  if (!line.empty()) words.insert(words.begin(), {"/bin/sh", "-c", line, "sh"});
  return words;
}

}  // namespace twofold::suite
