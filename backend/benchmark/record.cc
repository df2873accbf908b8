#include "backend/benchmark/record.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "backend/benchmark/artifact.h"
#include "lib/common/printable.h"

namespace twofold::backend {
namespace {

constexpr std::size_t kMostText = 400;  // bytes of a name, unit, reason

std::string Clean(const std::string& text) { return Printable(text, kMostText); }

v1::Better ToProto(suite::Better better) {
  switch (better) {
    case suite::Better::kHigher:
      return v1::BETTER_HIGHER;
    case suite::Better::kLower:
      return v1::BETTER_LOWER;
    case suite::Better::kNone:
      break;
  }
  return v1::BETTER_NONE;
}

using DimensionMessages = google::protobuf::RepeatedPtrField<v1::Dimension>;

void Set(const suite::Dimensions& dimensions, DimensionMessages& messages) {
  for (const auto& [name, value] : dimensions) {
    v1::Dimension& dimension = *messages.Add();
    dimension.set_name(Clean(name));
    dimension.set_value(Clean(value));
  }
}

template <typename From, typename To>
void SetWhat(const From& from, To& to) {
  to.set_name(Clean(from.name));
  to.set_unit(Clean(from.unit));
  to.set_better(ToProto(from.better));
}

void Set(const suite::Measurement& from, v1::Measurement& to) {
  SetWhat(from, to);
  to.set_value(from.value);
  to.set_headline(from.headline);
  Set(from.dimensions, *to.mutable_dimensions());
  Set(from.at, *to.mutable_at());
}

void Set(const suite::Series& from, v1::Series& to) {
  to.set_name(Clean(from.name));
  Set(from.dimensions, *to.mutable_dimensions());
  for (const suite::Column& column : from.columns) SetWhat(column, *to.add_columns());
  for (const auto& row : from.rows) to.mutable_values()->Add(row.begin(), row.end());
}

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
std::string Text(const DimensionMessages& dimensions) {
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

void AddNumbers(const suite::Measurements& numbers, v1::BenchmarkResult& result) {
  result.set_tool(Clean(numbers.tool));
  for (const auto& one : numbers.measurements) Set(one, *result.add_measurements());
  for (const auto& series : numbers.series) Set(series, *result.add_series());
  for (const auto& failure : numbers.failures) {
    v1::PartFailure& part = *result.add_failures();
    part.set_stage(Clean(failure.stage));
    part.set_reason(Clean(failure.reason));
  }
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
