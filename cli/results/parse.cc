#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/command/command.h"
#include "lib/common/file.h"
#include "lib/common/instant.h"
#include "lib/results/run_copy.h"
#include "lib/show/numbers.h"
#include "lib/suite/document.h"
#include "lib/suite/text.h"
#include "suites/table/table.h"

namespace twofold::cli {
namespace {

constexpr std::size_t kMostOfToolOutput = 256
                                          << 20;  // of a file, as of an output that a worker keeps

struct ParseOptions {
  std::vector<std::string> words;       ///< [SUITE] FILE...
  const suite::Suite* suite = nullptr;  ///< null: each source shows by itself which it is of
  std::vector<std::string> files;
  bool json = false;
  bool csv = false;
  bool together = false;
  bool each_run = false;  ///< a file has several runs, each a source of its own
  std::string store;
  std::string run;
};

/// The saved output of one job, and what its suite makes of it.
struct Parsed {
  std::string source;  ///< file names
  Result<v1::BenchmarkResult> result;
};

/// Errors   kNotFound, for whatever reason: nothing was read.
Result<suite::Outputs> ReadOutputs(const std::vector<std::string>& files) {
  suite::Outputs outputs;
  for (const std::string& path : files) {
    auto text =
        ReadFile(path == "-" ? "/dev/stdin" : path, kMostOfToolOutput, Readable::kFilesAndPipes);
    if (!text.ok()) return absl::NotFoundError(absl::StrCat("read: ", text.status().message()));
    if (text->empty()) return absl::NotFoundError("read: it is empty");
    suite::StageOutput& stage = outputs.stages.emplace_back();
    stage.rank = static_cast<std::uint32_t>(outputs.stages.size() - 1);
    stage.out = *std::move(text);
  }
  return outputs;
}

Result<v1::BenchmarkResult> ParseAs(const suite::Suite& suite, const suite::Outputs& outputs) {
  const auto numbers = suite.parse(outputs);
  if (!numbers.ok()) return numbers.status();
  v1::BenchmarkResult result;
  AddTo(*numbers, result);
  result.set_suite(std::string(suite.name));
  return result;
}

/// The numbers of the one suite whose parser finds some. What the parsers say of failures does not
/// count: several take any text for one.
Result<v1::BenchmarkResult> Recognise(const suite::Outputs& outputs) {
  std::vector<v1::BenchmarkResult> found;
  std::vector<std::string> names;
  for (const suite::Suite& suite : suite::Suites()) {
    auto result = ParseAs(suite, outputs);
    if (!result.ok()) continue;
    found.push_back(*std::move(result));
    names.emplace_back(suite.name);
  }
  if (found.size() == 1) return found[0];
  if (found.empty()) {
    return absl::DataLossError(
        absl::StrCat("recognise: no numbers of any of ", suite::SuiteNames(),
                     "; name the suite for its reason: twofold parse SUITE FILE"));
  }
  return absl::DataLossError(absl::StrCat("recognise: numbers of ", absl::StrJoin(names, ", "),
                                          "; say which: twofold parse ", names[0], " FILE"));
}

Result<v1::BenchmarkResult> ParseFiles(const suite::Suite* suite,
                                       const std::vector<std::string>& files) {
  const auto outputs = ReadOutputs(files);
  if (!outputs.ok()) return outputs.status();
  return suite == nullptr ? Recognise(*outputs) : ParseAs(*suite, *outputs);
}

/// Each run in a file by itself: "pod.log (run 2)".
/// REQUIRES: the suite can tell where runs begin.
void ParseEachRun(const suite::Suite& suite, const std::string& file, std::vector<Parsed>& all) {
  auto outputs = ReadOutputs({file});
  if (!outputs.ok()) return all.push_back({file, outputs.status()});
  std::vector<std::string> notes;  // each run's reader says them again
  const auto text = suite::CleanText(outputs->stages[0].out, notes, suite.keys);
  if (!text.ok()) return all.push_back({file, text.status()});
  std::size_t number = 0;
  for (const std::string_view part : suite::SplitAtRuns(*text, suite.runs(*text))) {
    outputs->stages[0].out = std::string(part);
    all.push_back({absl::StrCat(file, " (run ", ++number, ")"), ParseAs(suite, *outputs)});
  }
}

std::vector<Parsed> ParseAll(const ParseOptions& options) {
  if (options.together) {
    return {{absl::StrJoin(options.files, " "), ParseFiles(options.suite, options.files)}};
  }
  std::vector<Parsed> all;
  for (const std::string& file : options.files) {
    if (options.each_run) {
      ParseEachRun(*options.suite, file, all);
      continue;
    }
    all.push_back({file, ParseFiles(options.suite, {file})});
  }
  return all;
}

std::string TableOf(const Json& series) {
  show::Rows rows(1);
  for (const Json& column : series["columns"]) {
    const std::string name = column["name"];
    const std::string unit = column["unit"];
    rows[0].push_back(unit.empty() ? name : absl::StrCat(name, " (", unit, ")"));
  }
  for (const Json& row : series["rows"]) {
    auto& cells = rows.emplace_back();
    for (const Json& value : row) cells.push_back(show::Text(value));
  }
  return absl::StrCat("\n", show::Text(series["name"]), " ", show::Text(series["dimensions"]), "\n",
                      show::Table(rows));
}

// Headlines are marked, as they are what comparisons are made of.
std::string TextOf(const Json& numbers) {
  show::Rows rows = {{"", "MEASUREMENT", "VALUE", "UNIT", "BETTER", "OF", "AT"}};
  for (const Json& one : numbers["measurements"]) {
    auto& cells = rows.emplace_back();
    cells.emplace_back(one["headline"] == true ? "*" : "");
    for (const char* key : {"name", "value", "unit", "better", "dimensions", "at"}) {
      cells.push_back(show::Text(one.value(key, Json())));
    }
  }
  std::string text = show::Table(rows);
  for (const Json& series : numbers["series"]) text += TableOf(series);
  return text;
}

void PrintText(const std::vector<Parsed>& all) {
  for (const Parsed& parsed : all) {
    if (!parsed.result.ok()) continue;
    std::cout << "=== " << parsed.source << ": " << parsed.result->tool() << "\n"
              << TextOf(show::NumbersOf(*parsed.result));
  }
}

void PrintCsv(const std::vector<Parsed>& all) {
  std::cout << show::CsvHeading(show::NumberColumns());
  for (const Parsed& parsed : all) {
    if (!parsed.result.ok()) continue;
    std::cout << show::CsvLines(show::NumberColumns(),
                                show::NumberRows(parsed.source, show::NumbersOf(*parsed.result)));
  }
}

void PrintJson(const std::vector<Parsed>& all) {
  Json json = Json::array();
  for (const Parsed& parsed : all) {
    Json entry = {{"source", parsed.source}};
    if (parsed.result.ok()) {
      entry.update(show::NumbersOf(*parsed.result));
    } else {
      entry["error"] = std::string(parsed.result.status().message());
    }
    json.push_back(std::move(entry));
  }
  std::cout << show::Line(json);
}

// One line on stderr for each thing that was skipped or went wrong; how many sources have such.
std::size_t Complain(const std::vector<Parsed>& all) {
  std::size_t bad = 0;
  for (const Parsed& parsed : all) {
    if (!parsed.result.ok()) {
      std::cerr << parsed.source << ": " << parsed.result.status().message() << "\n";
    } else {
      for (const std::string& note : parsed.result->left_out()) {
        std::cerr << parsed.source << ": " << note << "\n";
      }
      for (const v1::PartFailure& failure : parsed.result->failures()) {
        std::cerr << parsed.source << ": " << failure.stage() << ": " << failure.reason() << "\n";
      }
    }
    if (!parsed.result.ok() || !parsed.result->failures().empty()) ++bad;
  }
  return bad;
}

results::OutsideJob JobOf(const std::string& suite, const Parsed& parsed, std::uint32_t number) {
  results::OutsideJob job;
  job.place.set_number(number);
  job.place.set_permutation(1);
  job.place.set_repetition(number);
  job.place.set_name(parsed.source);
  if (parsed.result.ok()) {
    job.result = *parsed.result;
  } else {
    job.result.set_suite(suite);  // if it is known at all
    job.result.set_failed_stage("parse");
    job.reason = std::string(parsed.result.status().message());
  }
  const bool good = parsed.result.ok() && parsed.result->failures().empty();
  job.outcome = good ? queue::Outcome::kSucceeded : queue::Outcome::kFailed;
  return job;
}

/// Keeps what was parsed as a run of a store, made if it is not there: a job for each source, all
/// of them repetitions of one permutation.
/// Errors   kAlreadyExists: the store has a run with this id; kNotFound: a source cannot be read,
///          so nothing is kept; those of the store.
Status KeepAsRun(const std::string& store, const std::string& run, const std::string& suite,
                 const std::vector<Parsed>& all) {
  std::vector<results::OutsideJob> jobs;
  for (const Parsed& parsed : all) {
    if (absl::IsNotFound(parsed.result.status())) return parsed.result.status();
    jobs.push_back(JobOf(suite, parsed, static_cast<std::uint32_t>(jobs.size() + 1)));
  }
  const auto path = results::ParseStoreFile(store, "--store");
  if (!path.ok()) return path.status();
  const auto to = results::SqliteStore::Open(*path);
  if (!to.ok()) return to.status();
  results::RunCreated created;
  created.run.set_id(run);
  created.run.set_name(run);
  created.run.set_kind(suite);
  created.run.set_jobs(jobs.size());
  created.run.set_created_unix_ns(UnixNowNs());
  v1::Permutation& all_jobs = created.permutations.emplace_back();
  all_jobs.set_number(1);
  all_jobs.set_varied("{}");
  return results::AddRun(created, jobs, **to);
}

/// The first word is a suite, or all of them are files.
Status Sort(ParseOptions& options) {
  options.files = options.words;
  const std::string& first = options.words.front();
  options.suite = suite::FindSuite(first);
  if (options.suite != nullptr) {
    options.files.erase(options.files.begin());
  } else if (first != "-" && !std::filesystem::exists(first)) {
    return absl::InvalidArgumentError(absl::StrCat("SUITE: '", suite::Quoted(first),
                                                   "' is none of ", suite::SuiteNames(),
                                                   ", nor is it a file"));
  }
  if (options.files.empty()) return absl::InvalidArgumentError("FILE: which one? - reads stdin");
  if (options.each_run && options.suite == nullptr) {
    return absl::InvalidArgumentError("--each-run: name the suite: twofold parse SUITE FILE");
  }
  if (options.each_run && options.suite->runs == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("--each-run: nothing shows where a run of ",
                                                   std::string(options.suite->name), " begins"));
  }
  if (std::count(options.files.begin(), options.files.end(), "-") > 1) {
    return absl::InvalidArgumentError("FILE: - can be read once");
  }
  return absl::OkStatus();
}

/// The suite that was said; else that of all sources if they agree.
std::string SuiteOf(const ParseOptions& options, const std::vector<Parsed>& all) {
  if (options.suite != nullptr) return std::string(options.suite->name);
  std::set<std::string> names;
  for (const Parsed& parsed : all) {
    if (parsed.result.ok()) names.insert(parsed.result->suite());
  }
  return names.size() == 1 ? *names.begin() : "";
}

Status Parse(ParseOptions options, const Globals& globals) {
  if (const Status status = Sort(options); !status.ok()) return status;
  const std::vector<Parsed> all = ParseAll(options);
  if (options.csv) {
    PrintCsv(all);
  } else if (options.json || globals.json()) {
    PrintJson(all);
  } else {
    PrintText(all);
  }
  const std::size_t bad = Complain(all);
  if (!options.store.empty()) {
    const Status kept = KeepAsRun(options.store, options.run, SuiteOf(options, all), all);
    if (!kept.ok()) return kept;
    std::cerr << "run " << options.run << ": kept in " << options.store << "\n";
  }
  if (bad == 0) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(bad, " of ", all.size(), " failed"));
}

Action BindParse(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<ParseOptions>();
  app.add_option("FILE", options->words,
                 "What a tool has printed, or the log of its pod; - reads standard input. The "
                 "first word may be the suite whose parser is to read it, if it is not clear: " +
                     suite::SuiteNames())
      ->type_name("[SUITE] FILE...")
      ->required();
  CLI::Option* json = app.add_flag("--json", options->json, "As --output json");
  app.add_flag("--csv", options->csv, "A line a number, with rows of series")->excludes(json);
  CLI::Option* together =
      app.add_flag("--together", options->together,
                   "The files are the workers of one job, in the order of their ranks");
  app.add_flag("--each-run", options->each_run,
               "A file has several runs, one after the other: read each by itself")
      ->excludes(together);
  CLI::Option* store =
      app.add_option("--store", options->store,
                     "Also keep the numbers in this file, made if it is not there: as the run "
                     "--run, each FILE a repetition. No frontend may be using it meanwhile")
          ->type_name("FILE");
  CLI::Option* run = app.add_option("--run", options->run, "Id of that run, a new one");
  run->needs(store);
  store->needs(run);
  return [options, &globals] { return Parse(*options, globals); };
}

}  // namespace

std::vector<Command> ParseCommands() {
  return {
      {"parse", "The measurements in saved output of a benchmark", "twofold parse pod.log",
       BindParse, Prints::kText, false},
  };
}

}  // namespace twofold::cli
