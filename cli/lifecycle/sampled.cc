#include <absl/strings/str_cat.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/command/command.h"
#include "cli/lifecycle/times/seed.h"
#include "cli/lifecycle/times/threshold.h"

namespace twofold::cli {
namespace {

constexpr std::uintmax_t kMostBytes = 256 << 20;  // of one file

struct SampledOptions {
  std::string dir;
  bool json = false;
  bool csv = false;
  bool skip_errors = false;
  std::size_t head = 0;
  std::size_t tail = 0;
  std::string times;
  std::vector<std::string> fail_if;
};

Result<std::string> ReadIn(const std::filesystem::path& dir, const std::string& name) {
  const std::filesystem::path path = dir / name;
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error) {
    return absl::NotFoundError(absl::StrCat(path.string(), ": ", error.message(),
                                            "; DIR is the folder that the tool was given as -o"));
  }
  if (bytes > kMostBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(path.string(), ": ", bytes, " bytes; ", kMostBytes, " are the most"));
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || (bytes > 0 && !(text << file.rdbuf()))) {
    return absl::NotFoundError(absl::StrCat(path.string(), ": not readable"));
  }
  return text.str();
}

Result<lifecycle::SeedData> ReadFolder(const std::string& dir) {
  const auto submitted = ReadIn(dir, "submitted.json");
  if (!submitted.ok()) return submitted.status();
  const auto sampled = ReadIn(dir, "sampled.json");
  if (!sampled.ok()) return sampled.status();
  return lifecycle::ReadSeed(*submitted, *sampled);
}

/// All that is asked for is read before anything is printed: a wrong one is a usage error.
Result<std::vector<lifecycle::Threshold>> ThresholdsOf(const std::vector<std::string>& texts) {
  std::vector<lifecycle::Threshold> thresholds;
  for (const std::string& text : texts) {
    auto threshold = lifecycle::ReadThreshold(text);
    if (!threshold.ok()) return threshold.status();
    thresholds.push_back(*std::move(threshold));
  }
  return thresholds;
}

show::Form FormOf(const SampledOptions& options, const Globals& globals) {
  if (options.csv) return show::Form::kCsv;
  return options.json ? show::Form::kJson : globals.form;
}

Status WriteTimes(const std::string& path, const lifecycle::SeedData& data) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << lifecycle::SeedTimesCsv(data.rows);
  file.close();
  if (file) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("--times: ", path, " cannot be written; is its folder there, and not full?"));
}

void Complain(const lifecycle::SeedData& data, std::size_t skipped) {
  if (skipped > 0) {
    std::cerr << "skipped for a span that ends before it begins: " << skipped << "\n";
  }
  if (!data.not_sampled.empty()) {
    std::cerr << "submitted and not sampled: " << data.not_sampled.size() << ", such as "
              << data.not_sampled.front() << "\n";
  }
}

Status CheckAll(const std::vector<lifecycle::Threshold>& thresholds,
                const lifecycle::Report& report) {
  Status first;
  for (const lifecycle::Threshold& threshold : thresholds) {
    const Status status = Check(threshold, report.spans, report.counts);
    if (!status.ok() && !first.ok()) std::cerr << status.message() << "\n";
    if (first.ok()) first = status;
  }
  return first;
}

Status Sampled(const SampledOptions& options, const Globals& globals) {
  const auto thresholds = ThresholdsOf(options.fail_if);
  if (!thresholds.ok()) return thresholds.status();
  auto data = ReadFolder(options.dir);
  if (!data.ok()) return data.status();
  lifecycle::Cut(*data, options.head, options.tail);
  const std::size_t skipped = options.skip_errors ? lifecycle::SkipErrors(*data) : 0;
  const lifecycle::Report report = ReportOf(*data);
  std::cout << lifecycle::Print(FormOf(options, globals), report);
  Complain(*data, skipped);
  if (!options.times.empty()) {
    const Status written = WriteTimes(options.times, *data);
    if (!written.ok()) return written;
  }
  if (data->rows.empty()) {
    return absl::InternalError("no data: no workload is left, so nothing was shown");
  }
  return CheckAll(*thresholds, report);
}

Action BindSampled(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<SampledOptions>();
  app.add_option("DIR", options->dir, "Folder with submitted.json and sampled.json")->required();
  CLI::Option* json = app.add_flag("--json", options->json, "As --output json");
  app.add_flag("--csv", options->csv, "As --output csv: a line a span")->excludes(json);
  app.add_flag("--skip-errors", options->skip_errors,
               "Leave out workloads with a span that certainly ends before it begins");
  app.add_option("--head", options->head, "Only the first N workloads sampled; 0: all")
      ->type_name("N");
  app.add_option("--tail", options->tail, "Only the last N of these; 0: all")->type_name("N");
  app.add_option("--times", options->times,
                 "Write a line for each workload there: times.csv, with a heading for each column")
      ->type_name("FILE");
  app.add_option("--fail-if", options->fail_if,
                 "Fail if this holds, or cannot be told because no workload has it: "
                 "total_decision_p99>5s, not_sampled>0; may be repeated")
      ->type_name("WHAT")
      ->take_all();
  return [options, &globals] { return Sampled(*options, globals); };
}

}  // namespace

std::vector<Command> LifecycleCommands() {
  return {
      {"lifecycle sampled",
       "What the files of the Run:ai scale test tool say, and what they cannot",
       "twofold lifecycle sampled logs --fail-if 'total_decision_p90>10s'", BindSampled,
       Prints::kTable, false},
  };
}

}  // namespace twofold::cli
