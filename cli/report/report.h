#pragma once

#include <string>

#include "cli/command/command.h"
#include "cli/results/run_source.h"
#include "lib/common/result.h"
#include "lib/report/document/document.h"
#include "lib/report/sources/sources.h"

/// Where the numbers of a report come from, and where it goes.
namespace twofold::cli {

/// A run with all that a report says of it. `id`: as ResolveRun takes it.
/// Errors   those of the source.
Result<report::Source> ReadRun(RunSource& source, const std::string& id);

/// What is named: a file by its content (JSON of a validation or a load; a store, of which the
/// newest run), else a run of `store` or of the frontend. What has a slash or a known suffix in it
/// is a file.
/// Errors   name what was asked for: kNotFound, kInvalidArgument, those of the store or frontend.
Result<report::Source> ReadSource(const std::string& name, const results::StoreOptions& store,
                                  const Globals& globals);

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
