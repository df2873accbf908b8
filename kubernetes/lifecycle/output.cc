#include "kubernetes/lifecycle/output.h"

#include <absl/strings/str_cat.h>

#include <CLI/App.hpp>
#include <fstream>
#include <iostream>
#include <utility>

#include "lib/suite/flags.h"
#include "suites/lifecycle/spec.pb.h"

namespace twofold::lifecycle {
namespace {

void Declare(CLI::App& app, Choice& choice) {
  app.add_option("--head", choice.head,
                 "Only the first N workloads (of a run: in its pictures); 0: all")
      ->type_name("N");
  app.add_option("--tail", choice.tail, "Only the last N of these; 0: all")->type_name("N");
  app.add_flag("--skip-errors", choice.skip_errors,
               "Leave out workloads with a span that certainly ends before it begins");
}

}  // namespace

void Declare(CLI::App& app, OutputOptions& options) {
  CLI::Option* json = app.add_flag("--json", options.json, "As --output json");
  app.add_flag("--csv", options.csv, "As --output csv: a line a span")->excludes(json);
  app.add_option("--times", options.times,
                 "Write a line for each workload there: times.csv, with a heading for each column")
      ->type_name("FILE");
  DeclareFailIf(app, options);
}

void DeclareFailIf(CLI::App& app, OutputOptions& options) {
  app.add_option("--fail-if", options.fail_if,
                 suite::FieldHelp(*v1::suites::LifecycleSpec::descriptor(), "failIf"))
      ->type_name("WHAT");
  Declare(app, options.plots);
  Declare(app, options.choice);
}

show::Form FormOf(const OutputOptions& options, show::Form otherwise) {
  if (options.csv) return show::Form::kCsv;
  return options.json ? show::Form::kJson : otherwise;
}

Result<std::vector<Threshold>> ThresholdsOf(const OutputOptions& options) {
  std::vector<Threshold> thresholds;
  for (const std::string& text : options.fail_if) {
    auto threshold = ReadThreshold(text);
    if (!threshold.ok()) return threshold.status();
    thresholds.push_back(*std::move(threshold));
  }
  return thresholds;
}

Status CheckAll(const std::vector<Threshold>& thresholds, const Report& report) {
  Status first;
  for (const Threshold& threshold : thresholds) {
    const Status status = Check(threshold, report.spans, report.counts);
    if (!status.ok() && !first.ok()) std::cerr << status.message() << "\n";
    if (first.ok()) first = status;
  }
  return first;
}

Status WriteText(const std::string& option, const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (file) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(option, ": ", path, " cannot be written; is its folder there, and not full?"));
}

}  // namespace twofold::lifecycle
