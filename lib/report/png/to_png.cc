#include "lib/report/png/to_png.h"

#include <absl/strings/str_cat.h>

#include <cstdlib>
#include <utility>

#include "lib/process/environment.h"
#include "lib/process/run.h"

namespace twofold::report {
namespace {

constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";

Result<std::string> FindConverter(const PngOptions& options) {
  const char* path = std::getenv("PATH");
  const std::string where = options.path.empty() && path != nullptr ? path : options.path;
  auto found = process::FindProgram("rsvg-convert", {{}, where});
  if (found.ok()) return found;
  return absl::UnavailableError(absl::StrCat("no PNG: ", std::string(found.status().message()),
                                             "; it is in Debian's package librsvg2-bin"));
}

Status Failed(const std::string& what, const process::Ran& ran) {
  return absl::InternalError(
      absl::StrCat("rsvg-convert: ", what, ran.errors.empty() ? "" : ": ", ran.errors));
}

/// What the caller is told of a program that was killed.
Status Killed(const Status& why, const PngOptions& options) {
  return {why.code(),
          absl::IsDeadlineExceeded(why)
              ? absl::StrCat("rsvg-convert: no PNG within ", ToSeconds(options.timeout), " s")
              : absl::StrCat("rsvg-convert: the PNG has more than ", options.most_bytes, " bytes")};
}

}  // namespace

Result<std::string> ToPng(std::string_view svg, const PngOptions& options) {
  if (svg.size() > options.most_bytes) {
    return absl::ResourceExhaustedError(absl::StrCat("no PNG: the SVG has ", svg.size(), " bytes, ",
                                                     options.most_bytes, " are the most"));
  }
  const auto converter = FindConverter(options);
  if (!converter.ok()) return converter.status();
  process::Program program;
  program.argv = {*converter, "--format=png", absl::StrCat("--zoom=", options.zoom)};
  const auto ran = process::Run(std::move(program), svg,
                                {.timeout = options.timeout, .most_bytes = options.most_bytes});
  if (!ran.ok()) return ran.status();
  if (!ran->killed.ok()) return Killed(ran->killed, options);
  if (!ran->exit.ok()) return Failed(process::Describe(ran->exit), *ran);
  if (!ran->out.starts_with(kSignature)) return Failed("it wrote no PNG", *ran);
  return ran->out;
}

}  // namespace twofold::report
