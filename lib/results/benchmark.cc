#include "lib/results/benchmark.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace twofold::results {
namespace {

// A report has at most 256 KiB on the wire; these keep a hostile one from making a hundred thousand
// rows of them, and tables readable.
constexpr std::size_t kMostMeasurements = 10'000;
constexpr std::size_t kMostSeries = 1'000;
constexpr std::size_t kMostColumns = 64;
constexpr std::size_t kMostDimensions = 16;
constexpr std::size_t kMostRanks = 4'096;
constexpr std::size_t kMostStages = 1'000;
constexpr std::size_t kMostArtifacts = 100;
constexpr std::size_t kNameBytes = 253;
constexpr std::size_t kTextBytes = 4'096;

/// Keeps the first thing that is wrong, and where: "ranks[1].stages[0].name is empty". Where is put
/// into words only then, as nearly all results are right.
class Checker {
 public:
  [[nodiscard]] const Status& status() const { return status_; }

  /// `check` is about list[index] of what is checked now.
  template <typename Inside>
  void In(const char* list, std::size_t index, const Inside& inside) {
    path_.emplace_back(list, index);
    inside();
    path_.pop_back();
  }

  void Most(const char* field, std::size_t size, std::size_t most) {
    if (size > most) Wrong(field, absl::StrCat("has ", size, " entries; at most ", most));
  }
  void Text(const char* field, const std::string& text, std::size_t most = kTextBytes) {
    if (text.size() > most) {
      Wrong(field, absl::StrCat("has ", text.size(), " bytes; at most ", most));
    }
  }
  /// What tables and command lines show as a word.
  void Name(const char* field, const std::string& name) {
    Text(field, name, kNameBytes);
    const auto control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; };
    if (std::any_of(name.begin(), name.end(), control)) Wrong(field, "has a control character");
  }
  void Required(const char* field, const std::string& name) {
    if (name.empty()) Wrong(field, "is empty");
    Name(field, name);
  }
  void Finite(const char* field, double value) {
    if (!std::isfinite(value)) Wrong(field, "is not finite");
  }
  void Wrong(const char* field, const std::string& what) {
    if (!status_.ok()) return;
    std::string where;
    for (const auto& [list, index] : path_) absl::StrAppend(&where, list, "[", index, "].");
    status_ = absl::InvalidArgumentError(absl::StrCat(where, field, " ", what));
  }

 private:
  std::vector<std::pair<const char*, std::size_t>> path_;
  Status status_;
};

template <typename List>
void CheckAll(Checker& check, const char* name, const List& list, std::size_t most) {
  check.Most(name, list.size(), most);
  for (std::size_t i = 0; i < list.size() && check.status().ok(); ++i) {
    check.In(name, i, [&] { CheckOne(check, list[i]); });
  }
}

void CheckDimensions(Checker& check, const char* list, const Dimensions& dimensions) {
  check.Most(list, dimensions.size(), kMostDimensions);
  for (std::size_t i = 0; i < dimensions.size() && check.status().ok(); ++i) {
    check.In(list, i, [&] {
      check.Required("name", dimensions[i].first);
      check.Name("value", dimensions[i].second);
    });
    for (std::size_t before = 0; before < i; ++before) {
      if (dimensions[before].first == dimensions[i].first) check.Wrong(list, "has a name twice");
    }
  }
}

void CheckOne(Checker& check, const Measurement& one) {
  check.Required("name", one.metric.name);
  check.Name("unit", one.metric.unit);
  check.Finite("value", one.value);
  CheckDimensions(check, "dimensions", one.metric.dimensions);
  CheckDimensions(check, "at", one.at);
}

void CheckOne(Checker& check, const SeriesColumn& column) {
  check.Required("name", column.name);
  check.Name("unit", column.unit);
}

void CheckOne(Checker& check, const Series& series) {
  check.Required("name", series.name);
  CheckDimensions(check, "dimensions", series.dimensions);
  CheckAll(check, "columns", series.columns, kMostColumns);
  const std::size_t columns = series.columns.size();
  if (columns == 0 ? !series.values.empty() : series.values.size() % columns != 0) {
    check.Wrong("values", "are no whole rows");
  }
  for (const double value : series.values) check.Finite("values", value);
}

void CheckOne(Checker& check, const PartFailure& failure) {
  check.Name("stage", failure.stage);
  check.Text("reason", failure.reason);
}

void CheckOne(Checker& check, const Artifact& artifact) { check.Text("name", artifact.name); }

void CheckOne(Checker& check, const Stage& stage) {
  check.Name("name", stage.name);
  check.Name("tool_version", stage.tool_version);
  check.Text("error", stage.error);
  CheckAll(check, "artifacts", stage.artifacts, kMostArtifacts);
}

void CheckOne(Checker& check, const Rank& rank) {
  const Host& host = rank.host;
  check.Name("node", host.node);
  check.Name("pod", host.pod);
  check.Name("address", host.address);
  check.Name("kernel", host.kernel);
  check.Name("cpu", host.cpu);
  check.Text("image", host.image);
  CheckAll(check, "stages", rank.stages, kMostStages);
}

std::size_t Bytes(const Dimensions& dimensions) {
  std::size_t bytes = 0;
  for (const auto& [name, value] : dimensions)
    bytes += sizeof name * 2 + name.size() + value.size();
  return bytes;
}

std::size_t Bytes(const Stage& stage) {
  std::size_t bytes = sizeof stage + stage.error.size();
  for (const std::string& word : stage.argv) bytes += sizeof word + word.size();
  for (const Artifact& artifact : stage.artifacts) {
    bytes += sizeof artifact + artifact.name.size() + artifact.zstd.size();
  }
  return bytes;
}

}  // namespace

const char* Word(Better better) {
  constexpr const char* kWords[] = {"none", "higher", "lower"};
  return kWords[static_cast<std::size_t>(better)];
}

Status Check(const Benchmark& benchmark) {
  Checker check;
  check.Required("suite", benchmark.suite);
  check.Name("tool", benchmark.tool);
  check.Name("failed_stage", benchmark.failed_stage);
  check.Most("left_out", benchmark.left_out.size(), kMostStages);
  for (const std::string& what : benchmark.left_out) check.Name("left_out", what);
  CheckAll(check, "measurements", benchmark.measurements, kMostMeasurements);
  CheckAll(check, "series", benchmark.series, kMostSeries);
  CheckAll(check, "failures", benchmark.failures, kMostMeasurements);
  CheckAll(check, "ranks", benchmark.ranks, kMostRanks);
  return check.status();
}

std::size_t ByteSize(const Benchmark& benchmark) {
  std::size_t bytes = sizeof benchmark;
  for (const Measurement& one : benchmark.measurements) {
    bytes += sizeof one + one.metric.name.size() + Bytes(one.metric.dimensions) + Bytes(one.at);
  }
  for (const Series& series : benchmark.series) {
    bytes += sizeof series + Bytes(series.dimensions) + series.values.size() * sizeof(double);
  }
  for (const Rank& rank : benchmark.ranks) {
    bytes += sizeof rank;
    for (const Stage& stage : rank.stages) bytes += Bytes(stage);
  }
  return bytes;
}

}  // namespace twofold::results
