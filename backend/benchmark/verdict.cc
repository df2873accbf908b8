#include "backend/benchmark/verdict.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "backend/benchmark/artifact.h"
#include "lib/common/printable.h"
#include "lib/suite/measurements.h"
#include "lib/words/measurement.h"

namespace twofold::backend {
namespace {

constexpr std::size_t kMostError = 1000;  // bytes

bool IsMeasured(std::span<const suite::Stage> stages, const std::string& name) {
  return std::any_of(stages.begin(), stages.end(), [&](const suite::Stage& stage) {
    return stage.name == name && stage.phase == suite::Phase::kRun;
  });
}

// `whole`: nothing may have been left out.
Result<std::string> Read(const v1::Artifact& artifact, bool whole, std::uint64_t most) {
  if (whole && artifact.left_out() > 0) {
    return absl::DataLossError(absl::StrCat(artifact.name(), " has ", artifact.bytes(),
                                            " bytes, of which ", artifact.left_out(),
                                            " were not kept: too much to read"));
  }
  Result<std::string> text = Text(artifact, most);
  if (text.ok()) return text;
  return absl::DataLossError(absl::StrCat(artifact.name(), ": ", text.status().message()));
}

// Appends what ran at a rank to what Parse gets. An output of a kRun stage has to be whole, those
// of others may have lost their middle. Errors   kDataLoss "STAGE: ...": the first output that is
// not as it should be.
Status AppendOutputs(const v1::RankRecord& record, std::uint32_t rank,
                     std::span<const suite::Stage> stages, std::uint64_t most_bytes,
                     suite::Outputs& outputs) {
  for (const v1::StageRecord& stage : record.stages()) {
    Status status;
    const auto read = [&, whole = IsMeasured(stages, stage.name())](const v1::Artifact& artifact) {
      Result<std::string> text = Read(artifact, whole, most_bytes);
      status.Update(text.status());
      return std::move(text).value_or("");
    };
    suite::StageOutput output{.rank = rank, .stage = stage.name(), .out = read(stage.out())};
    output.argv.assign(stage.argv().begin(), stage.argv().end());
    output.err = read(stage.err());
    for (const v1::Artifact& file : stage.files()) {
      output.files.push_back({file.name(), read(file)});
    }
    if (!status.ok()) {
      return absl::DataLossError(absl::StrCat(stage.name(), ": ", status.message()));
    }
    if (stage.exit_code() >= 0) output.exit_code = stage.exit_code();
    output.signal = stage.signal();
    output.wall = Duration(static_cast<Duration::rep>(stage.wall_ns()));
    outputs.stages.push_back(std::move(output));
  }
  return absl::OkStatus();
}

// The stage of the plan that Parse means, which may say more: "fio of worker 1".
std::string StageIn(const suite::GangPlan& plan, const std::string& said) {
  for (const suite::RankPlan& rank : plan.ranks) {
    for (const suite::Stage& stage : rank.stages) {
      if (said == stage.name || said.starts_with(stage.name + " ")) return stage.name;
    }
  }
  return Printable(said, kMostError);
}

Verdict Refused(const suite::GangPlan& plan, const Status& status) {
  const std::string text(status.message());
  const std::size_t colon = text.find(": ");
  if (colon == std::string::npos) return Because("parse", text);
  return {StageIn(plan, text.substr(0, colon)), Printable(text, kMostError)};
}

// Parts that could not be started or were stopped. Why counts more than what their output looks
// like.
std::vector<const v1::StageRecord*> BrokenParts(const v1::BenchmarkResult& result) {
  std::vector<const v1::StageRecord*> broken;
  for (const v1::RankRecord& record : result.ranks()) {
    for (const v1::StageRecord& stage : record.stages()) {
      if (!stage.error().empty()) broken.push_back(&stage);
    }
  }
  return broken;
}

void SetFailure(const v1::StageRecord& stage, v1::BenchmarkResult& result) {
  auto& all = *result.mutable_failures();
  auto found = std::find_if(all.begin(), all.end(), [&](const v1::PartFailure& failure) {
    return failure.stage() == stage.name();
  });
  v1::PartFailure& failure = found == all.end() ? *result.add_failures() : *found;
  failure.set_stage(stage.name());
  failure.set_reason(stage.error());
}

Result<suite::Measurements> Parsed(const Case& job, const v1::BenchmarkResult& result) {
  suite::Outputs outputs{.spec = job.spec, .stages = {}};
  for (std::uint32_t rank = 0; rank < job.plan.ranks.size(); ++rank) {
    const Status status = AppendOutputs(result.ranks(static_cast<int>(rank)), rank,
                                        job.plan.ranks[rank].stages, job.most_bytes, outputs);
    if (!status.ok()) return status;
  }
  return job.suite.parse(outputs);
}

}  // namespace

Verdict Because(std::string_view stage, std::string_view reason) {
  return {std::string(stage),
          Printable(std::string(stage) + ": " + std::string(reason), kMostError)};
}

Verdict Judge(const Case& job, v1::BenchmarkResult& result) {
  const auto numbers = Parsed(job, result);
  const auto broken = BrokenParts(result);
  if (!numbers.ok() && !broken.empty()) return Because(broken[0]->name(), broken[0]->error());
  if (!numbers.ok()) return Refused(job.plan, numbers.status());
  AddTo(*numbers, result);
  for (const v1::StageRecord* stage : broken) SetFailure(*stage, result);
  if (result.failures().empty()) return {};
  return Because(result.failures(0).stage(), result.failures(0).reason());
}

Verdict JudgeRank(const Case& job, std::uint32_t rank, const v1::RankRecord& record) {
  suite::Outputs outputs;  // without the spec: it counts members
  Status status = AppendOutputs(record, rank, job.plan.ranks[rank].stages, job.most_bytes, outputs);
  if (status.ok()) status = job.suite.parse(outputs).status();
  return status.ok() ? Verdict() : Refused(job.plan, status);
}

std::string Text(const v1::BenchmarkResult& result) {
  std::string text = result.tool().empty() ? "" : result.tool() + "\n";
  for (const bool headline : {true, false}) {
    for (const v1::Measurement& one : result.measurements()) {
      if (one.headline() != headline) continue;
      absl::StrAppend(&text, headline ? "* " : "  ", MeasurementText(one), "\n");
    }
  }
  for (const v1::Series& series : result.series()) {
    absl::StrAppend(&text, "  ", series.name(), ": ",
                    series.values_size() / std::max(1, series.columns_size()), " rows\n");
  }
  for (const v1::PartFailure& failure : result.failures()) {
    absl::StrAppend(&text, "! ", failure.stage(), ": ", failure.reason(), "\n");
  }
  return text;
}

}  // namespace twofold::backend
