#include "cli/report/report.h"

#include <CLI/App.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/command/command.h"

namespace twofold::cli {
namespace {

struct ReportOptions {
  std::vector<std::string> names;
  results::StoreOptions store;
  ReportFiles files;
  bool markdown = false;
};

bool IsForFiles(const ReportFiles& files) {
  return !(files.html.empty() && files.png.empty() && files.svg.empty() && files.junit.empty() &&
           files.open_metrics.empty());
}

Status Report(const ReportOptions& options, const Globals& globals) {
  std::vector<report::Source> sources;
  for (const std::string& name : options.names) {
    auto source = ReadSource(name, options.store, globals);
    if (!source.ok()) return source.status();
    sources.push_back(*std::move(source));
  }
  const auto document = report::DocumentOf(sources);
  if (!document.ok()) return document.status();
  if (globals.json()) {
    std::cout << show::Line(ToJson(*document));
  } else if (options.markdown) {
    std::cout << ToWords(*document, show::Form::kMarkdown);
  } else if (!IsForFiles(options.files)) {
    std::cout << ToWords(*document, show::Form::kText);
  }
  return Write(options.files, *document);
}

Action BindReport(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<ReportOptions>();
  app.add_option(
         "WHAT", options->names,
         "A run (its id, or @last: the newest), a file of validate-scaling.sh --json or of "
         "twofold load --json, a store; several of one kind are overlaid, two runs compared")
      ->required();
  DeclareStore(app, options->store);
  Declare(app, options->files);
  app.add_flag("--markdown", options->markdown, "Print it as Markdown, to be pasted into a page");
  return [options, &globals] { return Report(*options, globals); };
}

}  // namespace

std::vector<Command> ReportCommands() {
  return {{.name = "report",
           .help = "A verdict with figures and tables of a run, a validation or a load",
           .example = "twofold report validate-scaling.json --html report.html",
           .bind = BindReport}};
}

}  // namespace twofold::cli
