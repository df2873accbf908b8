#pragma once

#include <string>
#include <vector>

#include "kubernetes/api/connection.h"
#include "kubernetes/lifecycle/record.h"
#include "kubernetes/lifecycle/settings.h"
#include "lib/common/result.h"

/// What comes before the first workload, whoever watches it then.
namespace twofold::lifecycle {

/// What the server says to the objects of one workload, of which it stores nothing (dryRun=All).
/// A line each.
///
/// Errors   Those of the first object that it would refuse.
Result<std::vector<std::string>> TryOut(kube::Connection& connection, const RunSettings& settings);

/// Whether the server takes us for one of system:masters, whom its limits on the rate of requests
/// leave out. False also if it does not say.
bool IsExempt(kube::Connection& connection);

/// The record of a run that can begin at `began_ns`, in Unix time. Makes nothing.
///
/// Errors   A kind is not installed, the server refuses what we would create.
///          kFailedPrecondition: the name is taken.
Result<Record> Prepare(kube::Connection& connection, const RunSettings& settings,
                       std::int64_t began_ns);

/// Makes the ConfigMap and returns it as the server has it. There may be one from then on, unless
/// the error is kFailedPrecondition: the name is taken.
Result<kube::Json> WriteRecord(kube::Connection& connection, const Record& record);

}  // namespace twofold::lifecycle
