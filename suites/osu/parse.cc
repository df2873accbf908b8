#include <charconv>
#include <string>

#include "lib/suite/text.h"
#include "suites/osu/osu.h"
#include "suites/osu/report.h"

namespace twofold::suite::osu {
namespace {

// The end of "MIN:MAX" or "MAX" of a spec that was checked; 0: the tests' own.
Result<std::uint64_t> Largest(const std::string& json) {
  if (json.empty()) return 0;
  const auto spec = ReadSpec(json);
  if (!spec.ok()) return spec.status();
  const std::string& sizes = spec->sizes();
  const std::string_view most = std::string_view(sizes).substr(sizes.find(':') + 1);
  std::uint64_t bytes = 0;
  std::from_chars(most.data(), most.data() + most.size(), bytes);
  return bytes;
}

void ReadStage(const StageOutput& stage, std::uint64_t largest, Measurements& result) {
  for (const Section& section : ReadSections(stage)) {
    const Status status = ReadTest(section, largest, result);
    if (status.ok()) continue;
    const std::string name = section.test.empty() ? stage.stage : section.test;
    result.failures.push_back({name.empty() ? "osu" : name, std::string(status.message())});
  }
  if (IsCutOff(stage.out)) {
    result.failures.push_back({"log", "it ends before METRICS OPERATOR COLLECTION END"});
  }
}

}  // namespace

Result<Measurements> Parse(const Outputs& outputs) {
  const auto largest = Largest(outputs.spec);
  if (!largest.ok()) return largest.status();
  Measurements result;
  for (const StageOutput& stage : outputs.stages) ReadStage(stage, *largest, result);
  if (!result.measurements.empty()) return result;
  if (result.failures.empty())
    return Unreadable("osu", "nothing to measure: no output, or osu_hello without its wall time");
  return ToolFailed(result.failures.front().stage, result.failures.front().reason);
}

}  // namespace twofold::suite::osu
