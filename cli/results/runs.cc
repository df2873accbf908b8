#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/command/command.h"
#include "cli/queues/frontend.h"
#include "cli/results/result_commands.h"
#include "cli/results/run_source.h"
#include "lib/common/options.h"
#include "lib/show/message.h"
#include "lib/show/table.h"
#include "twofold/v1/runs.grpc.pb.h"

namespace twofold::cli {
namespace {

// ---- runs

struct RunsOptions {
  std::string store;
  std::size_t most = 50;
};

// Each job is in one of the numbers.
const show::Columns kRunColumns = {
    {"RUN", "id"},
    {"KIND", "kind"},
    {"STATE", "state"},
    {.heading = "JOBS",
     .path = "counts.planned+counts.waiting+counts.running+counts.ended",
     .name = "jobs"},
    {"PLANNED", "counts.planned"},
    {"WAITING", "counts.waiting"},
    {"RUNNING", "counts.running"},
    {"SUCCEEDED", "counts.succeeded"},
    {"FAILED", "counts.failed"},
    {"WITHDRAWN", "counts.withdrawn"},
    {"BEGUN (UTC)", "created_unix_seconds"},
    {"ENDED (UTC)", "ended_unix_seconds"},
};

Result<std::vector<v1::Run>> ListAll(RunSource& source, std::size_t most) {
  std::vector<v1::Run> runs;
  v1::ListRunsRequest request;
  do {
    request.set_page_size(
        static_cast<std::uint32_t>(std::min<std::size_t>(most - runs.size(), 200)));
    auto reply = source.List(request);
    if (!reply.ok()) return reply.status();
    runs.insert(runs.end(), reply->runs().begin(), reply->runs().end());
    request.set_page_token(reply->next_page_token());
  } while (!request.page_token().empty() && runs.size() < most);
  return runs;
}

Status PrintRuns(const Globals& globals, const RunsOptions& options) {
  auto source = OpenRuns(globals, options.store);
  if (!source.ok()) return source.status();
  const auto all = ListAll(**source, options.most);
  if (!all.ok()) return all.status();
  std::cout << show::Print(globals.form, kRunColumns, show::ListOf(*all));
  return absl::OkStatus();
}

Action BindRuns(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<RunsOptions>();
  DeclareStore(app, options->store);
  app.add_option("--most", options->most, "How many at most; the newest come first")
      ->check(WholeNumber(1, 1'000'000))
      ->capture_default_str();
  return [options, &globals] { return PrintRuns(globals, *options); };
}

// ---- cancel

// Of a run with a million jobs.
constexpr Duration kCancelLimit = std::chrono::minutes(2);

Action BindCancel(CLI::App& app, const Globals& globals) {
  auto request = std::make_shared<v1::CancelRunRequest>();
  app.add_option_function<std::string>(
         "RUN", [request](const std::string& id) { request->set_id(id); }, "Id of the run")
      ->required();
  return [request, &globals]() -> Status {
    const auto reply =
        Frontend(globals).Call<v1::Results>(&v1::Results::Stub::CancelRun, *request, kCancelLimit);
    if (!reply.ok()) return reply.status();
    if (globals.json()) {
      std::cout << show::Line({{"run", request->id()}, {"cancelled", reply->cancelled()}});
    } else {
      std::cout << "run " << request->id() << ": " << reply->cancelled() << " jobs cancelled\n";
    }
    return absl::OkStatus();
  };
}

}  // namespace

std::vector<Command> ResultCommands() {
  return {
      {"runs", "Runs of a frontend or a file, and how far they are", "twofold runs --most 10",
       BindRuns, Prints::kTable},
      {"results", "What a run has measured: a row for each permutation and headline",
       "twofold results nightly --store results.db --csv", BindResults, Prints::kTable},
      {"results export", "One run as a file of its own",
       "twofold results export nightly nightly.db", BindExport},
      {"results import", "The runs of a file into another one",
       "twofold results import nightly.db --store all.db", BindImport, Prints::kText, false},
      {"compare", "Two runs, permutation by permutation: the ratio of their headlines",
       "twofold compare before after", BindCompare, Prints::kTable},
      {"cancel", "End all jobs of a run", "twofold cancel nightly", BindCancel},
  };
}

}  // namespace twofold::cli
