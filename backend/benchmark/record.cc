#include "backend/benchmark/record.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "backend/benchmark/artifact.h"

namespace twofold::backend {
namespace {

bool IsMeasured(std::span<const suite::Stage> stages, const std::string& name) {
  return std::any_of(stages.begin(), stages.end(), [&](const suite::Stage& stage) {
    return stage.name == name && stage.phase == suite::Phase::kRun;
  });
}

// Reads the artifacts of one stage, and remembers the first that is not as it should be.
class Reader {
 public:
  Reader(const std::string& stage, bool whole, std::uint64_t most)
      : stage_(stage), whole_(whole), most_(most) {}

  std::string Read(const v1::Artifact& artifact) {
    if (whole_ && artifact.left_out() > 0) {
      Fail(absl::StrCat(artifact.name(), " has ", artifact.bytes(), " bytes, of which ",
                        artifact.left_out(), " were not kept: too much to read"));
    }
    Result<std::string> text = Text(artifact, most_);
    if (text.ok()) return *std::move(text);
    Fail(absl::StrCat(artifact.name(), ": ", std::string(text.status().message())));
    return {};
  }

  [[nodiscard]] const Status& status() const { return status_; }

 private:
  void Fail(const std::string& why) {
    status_.Update(absl::DataLossError(absl::StrCat(stage_, ": ", why)));
  }

  const std::string& stage_;
  const bool whole_;
  const std::uint64_t most_;
  Status status_;
};

// " direction=reverse stream=1"
std::string Text(const google::protobuf::RepeatedPtrField<v1::Dimension>& dimensions) {
  std::string text;
  for (const v1::Dimension& dimension : dimensions) {
    absl::StrAppend(&text, " ", dimension.name(), "=", dimension.value());
  }
  return text;
}

std::string Line(const v1::Measurement& one) {
  return absl::StrCat(one.headline() ? "* " : "  ", one.name(), Text(one.dimensions()), ": ",
                      one.value(), one.unit().empty() ? "" : " ", one.unit(),
                      one.at().empty() ? "" : " at", Text(one.at()), "\n");
}

}  // namespace

Status AppendOutputs(const v1::RankRecord& record, std::uint32_t rank,
                     std::span<const suite::Stage> stages, std::uint64_t most_bytes,
                     suite::Outputs& outputs) {
  for (const v1::StageRecord& stage : record.stages()) {
    Reader reader(stage.name(), IsMeasured(stages, stage.name()), most_bytes);
    suite::StageOutput output{.rank = rank, .stage = stage.name(), .out = reader.Read(stage.out())};
    output.argv.assign(stage.argv().begin(), stage.argv().end());
    output.err = reader.Read(stage.err());
    for (const v1::Artifact& file : stage.files()) {
      output.files.push_back({file.name(), reader.Read(file)});
    }
    if (!reader.status().ok()) return reader.status();
    if (stage.exit_code() >= 0) output.exit_code = stage.exit_code();
    output.signal = stage.signal();
    output.wall = Duration(static_cast<Duration::rep>(stage.wall_ns()));
    outputs.stages.push_back(std::move(output));
  }
  return absl::OkStatus();
}

std::string Text(const v1::BenchmarkResult& result) {
  std::string text = result.tool().empty() ? "" : result.tool() + "\n";
  for (const bool headline : {true, false}) {
    for (const v1::Measurement& one : result.measurements()) {
      if (one.headline() == headline) text += Line(one);
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
