#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/commands/result_commands.h"
#include "cli/commands/result_view.h"
#include "cli/commands/run_source.h"
#include "cli/json.h"
#include "cli/table.h"
#include "lib/runs/json.h"

namespace twofold::cli {
namespace {

struct ResultsOptions {
  std::string run;
  std::string store;
  bool json = false;
  bool csv = false;
  bool all = false;
};

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
  explicit JobCsvPrinter(std::string run) : run_(std::move(run)) { std::cout << JobCsvHeading(); }

  void Add(const v1::RunResultsReply& reply) {
    for (v1::PermutationResult each : reply.permutations()) {
      if (each.varied().empty()) each.set_varied(varied_);
      varied_ = each.varied();
      std::cout << JobCsvLines(run_, each);
    }
  }

 private:
  const std::string run_;
  std::string varied_;
};

Status PrintTable(RunSource& source, const v1::RunResultsRequest& request, bool csv) {
  ResultTable table;
  const Status status = source.Results(request, [&](const v1::RunResultsReply& reply) {
    for (const v1::PermutationResult& each : reply.permutations()) table.Add(each);
  });
  if (!status.ok()) return status;
  std::cout << (csv ? table.Csv(request.id()) : Table(table.rows()));
  if (!csv) std::cout << table.Notes();
  return status;
}

Status PrintJobs(RunSource& source, const v1::RunResultsRequest& request) {
  JobCsvPrinter printer(request.id());
  return source.Results(request, [&](const v1::RunResultsReply& reply) { printer.Add(reply); });
}

Status PrintJson(RunSource& source, const v1::RunResultsRequest& request) {
  v1::GetRunRequest get;
  get.set_id(request.id());
  const auto run = source.Get(get);
  if (!run.ok()) return run.status();
  JsonPrinter printer(*run);
  const Status status =
      source.Results(request, [&](const v1::RunResultsReply& reply) { printer.Add(reply); });
  printer.Finish();
  return status;
}

Status Results(const ResultsOptions& options, const Globals& globals) {
  if (options.run.empty()) return absl::InvalidArgumentError("RUN: which run? see `twofold runs`");
  const bool json = options.json || globals.json;
  auto source = OpenRuns(globals, options.store);
  if (!source.ok()) return source.status();
  v1::RunResultsRequest request;
  request.set_id(options.run);
  request.set_jobs(options.all);
  if (json) return PrintJson(**source, request);
  if (options.all) return PrintJobs(**source, request);
  return PrintTable(**source, request, options.csv);
}

}  // namespace

Action BindResults(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<ResultsOptions>();
  app.add_option("RUN", options->run, "Id of the run, as `twofold runs` shows it");
  CLI::Option* json = app.add_flag("--json", options->json, "As --output json");
  app.add_flag("--csv", options->csv, "Lines for a spreadsheet, numbers in full")->excludes(json);
  app.add_flag("--all", options->all,
               "Every job with all its measurements; as lines for a spreadsheet, or with --json");
  DeclareStore(app, options->store);
  return [options, &globals] { return Results(*options, globals); };
}

}  // namespace twofold::cli
