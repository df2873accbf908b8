#include <absl/strings/str_cat.h>

#include <cstddef>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/commands/lifecycle_commands.h"
#include "kubernetes/commands/lifecycle_options.h"
#include "kubernetes/commands/reporting.h"
#include "kubernetes/lifecycle/times/runai_files.h"
#include "lib/common/file.h"

namespace twofold::lifecycle {
namespace {

constexpr std::size_t kMostOfSamples = 256 << 20;  // of one file

Result<std::string> ReadIn(const std::filesystem::path& dir, const std::string& name) {
  const std::filesystem::path path = dir / name;
  auto text = ReadFile(path.string(), kMostOfSamples);
  if (!absl::IsNotFound(text.status())) return text;
  return absl::NotFoundError(absl::StrCat(std::string(text.status().message()),
                                          "; DIR is the folder that the tool was given as -o"));
}

Result<RunaiData> ReadFolder(const std::string& dir) {
  const auto submitted = ReadIn(dir, "submitted.json");
  if (!submitted.ok()) return submitted.status();
  const auto sampled = ReadIn(dir, "sampled.json");
  if (!sampled.ok()) return sampled.status();
  return ReadRunai(*submitted, *sampled);
}

void Complain(const RunaiData& data, std::size_t skipped) {
  if (skipped > 0) {
    std::cerr << "skipped for a span that ends before it begins: " << skipped << "\n";
  }
  if (!data.not_sampled.empty()) {
    std::cerr << "submitted and not sampled: " << data.not_sampled.size() << ", such as "
              << data.not_sampled.front() << "\n";
  }
}

Status Sampled(const Options& options, const cli::Globals& globals) {
  const auto reporting = Reporting::Read(options, globals);
  if (!reporting.ok()) return reporting.status();
  auto data = ReadFolder(options.path);
  if (!data.ok()) return data.status();
  if (Status made = reporting->MakeFolder(); !made.ok()) return made;
  KeepHeadAndTail(data->rows, options.choice.head, options.choice.tail);
  const std::size_t skipped = options.choice.skip_errors ? SkipErrors(*data) : 0;
  const Report report = ReportOf(*data);
  std::cout << Print(reporting->form(), report);
  Complain(*data, skipped);
  if (!options.times.empty()) {
    const Status written = reporting->WriteTimes(RunaiTimesCsv(data->rows));
    if (!written.ok()) return written;
  }
  if (data->rows.empty()) {
    return absl::InternalError(
        "no data: of the workloads in these files none is left to report on");
  }
  const Status status = reporting->CheckAll(report);
  const Status drawn = reporting->WritePlots(DrawnOf(*data));
  if (!status.ok() && !drawn.ok()) std::cerr << drawn.message() << "\n";
  return status.ok() ? drawn : status;
}

cli::Action BindSampled(CLI::App& app, const cli::Globals& globals) {
  auto options = std::make_shared<Options>();
  app.add_option("DIR", options->path, "Folder with submitted.json and sampled.json")->required();
  DeclareReport(app, *options);
  return [options, &globals] { return Sampled(*options, globals); };
}

}  // namespace

cli::Command SampledCommand() {
  return {.name = "lifecycle sampled",
          .help = "What the files of the Run:ai scale test tool say, and what they cannot",
          .example = "twofold lifecycle sampled logs --fail-if 'total_decision_p90>10s'",
          .bind = BindSampled,
          .prints = cli::Prints::kTable,
          .asks_frontend = false,
          .exits = {cli::kExitNotFound, cli::kExitUndecided}};
}

}  // namespace twofold::lifecycle
