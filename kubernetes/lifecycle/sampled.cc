#include <absl/strings/str_cat.h>

#include <cstddef>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/command/command.h"
#include "kubernetes/lifecycle/commands.h"
#include "kubernetes/lifecycle/output.h"
#include "kubernetes/lifecycle/times/seed.h"
#include "lib/common/file.h"

namespace twofold::cli {
namespace {

constexpr std::size_t kMostOfSamples = 256 << 20;  // of one file

struct SampledOptions {
  std::string dir;
  lifecycle::OutputOptions output;
};

Result<std::string> ReadIn(const std::filesystem::path& dir, const std::string& name) {
  const std::filesystem::path path = dir / name;
  auto text = ReadFile(path.string(), kMostOfSamples);
  if (!absl::IsNotFound(text.status())) return text;
  return absl::NotFoundError(absl::StrCat(std::string(text.status().message()),
                                          "; DIR is the folder that the tool was given as -o"));
}

Result<lifecycle::SeedData> ReadFolder(const std::string& dir) {
  const auto submitted = ReadIn(dir, "submitted.json");
  if (!submitted.ok()) return submitted.status();
  const auto sampled = ReadIn(dir, "sampled.json");
  if (!sampled.ok()) return sampled.status();
  return lifecycle::ReadSeed(*submitted, *sampled);
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

Status Sampled(const SampledOptions& options, const Globals& globals) {
  const auto thresholds = lifecycle::ThresholdsOf(options.output);
  if (!thresholds.ok()) return thresholds.status();
  auto data = ReadFolder(options.dir);
  if (!data.ok()) return data.status();
  if (const Status made = MakeFolder(options.output.plots); !made.ok()) return made;
  const lifecycle::Choice& choice = options.output.choice;
  lifecycle::Cut(*data, choice.head, choice.tail);
  const std::size_t skipped = choice.skip_errors ? lifecycle::SkipErrors(*data) : 0;
  const lifecycle::Report report = ReportOf(*data);
  std::cout << lifecycle::Print(FormOf(options.output, globals.form), report);
  Complain(*data, skipped);
  if (!options.output.times.empty()) {
    const Status written =
        lifecycle::WriteText("--times", options.output.times, lifecycle::SeedTimesCsv(data->rows));
    if (!written.ok()) return written;
  }
  if (data->rows.empty()) {
    return absl::InternalError(
        "no data: of the workloads in these files none is left to report on");
  }
  const Status status = lifecycle::CheckAll(*thresholds, report);
  const Status drawn = lifecycle::WritePlots(options.output.plots, DrawnOf(*data));
  if (!status.ok() && !drawn.ok()) std::cerr << drawn.message() << "\n";
  return status.ok() ? drawn : status;
}

Action BindSampled(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<SampledOptions>();
  app.add_option("DIR", options->dir, "Folder with submitted.json and sampled.json")->required();
  Declare(app, options->output);
  return [options, &globals] { return Sampled(*options, globals); };
}

}  // namespace

Command SampledCommand() {
  return {"lifecycle sampled",
          "What the files of the Run:ai scale test tool say, and what they cannot",
          "twofold lifecycle sampled logs --fail-if 'total_decision_p90>10s'",
          BindSampled,
          Prints::kTable,
          false,
          kExitsOfReading};
}

}  // namespace twofold::cli
