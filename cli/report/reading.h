#pragma once

#include <string>

#include "cli/command/command.h"
#include "cli/results/run_source.h"
#include "lib/report/sources/sources.h"

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

}  // namespace twofold::cli
