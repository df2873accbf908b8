#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "lib/common/result.h"
#include "lib/rpc/columns.h"
#include "twofold/v1/queue.pb.h"

/// The batches of queue.proto, row by row. For each of those with specs or reports: a row struct,
/// `Append` (returns about how many bytes it added, for Outbox::Add), `Check` (all columns, once,
/// when a batch arrives) and `ForEach` (REQUIRES: Check has passed). Views point into the message.
namespace twofold::rpc {

// ---- client → frontend

struct JobRow {
  std::uint64_t tag = 0;
  std::uint32_t option = 0;  ///< index into `options`, which the caller fills
  std::string_view spec;
};

std::size_t Append(v1::SubmitRequest& batch, const JobRow& row);
Status Check(const v1::SubmitRequest& batch);

template <typename Visit>
void ForEach(const v1::SubmitRequest& batch, Visit&& visit) {
  PackedReader specs(batch.spec_sizes(), batch.specs());
  for (int i = 0; i < batch.tags_size(); ++i) {
    visit(JobRow{batch.tags(i), ColumnAt(batch.option_index(), i, 0U), specs.Next()});
  }
}

// ---- frontend → client

struct ResultRow {
  std::uint64_t tag = 0;
  v1::Outcome outcome = v1::OUTCOME_SUCCEEDED;
  std::uint64_t wait_ns = 0;
  std::uint64_t run_ns = 0;
  std::uint32_t attempts = 1;
  std::uint32_t worker = 0;  ///< index into `workers`, see WorkerIndex
  std::string_view report;   ///< serialized v1::Report
};

std::size_t Append(v1::ResultBatch& batch, const ResultRow& row);
Status Check(const v1::ResultBatch& batch);

/// The index of this worker in the batch's table, added if it is not among the last few entries.
std::uint32_t WorkerIndex(v1::ResultBatch& batch, std::string_view node, std::string_view pod,
                          std::string_view device);

template <typename Visit>
void ForEach(const v1::ResultBatch& batch, Visit&& visit) {
  PackedReader reports(batch.report_sizes(), batch.reports());
  for (int i = 0; i < batch.tags_size(); ++i) {
    visit(ResultRow{
        batch.tags(i),
        static_cast<v1::Outcome>(ColumnAt<int>(batch.outcomes(), i, v1::OUTCOME_SUCCEEDED)),
        ColumnAt<std::uint64_t>(batch.wait_ns(), i, 0),
        ColumnAt<std::uint64_t>(batch.run_ns(), i, 0), ColumnAt(batch.attempts(), i, 1U),
        ColumnAt(batch.worker_index(), i, 0U), reports.Next()});
  }
}

// ---- frontend → worker

struct AssignRow {
  std::uint64_t job = 0;
  std::uint32_t attempt = 1;
  std::uint32_t option = 0;  ///< index into `options`, which the caller fills
  std::string_view spec;
};

std::size_t Append(v1::AssignBatch& batch, const AssignRow& row);
Status Check(const v1::AssignBatch& batch);

template <typename Visit>
void ForEach(const v1::AssignBatch& batch, Visit&& visit) {
  PackedReader specs(batch.spec_sizes(), batch.specs());
  for (int i = 0; i < batch.jobs_size(); ++i) {
    visit(AssignRow{batch.jobs(i), ColumnAt(batch.attempts(), i, 1U),
                    ColumnAt(batch.option_index(), i, 0U), specs.Next()});
  }
}

// ---- worker → frontend

struct WorkerResultRow {
  std::uint64_t job = 0;
  std::uint32_t attempt = 1;
  v1::Outcome outcome = v1::OUTCOME_SUCCEEDED;
  std::uint64_t run_ns = 0;
  std::string_view device;
  bool handed_back = false;
  std::string_view report;  ///< serialized v1::Report
};

std::size_t Append(v1::WorkerResults& batch, const WorkerResultRow& row);
Status Check(const v1::WorkerResults& batch);

template <typename Visit>
void ForEach(const v1::WorkerResults& batch, Visit&& visit) {
  PackedReader reports(batch.report_sizes(), batch.reports());
  for (int i = 0; i < batch.jobs_size(); ++i) {
    const int device = static_cast<int>(ColumnAt(batch.device_index(), i, 0U));
    visit(WorkerResultRow{
        batch.jobs(i), batch.attempts(i),
        static_cast<v1::Outcome>(ColumnAt<int>(batch.outcomes(), i, v1::OUTCOME_SUCCEEDED)),
        ColumnAt<std::uint64_t>(batch.run_ns(), i, 0),
        batch.devices().empty() ? std::string_view() : std::string_view(batch.devices(device)),
        ColumnAt(batch.handed_back(), i, false), reports.Next()});
  }
}

// ---- both ways

struct AttemptRow {
  std::uint64_t job = 0;
  std::uint32_t attempt = 0;
};

/// Needs no Check: what one column has more than the other names no attempt, and is left out.
template <typename Visit>
void ForEach(const v1::Attempts& attempts, Visit&& visit) {
  const int rows = std::min(attempts.jobs_size(), attempts.attempts_size());
  for (int i = 0; i < rows; ++i) visit(AttemptRow{attempts.jobs(i), attempts.attempts(i)});
}

}  // namespace twofold::rpc
