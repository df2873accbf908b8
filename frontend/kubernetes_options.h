#pragma once

#include "frontend/options.h"
#include "frontend/scalers/cost_writer.h"
#include "frontend/scalers/metrics_api.h"
#include "lib/common/result.h"

namespace twofold::frontend {

/// What of the options for the metrics API is missing, or no name of a Service, or in its files.
/// Errors   kInvalidArgument.
Status CheckMetricsApi(const Options& options);

/// What those options mean. Reads the files with the certificate, and those that say which API
/// server there is. REQUIRES: they have been checked.
/// Errors   kInvalidArgument: what is wrong in a file, or that no API server is known.
Result<scalers::MetricsApi::Options> MetricsApiOf(const Options& options);

/// Whether --deletion-cost names a namespace, if it is given. Errors: kInvalidArgument.
Status CheckDeletionCost(const Options& options);

/// What --deletion-cost means. REQUIRES, reads, errors: as MetricsApiOf.
Result<scalers::CostWriter::Options> CostWriterOf(const Options& options);

}  // namespace twofold::frontend
