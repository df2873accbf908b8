#include <absl/strings/str_cat.h>

#include <CLI/App.hpp>
#include <filesystem>
#include <iostream>

#include "cli/report/report.h"
#include "lib/common/file.h"
#include "lib/report/png/to_png.h"

namespace twofold::cli {
namespace {

Status Named(const std::string& option, const Status& status) {
  if (status.ok()) return status;
  return {status.code(), absl::StrCat(option, ": ", std::string(status.message()))};
}

Status WriteWhole(const std::string& option, const std::string& path, const std::string& text) {
  if (path == "-") {
    std::cout << text;
    return absl::OkStatus();
  }
  return Named(option, WriteFile(path, text));
}

Status MakeFolder(const std::string& option, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(option, ": ", folder, " cannot be made: ", error.message()));
}

Status WriteSvgs(const std::string& folder, const report::Document& document) {
  Status status = MakeFolder("--svg", folder);
  for (const report::Picture* picture : PicturesOf(document)) {
    if (!status.ok()) break;
    status = WriteWhole("--svg", absl::StrCat(folder, "/", picture->name, ".svg"),
                        ToSvg(picture->figure));
  }
  return status;
}

Status WritePngs(const std::string& folder, const report::Document& document) {
  Status status = MakeFolder("--png", folder);
  for (const report::Picture* picture : PicturesOf(document)) {
    if (!status.ok()) break;
    const auto png = report::ToPng(ToSvg(picture->figure));
    if (!png.ok()) {
      return absl::InternalError(absl::StrCat("--png: ", std::string(png.status().message()),
                                              "; --svg needs no other program"));
    }
    status = WriteWhole("--png", absl::StrCat(folder, "/", picture->name, ".png"), *png);
  }
  return status;
}

}  // namespace

void Declare(CLI::App& app, ReportFiles& files) {
  app.add_option("--html", files.html, "Write it as one HTML page that needs nothing else")
      ->type_name("FILE");
  app.add_option("--png", files.png, "Write each figure there as PNG; needs rsvg-convert")
      ->type_name("DIR");
  app.add_option("--svg", files.svg, "Write each figure there as SVG")->type_name("DIR");
  app.add_option("--junit", files.junit, "Write the verdicts there as JUnit test cases, for CI")
      ->type_name("FILE");
  app.add_option("--openmetrics", files.open_metrics,
                 "Write the numbers there as OpenMetrics text, for monitoring")
      ->type_name("FILE");
}

Status Write(const ReportFiles& files, const report::Document& document) {
  Status status;
  if (!files.html.empty()) status.Update(WriteWhole("--html", files.html, ToHtml(document)));
  if (!files.junit.empty()) status.Update(WriteWhole("--junit", files.junit, ToJunit(document)));
  if (!files.open_metrics.empty()) {
    status.Update(WriteWhole("--openmetrics", files.open_metrics, ToOpenMetrics(document)));
  }
  if (!files.svg.empty()) status.Update(WriteSvgs(files.svg, document));
  if (!files.png.empty()) status.Update(WritePngs(files.png, document));
  return status;
}

}  // namespace twofold::cli
