#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "lib/suite/text.h"
#include "suites/pytorch/pytorch.h"

namespace twofold::suite::pytorch {
namespace {

constexpr std::string_view kStage = "pytorch";

/// "CPU Peak Memory:      0.81 GB" as a measurement.
struct Line {
  std::string_view label;  ///< up to the colon; '#' stands for digits
  std::string_view unit;   ///< any other is an error
  double factor;
  const char* name;
  const char* to_unit;
  bool headline;
};

// Of each pair the newer label is first. Its times are medians of ten batches.
constexpr Line kLines[] = {
    {"CPU Wall Time per batch", "milliseconds", 1000, "batch_time_p50", "us", true},
    {"CPU Total Wall Time", "milliseconds", 1000, "batch_time_p50", "us", true},
    {"GPU Time per batch", "milliseconds", 1000, "device_time_p50", "us", true},
    {"GPU Time", "milliseconds", 1000, "device_time_p50", "us", true},
    {"CPU Peak Memory", "GB", 1, "peak_memory", "GB", false},
    {"GPU # Peak Memory", "GB", 1, "device_peak_memory", "GB", false},
    {"GPU Peak Memory", "GB", 1, "device_peak_memory", "GB", false},
};

/// A line of GNU `time -v`, which says the unit in its label.
constexpr Line kOfGnuTime[] = {
    {"User time (seconds)", "", 1, "user_time", "s", false},
    {"System time (seconds)", "", 1, "system_time", "s", false},
    {"Maximum resident set size (kbytes)", "", 1.0 / 1024, "resident_memory", "MiB", false},
};

// Failures that people should tell apart, by a part of what is printed.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kReasons = {{
    {"cannot be found at either core", "no such model"},
    {"Unable to find model matching", "no such model"},  // older ones
    {"CUDA out of memory", "out of memory on the device"},
    {"OutOfMemoryError", "out of memory on the device"},
    {"can't allocate memory", "out of memory"},
    {"Found no NVIDIA driver", "no cuda device"},
    {"No CUDA GPUs are available", "no cuda device"},
    {"not compiled with CUDA enabled", "no cuda device"},
}};

// The number in `label` in place of '#', empty where a label has none; nullopt: it is another one.
std::optional<std::string_view> NumberIn(std::string_view label, std::string_view pattern) {
  const std::size_t hash = pattern.find('#');
  if (hash == std::string_view::npos) {
    return label == pattern ? std::optional(std::string_view()) : std::nullopt;
  }
  const std::string_view end = pattern.substr(hash + 1);
  if (!label.starts_with(pattern.substr(0, hash)) || !label.ends_with(end)) return std::nullopt;
  label.remove_prefix(hash);
  label.remove_suffix(std::min(label.size(), end.size()));
  const bool is_number = !label.empty() && label.find_first_not_of("0123456789") == label.npos;
  return is_number ? std::optional(label) : std::nullopt;
}

// nullptr: it is none of them.
template <std::size_t kSize>
const Line* FindLine(const Line (&lines)[kSize], std::string_view label) {
  for (const Line& line : lines) {
    if (NumberIn(label, line.label)) return &line;
  }
  return nullptr;
}

// "1:02:03" or "2:03.45" in seconds.
std::optional<double> Elapsed(std::string_view text) {
  double seconds = 0;
  for (const std::string_view part : SplitAt(':', text)) {
    const auto value = ToNumber(part);
    if (!value || *value < 0) return std::nullopt;
    seconds = seconds * 60 + *value;
  }
  return seconds;
}

// What run.py says that it runs; empty: it does not.
struct Title {
  std::string_view benchmark;  // "eval"
  std::string_view model;
  std::string_view device;
  std::string_view mode;  // "eager", "jit", "dynamo inductor"
  std::string_view batch_size;
  std::string_view precision;
};

// "Running eval method from alexnet on cpu in eager mode with input batch size 2 and precision
// fp32."
Title ReadTitle(std::string_view line) {
  const auto words = Words(line);
  const auto after = [&](std::string_view word) -> std::string_view {
    const auto found = std::find(words.begin(), words.end(), word);
    if (found == words.end() || found + 1 == words.end()) return {};
    std::string_view value = *(found + 1);
    while (value.ends_with('.') || value.ends_with(',')) value.remove_suffix(1);
    return value;
  };
  const std::size_t in = line.find(" in ");
  const std::string_view rest = in == line.npos ? std::string_view() : line.substr(in + 4);
  return {.benchmark = after("Running"),
          .model = after("from"),
          .device = after("on"),
          .mode = rest.substr(0, rest.find(" mode")),
          .batch_size = after("size"),
          .precision = after("precision")};
}

// What makes two runs incomparable, by the names of the spec's fields. Most runs are eager; devices
// are what people compare.
Dimensions DimensionsOf(const Title& title) {
  Dimensions dimensions = {{"model", std::string(title.model)},
                           {"benchmark", std::string(title.benchmark)}};
  for (const auto& [name, value] : {std::pair{"inputBatchSize", title.batch_size},
                                    {"dtype", title.precision},
                                    {"mode", title.mode}}) {
    if (!value.empty() && value != "eager") dimensions.emplace_back(name, std::string(value));
  }
  return dimensions;
}

// Whether it ran what the spec asked for.
Status CheckAsked(const v1::suites::PyTorchSpec& spec, const Title& title) {
  const std::string batch_size = absl::StrCat(spec.input_batch_size());
  for (const auto& [what, is, asked] :
       {std::tuple<const char*, std::string_view, std::string_view>{
            "benchmarkType", title.benchmark, spec.benchmark_type()},
        {"model", title.model, spec.model()},
        {"device", title.device, spec.device()},
        {"inputBatchSize", title.batch_size, batch_size}}) {
    if (is.empty() || is == asked) continue;
    return Unreadable(
        kStage, absl::StrCat("it ran ", what, " ", std::string(is), ", not ", std::string(asked)));
  }
  return absl::OkStatus();
}

class Reader {
 public:
  Status Read(std::string_view text) {
    for (const std::string_view line : Lines(text)) {
      if (Status status = ReadLine(Strip(line)); !status.ok()) return status;
    }
    if (timed_ && !ended_) return Unreadable(kStage, "the lines of GNU time are cut off");
    if (!has_time_) return Unreadable(kStage, "no time of a batch");
    if (title.model.empty()) return absl::OkStatus();
    const Dimensions what = DimensionsOf(title);
    for (Measurement& one : result.measurements) {
      one.dimensions.insert(one.dimensions.begin(), what.begin(), what.end());
    }
    return absl::OkStatus();
  }

  Measurements result;
  Title title;

 private:
  // "LABEL: VALUE UNIT"
  Status ReadLine(std::string_view line) {
    if (IsRunning(line)) {
      result.tool = absl::StrCat("pytorch/benchmark: ", std::string(line));
      title = ReadTitle(line);
    }
    const std::size_t colon = line.rfind(": ");
    if (colon == std::string_view::npos) return absl::OkStatus();
    const std::string_view label = Strip(line.substr(0, colon));
    const std::string_view value = Strip(line.substr(colon + 2));
    if (const Line* const found = FindLine(kLines, label)) {
      const std::string_view gpu = *NumberIn(label, found->label);
      return Add(*found, value, gpu.empty() ? Dimensions() : Dimensions{{"gpu", std::string(gpu)}});
    }
    return ReadGnuTime(label, value);
  }

  Status ReadGnuTime(std::string_view label, std::string_view value) {
    timed_ = timed_ || label == "Command being timed";
    if (!timed_) return absl::OkStatus();
    ended_ = ended_ || label == "Exit status";
    if (const Line* const found = FindLine(kOfGnuTime, label)) return Add(*found, value);
    if (label == "Percent of CPU this job got" && value.ends_with('%')) {
      return AddNumber({label, "", 1, "cpu_usage", "%", false},
                       ToNumber(value.substr(0, value.size() - 1)));
    }
    if (label == "Elapsed (wall clock) time (h:mm:ss or m:ss)") {
      return AddNumber({label, "", 1, "wall_time", "s", true}, Elapsed(value));
    }
    return absl::OkStatus();
  }

  Status Add(const Line& line, std::string_view value, const Dimensions& dimensions = {}) {
    const auto words = Words(value);
    const std::string_view unit = words.size() > 1 ? words[1] : std::string_view();
    if (unit != line.unit) {
      return Unreadable(kStage, absl::StrCat(std::string(line.label), " is in ", std::string(unit),
                                             ", not in ", std::string(line.unit)));
    }
    return AddNumber(line, words.empty() ? std::nullopt : ToNumber(words[0]), dimensions);
  }

  // A label that is there twice (a pod's log, restarted) has no one value.
  Status AddNumber(const Line& line, std::optional<double> value,
                   const Dimensions& dimensions = {}) {
    if (!value || *value < 0) {
      return Unreadable(kStage, absl::StrCat(std::string(line.label), " has no number"));
    }
    for (const Measurement& one : result.measurements) {
      if (one.name != line.name || one.dimensions != dimensions) continue;
      return Unreadable(kStage, absl::StrCat(std::string(line.label), " is there twice"));
    }
    has_time_ = has_time_ || std::string_view(line.name) == "batch_time_p50";
    result.measurements.push_back(
        {line.name, *value * line.factor, line.to_unit, Better::kLower, line.headline, dimensions});
    return absl::OkStatus();
  }

  bool timed_ = false;  // GNU time says something
  bool ended_ = false;  // to its last line
  bool has_time_ = false;
};

// What it says went wrong; empty: nothing.
std::string Reason(std::string_view text) {
  const auto exception = Exception(text);
  for (const auto& [words, reason] : kReasons) {
    const std::string_view line = LineWith(text, {{words}});
    if (line.empty()) continue;
    return absl::StrCat(std::string(reason), ": ", std::string(exception.value_or(line)));
  }
  if (exception) return std::string(*exception);
  constexpr std::string_view kEnds[] = {"Command exited with non-zero status",
                                        "Command terminated by signal"};
  return std::string(LineWith(text, kEnds));
}

}  // namespace

bool IsRunning(std::string_view line) {
  line = Strip(line);
  return line.starts_with("Running ") && line.find(" method from ") != std::string_view::npos;
}

std::optional<std::string_view> Exception(std::string_view text) {
  const std::size_t start = text.rfind("Traceback (most recent call last):");
  if (start == std::string_view::npos) return std::nullopt;
  const auto lines = Lines(text.substr(start));
  // Lines of the traceback are indented; what it is about is not.
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i][0] != ' ' && lines[i][0] != '\t') return lines[i];
  }
  return std::nullopt;
}

Result<Measurements> ParseTorchbench(const StageOutput& output,
                                     const v1::suites::PyTorchSpec* spec) {
  const std::string text = absl::StrCat(output.out, "\n", output.err);
  const std::string reason = Reason(text);
  if (!reason.empty()) return ToolFailed(kStage, reason);
  if (const std::string end = BadEnd(output); !end.empty()) return ToolFailed(kStage, end);
  Reader reader;
  Status status = reader.Read(text);
  if (status.ok() && spec != nullptr) status = CheckAsked(*spec, reader.title);
  if (!status.ok()) return status;
  return std::move(reader.result);
}

}  // namespace twofold::suite::pytorch
