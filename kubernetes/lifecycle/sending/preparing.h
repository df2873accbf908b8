#pragma once

#include <string>
#include <vector>

#include "kubernetes/api/connection.h"
#include "kubernetes/lifecycle/journal/record.h"
#include "kubernetes/lifecycle/sending/send_plan.h"
#include "lib/common/result.h"

/// What comes before the first workload is sent, or the first event is seen.
namespace twofold::lifecycle {

/// What the server says to the objects of one workload, of which it stores nothing (dryRun=All).
/// A line each.
///
/// Errors   Those of the first object that it would refuse.
Result<std::vector<std::string>> TryOut(kube::Connection& connection, const SendPlan& plan);

/// The record of a run that can begin at `began_ns`, in Unix time. Makes nothing.
///
/// Errors   A kind is not installed, the server refuses what we would create.
///          kFailedPrecondition: the name is taken.
Result<Record> Prepare(kube::Connection& connection, const SendPlan& plan, std::int64_t began_ns);

/// Makes the ConfigMap and returns it as the server has it. There may be one from then on, unless
/// the error is kFailedPrecondition: the name is taken.
Result<kube::Json> WriteRecord(kube::Connection& connection, const Record& record);

/// A run that another process has made: its record, and the ConfigMap that this is in.
struct FoundRun {
  Record record;
  kube::Json object;
};

/// Errors   kNotFound: there is no such run. kInvalidArgument: its record does not say what to
/// watch.
Result<FoundRun> FindRun(kube::Connection& connection, const kube::ObjectName& run);

/// Makes a ConfigMap for the canaries of one more watcher, so that no other writes into it. Returns
/// its name.
Result<std::string> MakeCanary(kube::Connection& connection, const Record& record);

}  // namespace twofold::lifecycle
