#include <memory>
#include <string>

#include "cli/results/result_commands.h"
#include "cli/results/result_printer.h"
#include "cli/results/run_source.h"

namespace twofold::cli {
namespace {

struct ResultsOptions {
  std::string run;
  std::string store;
  bool json = false;
  bool csv = false;
  bool all = false;
};

show::Form FormOf(const ResultsOptions& options, const Globals& globals) {
  if (options.json) return show::Form::kJson;
  const bool lines = options.csv || (options.all && !globals.json());
  return lines ? show::Form::kCsv : globals.form;
}

Status Results(const ResultsOptions& options, const Globals& globals) {
  if (options.run.empty()) return absl::InvalidArgumentError("RUN: which run? see `twofold runs`");
  auto source = OpenRuns(globals, options.store);
  if (!source.ok()) return source.status();
  v1::RunResultsRequest request;
  request.set_id(options.run);
  request.set_jobs(options.all);
  return PrintResults(**source, request, FormOf(options, globals));
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
