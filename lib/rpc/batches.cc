#include "lib/rpc/batches.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

#include "lib/rpc/limits.h"

namespace twofold::rpc {
namespace {

// What a row costs in its columns, roughly; exact enough to decide when a message is full.
constexpr std::size_t kRowBytes = 16;

// How far back a table of names is searched before an entry is added a second time.
constexpr int kTableSearch = 16;

ABSL_ATTRIBUTE_ALWAYS_INLINE inline void AppendPacked(
    google::protobuf::RepeatedField<std::uint32_t>& sizes, std::string& bytes, int row,
    std::string_view entry) {
  AppendColumn(sizes, row, static_cast<std::uint32_t>(entry.size()), 0U);
  bytes.append(entry);
}

std::uint32_t DeviceIndex(v1::WorkerResults& batch, std::string_view device) {
  auto& devices = *batch.mutable_devices();
  if (devices.empty() && device.empty()) return 0;
  // Rows before the first named device have index 0: keep that entry for "no device".
  if (devices.empty() && batch.jobs_size() > 0) devices.Add("");
  for (int i = devices.size(); i-- > std::max(0, devices.size() - kTableSearch);) {
    if (devices[i] == device) return static_cast<std::uint32_t>(i);
  }
  devices.Add(std::string(device));
  return static_cast<std::uint32_t>(devices.size() - 1);
}

bool Is(const v1::WorkerName& worker, std::string_view node, std::string_view pod,
        std::string_view device) {
  return worker.pod() == pod && worker.device() == device && worker.node() == node;
}

// The first check that fails.
template <typename Check, typename... Checks>
Status AllOf(Check&& check, Checks&&... others) {
  Status status = check();
  if constexpr (sizeof...(others) > 0) {
    if (status.ok()) return AllOf(others...);
  }
  return status;
}

Status CheckOutcomes(const google::protobuf::RepeatedField<int>& outcomes, int rows) {
  if (Status status = CheckColumn("outcomes", outcomes.size(), rows); !status.ok()) return status;
  for (const int outcome : outcomes) {
    if (v1::Outcome_IsValid(outcome) && outcome != v1::OUTCOME_UNSPECIFIED) continue;
    return absl::InvalidArgumentError(absl::StrCat("outcomes has the unknown value ", outcome));
  }
  return absl::OkStatus();
}

}  // namespace

std::size_t Append(v1::SubmitRequest& batch, const JobRow& row) {
  const int rows = batch.tags_size();
  batch.add_tags(row.tag);
  AppendColumn(*batch.mutable_option_index(), rows, row.option, 0U);
  AppendPacked(*batch.mutable_spec_sizes(), *batch.mutable_specs(), rows, row.spec);
  return kRowBytes + row.spec.size();
}

Status Check(const v1::SubmitRequest& batch) {
  const int rows = batch.tags_size();
  if (rows > 0 && batch.options().empty()) {
    return absl::InvalidArgumentError("options is empty: a batch needs at least one entry");
  }
  return AllOf(
      [&] {
        return CheckIndexColumn("option_index", batch.option_index(), rows, batch.options_size());
      },
      [&] { return CheckPacked("specs", batch.spec_sizes(), batch.specs(), rows, kMaxSpecBytes); });
}

std::size_t Append(v1::ResultBatch& batch, const ResultRow& row) {
  const int rows = batch.tags_size();
  batch.add_tags(row.tag);
  AppendColumn<int>(*batch.mutable_outcomes(), rows, row.outcome, v1::OUTCOME_SUCCEEDED);
  AppendColumn<std::uint64_t>(*batch.mutable_wait_ns(), rows, row.wait_ns, 0);
  AppendColumn<std::uint64_t>(*batch.mutable_run_ns(), rows, row.run_ns, 0);
  AppendColumn(*batch.mutable_attempts(), rows, row.attempts, 1U);
  AppendColumn(*batch.mutable_worker_index(), rows, row.worker, 0U);
  AppendPacked(*batch.mutable_report_sizes(), *batch.mutable_reports(), rows, row.report);
  return kRowBytes + row.report.size();
}

Status Check(const v1::ResultBatch& batch) {
  const int rows = batch.tags_size();
  return AllOf(
      [&] { return CheckOutcomes(batch.outcomes(), rows); },
      [&] { return CheckColumn("wait_ns", batch.wait_ns_size(), rows); },
      [&] { return CheckColumn("run_ns", batch.run_ns_size(), rows); },
      [&] { return CheckColumn("attempts", batch.attempts_size(), rows); },
      [&] {
        return CheckIndexColumn("worker_index", batch.worker_index(), rows, batch.workers_size());
      },
      [&] {
        return CheckPacked("reports", batch.report_sizes(), batch.reports(), rows, kMaxReportBytes);
      });
}

std::uint32_t WorkerIndex(v1::ResultBatch& batch, std::string_view node, std::string_view pod,
                          std::string_view device) {
  auto& workers = *batch.mutable_workers();
  for (int i = workers.size(); i-- > std::max(0, workers.size() - kTableSearch);) {
    if (Is(workers[i], node, pod, device)) return static_cast<std::uint32_t>(i);
  }
  v1::WorkerName& added = *workers.Add();
  added.mutable_node()->assign(node);
  added.mutable_pod()->assign(pod);
  added.mutable_device()->assign(device);
  return static_cast<std::uint32_t>(workers.size() - 1);
}

std::size_t Append(v1::AssignBatch& batch, const AssignRow& row) {
  const int rows = batch.jobs_size();
  batch.add_jobs(row.job);
  AppendColumn(*batch.mutable_attempts(), rows, row.attempt, 1U);
  AppendColumn(*batch.mutable_option_index(), rows, row.option, 0U);
  AppendPacked(*batch.mutable_spec_sizes(), *batch.mutable_specs(), rows, row.spec);
  return kRowBytes + row.spec.size();
}

Status Check(const v1::AssignBatch& batch) {
  const int rows = batch.jobs_size();
  return AllOf(
      [&] { return CheckColumn("attempts", batch.attempts_size(), rows); },
      [&] {
        return CheckIndexColumn("option_index", batch.option_index(), rows, batch.options_size());
      },
      [&] { return CheckPacked("specs", batch.spec_sizes(), batch.specs(), rows, kMaxSpecBytes); });
}

std::size_t Append(v1::WorkerResults& batch, const WorkerResultRow& row) {
  const int rows = batch.jobs_size();
  const std::uint32_t device = DeviceIndex(batch, row.device);
  batch.add_jobs(row.job);
  batch.add_attempts(row.attempt);
  AppendColumn<int>(*batch.mutable_outcomes(), rows, row.outcome, v1::OUTCOME_SUCCEEDED);
  AppendColumn<std::uint64_t>(*batch.mutable_run_ns(), rows, row.run_ns, 0);
  AppendColumn(*batch.mutable_device_index(), rows, device, 0U);
  AppendColumn(*batch.mutable_handed_back(), rows, row.handed_back, false);
  AppendPacked(*batch.mutable_report_sizes(), *batch.mutable_reports(), rows, row.report);
  return kRowBytes + row.report.size();
}

Status Check(const v1::WorkerResults& batch) {
  const int rows = batch.jobs_size();
  if (batch.attempts_size() != rows) {
    return absl::InvalidArgumentError(absl::StrCat("attempts has ", batch.attempts_size(),
                                                   " entries for ", rows, " jobs; send one a job"));
  }
  return AllOf(
      [&] { return CheckOutcomes(batch.outcomes(), rows); },
      [&] { return CheckColumn("run_ns", batch.run_ns_size(), rows); },
      [&] {
        return CheckIndexColumn("device_index", batch.device_index(), rows, batch.devices_size());
      },
      [&] { return CheckColumn("handed_back", batch.handed_back_size(), rows); },
      [&] {
        return CheckPacked("reports", batch.report_sizes(), batch.reports(), rows, kMaxReportBytes);
      });
}

}  // namespace twofold::rpc
