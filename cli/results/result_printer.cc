#include "cli/results/result_printer.h"

#include <iostream>
#include <optional>
#include <string>
#include <utility>

#include "cli/results/result_view.h"
#include "lib/runs/json.h"
#include "lib/show/json.h"
#include "lib/show/table.h"

namespace twofold::cli {
namespace {

/// Prints permutations as they come, so that long runs need no memory. Jobs of one that come in
/// several messages are put together again.
class JsonPrinter {
 public:
  explicit JsonPrinter(const v1::Run& run) {
    std::string head = runs::ToJson(run).dump(-1, ' ', false, Json::error_handler_t::replace);
    std::cout << "{\"run\":" << head << ",\"permutations\":[";
  }

  void Add(const v1::RunResultsReply& reply) {
    for (const v1::PermutationResult& each : reply.permutations()) {
      if (waiting_ && waiting_->number() == each.number()) {
        waiting_->mutable_jobs()->MergeFrom(each.jobs());
      } else {
        Print();
        waiting_ = each;
      }
    }
  }

  void Finish() {
    Print();
    std::cout << "]}\n";
  }

 private:
  void Print() {
    if (!waiting_) return;
    if (!std::exchange(first_, false)) std::cout << ",";
    std::cout << "\n"
              << runs::ToJson(*waiting_).dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  std::optional<v1::PermutationResult> waiting_;
  bool first_ = true;
};

/// The lines of jobs; of a permutation whose jobs come in several messages only the first one says
/// what is varied.
class JobCsvPrinter {
 public:
  explicit JobCsvPrinter(v1::Run run) : run_(std::move(run)) { std::cout << JobCsvHeading(); }

  void Add(const v1::RunResultsReply& reply) {
    for (v1::PermutationResult each : reply.permutations()) {
      if (each.varied().empty()) each.set_varied(varied_);
      varied_ = each.varied();
      std::cout << JobCsvLines(run_, each);
    }
  }

 private:
  const v1::Run run_;
  std::string varied_;
};

Result<ResultTable> TableOf(RunSource& source, const v1::RunResultsRequest& request) {
  ResultTable table;
  const Status status = source.Results(request, [&](const v1::RunResultsReply& reply) {
    for (const v1::PermutationResult& each : reply.permutations()) table.Add(each);
  });
  if (!status.ok()) return status;
  return table;
}

Result<v1::Run> RunOf(RunSource& source, const v1::RunResultsRequest& request) {
  v1::GetRunRequest get;
  get.set_id(request.id());
  return source.Get(get);
}

}  // namespace

Status PrintTable(RunSource& source, const v1::RunResultsRequest& request) {
  const auto run = RunOf(source, request);
  if (!run.ok()) return run.status();
  const auto table = TableOf(source, request);
  if (table.ok()) std::cout << Table(table->rows()) << table->Notes() << PlaceNote(*run);
  return table.status();
}

Status PrintCsv(RunSource& source, const v1::RunResultsRequest& request) {
  const auto run = RunOf(source, request);
  if (!run.ok()) return run.status();
  const auto table = TableOf(source, request);
  if (table.ok()) std::cout << table->Csv(*run);
  return table.status();
}

Status PrintJobCsv(RunSource& source, const v1::RunResultsRequest& request) {
  auto run = RunOf(source, request);
  if (!run.ok()) return run.status();
  JobCsvPrinter printer(*std::move(run));
  return source.Results(request, [&](const v1::RunResultsReply& reply) { printer.Add(reply); });
}

Status PrintJson(RunSource& source, const v1::RunResultsRequest& request) {
  const auto run = RunOf(source, request);
  if (!run.ok()) return run.status();
  JsonPrinter printer(*run);
  const Status status =
      source.Results(request, [&](const v1::RunResultsReply& reply) { printer.Add(reply); });
  printer.Finish();
  return status;
}

}  // namespace twofold::cli
