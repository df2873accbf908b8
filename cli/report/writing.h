#pragma once

#include <string>

#include "lib/common/result.h"
#include "lib/report/document/document.h"

namespace CLI {
class App;
}

namespace twofold::cli {

/// Where a report goes beside the terminal; empty: not there.
struct ReportFiles {
  std::string html = {};
  std::string png = {};  ///< a folder
  std::string svg = {};  ///< a folder
  std::string junit = {};
  std::string open_metrics = {};
};
void Declare(CLI::App& app, ReportFiles& files);

/// Writes all that is asked for. A file appears whole or not at all; "-" is standard output.
///
/// Errors   kInvalidArgument: names the option and the path. kInternal: there is no PNG, as
/// report::ToPng says.
Status Write(const ReportFiles& files, const report::Document& document);

}  // namespace twofold::cli
