#include "kubernetes/commands/reporting.h"

#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <iostream>

#include "kubernetes/lifecycle/times/pictures.h"
#include "kubernetes/lifecycle/times/runai_files.h"
#include "lib/common/file.h"
#include "lib/report/png/to_png.h"

namespace twofold::lifecycle {
namespace {

/// Errors   kInvalidArgument: names `option` and the path.
Status WriteText(const std::string& option, const std::string& path, const std::string& text) {
  const Status status = WriteFile(path, text);
  if (status.ok()) return status;
  return {status.code(), absl::StrCat(option, ": ", std::string(status.message()))};
}

/// Whether any workload got into the cluster: without one, no threshold says anything.
Status CheckData(const Outcome& outcome) {
  std::string refused;
  for (const Life& life : outcome.lives) {
    if (life.refused.empty() && !life.uid.empty()) return absl::OkStatus();
    if (refused.empty()) refused = life.refused;
  }
  return absl::InternalError(
      absl::StrCat("no data: none of ", outcome.lives.size(), " workloads was created and seen",
                   refused.empty() ? "; the notes say why" : ", the first was refused: ", refused));
}

}  // namespace

Result<Reporting> Reporting::Read(const Options& options, const cli::Globals& globals) {
  std::vector<Threshold> thresholds;
  for (const std::string& text : options.spec.fail_if()) {
    auto threshold = ReadThreshold(text);
    if (!threshold.ok()) return threshold.status();
    thresholds.push_back(*std::move(threshold));
  }
  return Reporting(options, globals.form, std::move(thresholds));
}

show::Form Reporting::form() const {
  if (options_.csv) return show::Form::kCsv;
  return options_.json ? show::Form::kJson : form_;
}

Status Reporting::MakeFolder() const {
  if (options_.plots.empty()) return absl::OkStatus();
  std::error_code error;
  std::filesystem::create_directories(options_.plots, error);
  if (!error && std::filesystem::is_directory(options_.plots, error)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--plots: ", options_.plots, " is no folder and cannot be made one: ", error.message()));
}

Status Reporting::CheckAll(const Report& report) const {
  Status broken;
  Status undecided;
  for (const Threshold& threshold : thresholds_) {
    const Status status = Check(threshold, report.spans, report.counts, options_.lenient);
    if (status.ok()) continue;
    Status& first = absl::IsFailedPrecondition(status) ? undecided : broken;
    if (!first.ok()) std::cerr << status.message() << "\n";
    first.Update(status);
  }
  if (undecided.ok()) return broken;
  if (broken.ok()) return cli::EndWith(cli::kExitUndecided, std::string(undecided.message()));
  std::cerr << undecided.message() << "\n";
  return broken;
}

Status Reporting::WriteTimes(const std::string& csv) const {
  return WriteText("--times", options_.times, csv);
}

Status Reporting::WritePlots(const Drawn& drawn) const {
  if (options_.plots.empty()) return absl::OkStatus();
  Status status =
      WritePicture("general", report::ToSvg(GeneralPicture(drawn, options_.logarithmic)));
  status.Update(
      WritePicture("detailed", report::ToSvg(DetailedPicture(drawn, options_.logarithmic))));
  return status;
}

Status Reporting::WritePicture(const std::string& name, const std::string& svg) const {
  const std::string path = absl::StrCat(options_.plots, "/", name);
  if (Status status = WriteText("--plots", path + ".svg", svg); !status.ok()) return status;
  if (options_.svg_only) return absl::OkStatus();
  const auto png = report::ToPng(svg);
  if (png.ok()) return WriteText("--plots", path + ".png", *png);
  return absl::InternalError(absl::StrCat("--plots: ", std::string(png.status().message()),
                                          "; the pictures are in ", options_.plots,
                                          " as SVG, and --svg-only asks for no more"));
}

Status Reporting::WriteCompat(const Outcome& outcome) const {
  std::vector<RunaiWorkload> rows;
  for (const Life& life : outcome.lives) rows.push_back(RunaiOf(life, outcome.anchor));
  const std::string& dir = options_.compat;
  std::error_code ignored;
  std::filesystem::create_directories(dir, ignored);
  const Status status = WriteText("--compat", dir + "/submitted.json", SubmittedJson(rows));
  if (!status.ok()) return status;
  return WriteText("--compat", dir + "/sampled.json", SampledJson(rows));
}

Status Reporting::DrawPlots(const Outcome& outcome) const {
  if (options_.plots.empty()) return absl::OkStatus();
  std::vector<Life> lives = outcome.lives;
  const std::size_t skipped = Choose(options_.choice, *outcome.kind, lives);
  if (skipped > 0) {
    spdlog::info("not in the pictures, for a span that ends before it begins: {}", skipped);
  }
  return WritePlots(DrawnOf(*outcome.kind, outcome.run, lives, outcome.report.plateaus));
}

Status Reporting::Conclude(const Status& ended, const Outcome& outcome) const {
  std::cout << Print(form(), outcome.report) << std::flush;
  Status status;
  if (!options_.times.empty()) {
    status = WriteTimes(TimesCsv(*outcome.kind, outcome.lives, outcome.anchor));
  }
  if (!options_.compat.empty()) status.Update(WriteCompat(outcome));
  status.Update(ended);
  status.Update(CheckData(outcome));
  status.Update(CheckAll(outcome.report));
  const Status drawn = DrawPlots(outcome);
  if (!status.ok() && !drawn.ok()) spdlog::error("{}", std::string(drawn.message()));
  status.Update(drawn);
  return status;
}

}  // namespace twofold::lifecycle
