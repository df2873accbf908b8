#include "kubernetes/lifecycle/plots.h"

#include <absl/strings/str_cat.h>

#include <CLI/App.hpp>
#include <array>
#include <filesystem>
#include <utility>

#include "kubernetes/lifecycle/output.h"
#include "kubernetes/lifecycle/times/pictures.h"
#include "lib/report/png/to_png.h"

namespace twofold::lifecycle {
namespace {

std::string PathOf(const PlotOptions& options, const char* name, const char* type) {
  return absl::StrCat(options.dir, "/", name, ".", type);
}

}  // namespace

void Declare(CLI::App& app, PlotOptions& options) {
  CLI::Option* dir = app.add_option("--plots", options.dir,
                                    "Draw general and detailed pictures there, SVG and PNG")
                         ->type_name("DIR");
  app.add_flag("--svg-only", options.svg_only, "No PNG, which needs the program rsvg-convert")
      ->needs(dir);
  app.add_flag("--log-scale", options.logarithmic, "Times on logarithmic axes in pictures")
      ->needs(dir);
}

Status MakeFolder(const PlotOptions& options) {
  if (options.dir.empty()) return absl::OkStatus();
  std::error_code error;
  std::filesystem::create_directories(options.dir, error);
  if (!error && std::filesystem::is_directory(options.dir, error)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--plots: ", options.dir, " is no folder and cannot be made one: ", error.message()));
}

Status WritePlots(const PlotOptions& options, const Drawn& drawn) {
  if (options.dir.empty()) return absl::OkStatus();
  const std::array<std::pair<const char*, report::Figure>, 2> pictures = {
      {{"general", GeneralPicture(drawn, options.logarithmic)},
       {"detailed", DetailedPicture(drawn, options.logarithmic)}}};
  std::array<std::string, 2> texts;
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    texts[i] = report::ToSvg(pictures[i].second);
    const Status written =
        WriteText("--plots", PathOf(options, pictures[i].first, "svg"), texts[i]);
    if (!written.ok()) return written;
  }
  for (std::size_t i = 0; i < pictures.size() && !options.svg_only; ++i) {
    const auto png = report::ToPng(texts[i]);
    if (!png.ok()) {
      return absl::InternalError(absl::StrCat("--plots: ", std::string(png.status().message()),
                                              "; the pictures are in ", options.dir,
                                              " as SVG, and --svg-only asks for no more"));
    }
    const Status written = WriteText("--plots", PathOf(options, pictures[i].first, "png"), *png);
    if (!written.ok()) return written;
  }
  return absl::OkStatus();
}

}  // namespace twofold::lifecycle
