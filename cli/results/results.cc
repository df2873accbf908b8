#include "cli/results/results.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/queues/field.h"
#include "lib/show/message.h"
#include "lib/words/run_state.h"

namespace twofold::cli {
namespace {

// ---- JSON

/// Prints permutations as they come. Jobs of one that come in several messages are put together
/// again.
class JsonPrinter {
 public:
  explicit JsonPrinter(const v1::Run& run) {
    std::cout << "{\"run\":" << Bare(run) << ",\"permutations\":[";
  }

  void Add(const v1::PermutationResult& result) {
    if (waiting_ && waiting_->number() == result.number()) {
      waiting_->mutable_jobs()->MergeFrom(result.jobs());
    } else {
      Print();
      waiting_ = result;
    }
  }

  void Finish(bool /*all*/) {
    Print();
    std::cout << "]}\n";
  }

 private:
  static std::string Bare(const google::protobuf::Message& message) {
    std::string line = show::Line(show::ToJson(message));
    line.pop_back();
    return line;
  }

  void Print() {
    if (!waiting_) return;
    if (!std::exchange(first_, false)) std::cout << ",";
    std::cout << "\n" << Bare(*waiting_);
  }

  std::optional<v1::PermutationResult> waiting_;
  bool first_ = true;
};

// ---- a line for each row of each series

constexpr const char* kSeries = "series name unit";  // whose numbers are written alike

const show::Columns kSeriesForPeople = {
    {"PERMUTATION", "permutation"},
    {.heading = "VARIED", .path = "varied", .if_any = true},
    {"SERIES", "series dimensions"},
    {"ROW", "row"},
    {"COLUMN", "name"},
    {"N", "n"},
    {.heading = "MEAN", .path = "mean", .kind = kSeries},
    {.heading = "+-", .path = "half_width", .digits = 3, .kind = kSeries},
    {.heading = "LEAST", .path = "least", .kind = kSeries},
    {.heading = "MOST", .path = "most", .kind = kSeries},
    {"UNIT", "unit"}};

const show::Columns& SeriesForCsv() {
  static const show::Columns columns = [] {
    show::Columns made;
    for (const char* name :
         {"run", "permutation", "varied", "series", "dimensions", "by", "by_unit", "at", "name",
          "unit", "better", "n", "mean", "half_width", "least", "most"}) {
      made.push_back({.heading = "", .path = name});
    }
    return made;
  }();
  return columns;
}

/// "size=1024"
std::string RowText(const Json& by, const Json& at) {
  return absl::StrCat(show::Text(by["name"]), "=", show::Text(at));
}

Json RowsOfSeries(const std::string& run, const Json& permutation) {
  Json rows = Json::array();
  if (!permutation.contains("series")) return rows;
  for (const Json& series : permutation["series"]) {
    const Json common = {{"run", run},
                         {"permutation", permutation["permutation"]},
                         {"varied", permutation["varied"]},
                         {"series", series["name"]},
                         {"dimensions", series["dimensions"]},
                         {"by", series["by"]["name"]},
                         {"by_unit", series["by"]["unit"]},
                         {"name", series["value"]["name"]},
                         {"unit", series["value"]["unit"]},
                         {"better", series["value"]["better"]}};
    for (const Json& point : series["points"]) {
      Json row = common;
      row.update(point);
      row["row"] = RowText(series["by"], point["at"]);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

/// What jobs have measured as series: a line for each permutation, column and row. As CSV printed
/// as it comes, else at the end.
class SeriesTable {
 public:
  SeriesTable(const v1::Run& run, show::Form form) : run_(run.id()), form_(form) {
    if (form_ == show::Form::kCsv) std::cout << show::CsvHeading(SeriesForCsv());
  }

  void Add(const v1::PermutationResult& result) {
    left_out_ += result.series_values_left_out();
    Json rows = RowsOfSeries(run_, show::ToJson(result));
    if (form_ == show::Form::kCsv) {
      std::cout << show::CsvLines(SeriesForCsv(), rows);
    } else {
      for (Json& row : rows) rows_.push_back(std::move(row));
    }
  }

  void Finish(bool all) const {
    if (!all || form_ == show::Form::kCsv) return;
    std::cout << show::Print(form_, kSeriesForPeople, rows_);
    if (left_out_ > 0) std::cout << left_out_ << " values had no room and are in no row\n";
  }

 private:
  const std::string run_;
  const show::Form form_;
  Json rows_ = Json::array();
  std::uint64_t left_out_ = 0;
};

// ---- a line for each number of each job

/// "PATH", or "PATH=NAME".
void AddForCsv(std::initializer_list<const char*> columns, show::Columns& to) {
  for (const std::string column : columns) {
    const std::size_t name = std::min(column.find('='), column.size());
    to.push_back({.heading = "",
                  .path = column.substr(0, name),
                  .name = column.substr(std::min(name + 1, column.size()))});
  }
}

show::Columns JobColumnsForCsv() {
  show::Columns columns;
  AddForCsv(
      {"run", "permutation", "varied", "job.job=job", "job.name=name", "job.repetition=repetition",
       "job.warm_up=warm_up", "job.outcome=outcome", "measured.name=measurement",
       "measured.value=value", "measured.unit=unit", "measured.better=better",
       "measured.headline=headline", "measured.dimensions=dimensions", "measured.at=at"},
      columns);
  AddForCsv(
      {"job.node=node", "job.pod=pod", "job.device=device",
       "job.started_unix_seconds=started_unix_seconds", "job.overlaps=overlaps", "not_applied"},
      columns);
  return columns;
}

/// Of a permutation whose jobs come in several messages only the first one says what is varied.
class JobCsvPrinter {
 public:
  explicit JobCsvPrinter(const v1::Run& run)
      : run_{{"run", run.id()}, {"not_applied", LabelOf(run, kNotAppliedLabel)}} {
    std::cout << show::CsvHeading(columns_);
  }

  void Add(const v1::PermutationResult& result) {
    if (!result.varied().empty()) varied_ = result.varied();
    for (const v1::JobResult& job : result.jobs()) Print(result.number(), show::ToJson(job));
  }

  void Finish(bool /*all*/) {}

 private:
  void Print(std::uint64_t permutation, const Json& job) {
    Json row = run_;
    row["permutation"] = permutation;
    row["varied"] = varied_;
    row["job"] = job;
    Json rows = Json::array();
    for (const Json& measured : job["measurements"]) {
      row["measured"] = measured;
      rows.push_back(row);
    }
    if (rows.empty()) rows.push_back(row);  // one without numbers has a line, too
    std::cout << show::CsvLines(columns_, rows);
  }

  const show::Columns columns_ = JobColumnsForCsv();
  const Json run_;
  std::string varied_;
};

// ---- a row for each permutation and headline

/// "size=4194304 and elsewhere": where the best was found, where there is little room.
std::string MostFrequentPlace(const Json& at) {
  if (at.empty()) return "";
  return absl::StrCat(show::Text(at[0]["place"]), at.size() > 1 ? " and elsewhere" : "");
}

class HeadlineTable {
 public:
  HeadlineTable(const v1::Run& run, show::Form form)
      : run_(run),
        form_(form),
        common_{{"run", run.id()}, {"not_applied", LabelOf(run, kNotAppliedLabel)}} {}

  void Add(const v1::PermutationResult& result) {
    const Json permutation = show::ToJson(result);
    for (const char* count : {"unfinished", "failed", "withdrawn", "warm_ups", "overlapped"}) {
      counts_[count] =
          counts_.value(count, std::uint64_t{0}) + permutation[count].get<std::uint64_t>();
    }
    most_overlaps_ = std::max(most_overlaps_, result.most_overlaps());
    for (const Json& headline : permutation["headlines"]) AddRow(permutation, headline);
    if (result.headlines().empty()) AddRow(permutation, {{"n", 0}});
  }

  void Finish(bool all) const {
    if (!all) return;
    if (form_ == show::Form::kCsv) {
      std::cout << show::Print(form_, CsvColumns(), rows_);
    } else {
      std::cout << show::Print(form_, Columns(), rows_)
                << show::Beneath(form_, absl::StrCat(Notes(), LooksNote(), DoubtNote(),
                                                     OverlapNote(), PlaceNote()));
    }
  }

 private:
  void AddRow(const Json& permutation, const Json& headline) {
    Json row = common_;
    row.update(headline);
    row["permutation"] = permutation["permutation"];
    row["varied"] = VariedOf(permutation["varied"]);
    row["failed"] = permutation["failed"];
    row["withdrawn"] = permutation["withdrawn"];
    row["overlapped"] = permutation["overlapped"];
    row["values"] = headline["n"] == 0 ? permutation["succeeded"] : headline["n"];
    if (headline.contains("at")) {
      row["most_frequent"] = MostFrequentPlace(headline["at"]);
      row["at"] = Json::array();
      for (const Json& found : headline["at"]) row["at"].push_back(found["place"]);
    }
    rows_.push_back(std::move(row));
  }

  /// As text, so that each form shows the same. Fields are kept as they are first seen.
  Json VariedOf(const Json& varied) {
    Json texts = Json::object();
    if (!varied.is_object()) return texts;
    for (const auto& [name, value] : varied.items()) {
      texts[name] = value.is_string() ? value.get<std::string>() : value.dump();
      if (std::find(fields_.begin(), fields_.end(), name) == fields_.end()) {
        fields_.push_back(name);
      }
    }
    return texts;
  }

  [[nodiscard]] show::Columns Columns() const {
    show::Columns columns = {{"PERMUTATION", "permutation"}};
    for (const std::string& field : fields_) columns.push_back({field, "varied." + field});
    columns.insert(columns.end(),
                   {{"N", "values"},
                    {"HEADLINE", "name dimensions"},
                    {.heading = "MEAN", .path = "mean", .kind = "name unit"},
                    {.heading = "+-", .path = "half_width", .digits = 3, .kind = "name unit"},
                    {.heading = "CV %", .path = "cv", .decimals = 1, .scale = 100},
                    {"UNIT", "unit"},
                    {.heading = "AT", .path = "most_frequent", .if_any = true},
                    {.heading = "DOUBT", .path = "doubt", .if_any = true},
                    {"FAILED", "failed"}});
    return columns;
  }

  /// The same numbers in full, and some more.
  [[nodiscard]] show::Columns CsvColumns() const {
    show::Columns columns;
    AddForCsv({"run", "permutation"}, columns);
    for (const std::string& field : fields_) {
      columns.push_back({.heading = "", .path = "varied." + field, .name = field});
    }
    AddForCsv(
        {"name=headline", "dimensions", "unit", "better", "n", "failed", "mean", "median", "least",
         "most", "sd", "cv", "lower", "upper", "at", "withdrawn", "overlapped", "not_applied"},
        columns);
    return columns;
  }

  /// Jobs without a number, and why there are none. Empty: all have some.
  [[nodiscard]] std::string Notes() const {
    constexpr std::pair<const char*, const char*> kNotes[] = {
        {"unfinished", " jobs have not ended yet"},
        {"failed", " failed and are in no mean"},
        {"withdrawn", " were withdrawn"},
        {"warm_ups", " warm-ups are in none either"}};
    std::vector<std::string> notes;
    for (const auto& [count, what] : kNotes) {
      const std::uint64_t jobs = counts_.value(count, std::uint64_t{0});
      if (jobs > 0) notes.push_back(absl::StrCat(jobs, what));
    }
    return notes.empty() ? "" : absl::StrJoin(notes, "; ") + "\n";
  }

  /// Empty: nobody looked before it was over.
  [[nodiscard]] std::string LooksNote() const {
    const std::string until = LabelOf(run_, kUntilLabel);
    if (until.empty()) return "";
    return absl::StrCat("repeated until the mean was known to +- ", until,
                        ": intervals are wider, as those of one who looks again and again\n");
  }

  /// Empty: nothing speaks against the intervals.
  [[nodiscard]] std::string DoubtNote() const {
    const bool doubts = std::any_of(rows_.begin(), rows_.end(),
                                    [](const Json& row) { return row.contains("doubt"); });
    if (!doubts) return "";
    return "DOUBT: the interval may not hold the mean, as values are like the one before them "
           "(correlated), of two kinds (clusters), or differ at first (warm-up, which `until` "
           "leaves "
           "out)\n";
  }

  /// Empty: no two ran at once.
  [[nodiscard]] std::string OverlapNote() const {
    const std::uint64_t jobs = counts_.value("overlapped", std::uint64_t{0});
    if (jobs == 0) return "";
    return absl::StrCat(jobs, " overlapped with up to ", most_overlaps_,
                        most_overlaps_ == 1 ? " other job" : " other jobs",
                        " of the run: they may have measured each other\n");
  }

  /// Where it was measured, if it was on one machine, and what was not applied there.
  [[nodiscard]] std::string PlaceNote() const {
    const std::string machine = LabelOf(run_, kLocalLabel);
    const std::string not_applied = LabelOf(run_, kNotAppliedLabel);
    if (machine.empty() && not_applied.empty()) return "";
    return absl::StrCat("measured on one machine", machine.empty() ? "" : ", ", machine,
                        not_applied.empty() ? "" : "; not applied there: ", not_applied, "\n");
  }

  const v1::Run& run_;
  const show::Form form_;
  const Json common_;
  Json rows_ = Json::array();
  Json counts_ = Json::object();
  std::uint64_t most_overlaps_ = 0;
  std::vector<std::string> fields_;
};

/// Gives all that was measured to `printer`.
template <typename Printer>
Status Feed(RunSource& source, const v1::RunResultsRequest& request, Printer printer) {
  const Status status = source.Results(request, [&](const v1::RunResultsReply& reply) {
    for (const v1::PermutationResult& each : reply.permutations()) printer.Add(each);
  });
  printer.Finish(status.ok());
  return status;
}

// ---- the command

struct ResultsOptions {
  v1::RunResultsRequest request;
  results::StoreOptions store;
  bool json = false;
  bool csv = false;
};

show::Form FormOf(const ResultsOptions& options, const Globals& globals) {
  if (options.json) return show::Form::kJson;
  const bool lines = options.csv || (options.request.jobs() && !globals.json());
  return lines ? show::Form::kCsv : globals.form;
}

Status Results(const ResultsOptions& options, const Globals& globals) {
  const auto source = OpenRuns(globals, options.store);
  if (!source.ok()) return source.status();
  const std::string& asked = options.request.id();
  const auto run = ResolveRun(**source, asked.empty() ? "@last" : asked);
  if (!run.ok()) return run.status();
  const show::Form form = FormOf(options, globals);
  if (asked.empty() && (form == show::Form::kText || form == show::Form::kMarkdown)) {
    std::cout << show::Beneath(form, absl::StrCat("run ", *run, "\n"));
  }
  v1::RunResultsRequest request = options.request;
  request.set_id(*run);
  return PrintResults(**source, request, form);
}

}  // namespace

Status PrintResults(RunSource& source, const v1::RunResultsRequest& request, show::Form form) {
  v1::GetRunRequest get;
  get.set_id(request.id());
  const auto run = source.Get(get);
  if (!run.ok()) return run.status();
  if (form == show::Form::kJson) return Feed(source, request, JsonPrinter(*run));
  if (form == show::Form::kCsv && request.jobs()) {
    return Feed(source, request, JobCsvPrinter(*run));
  }
  if (request.series()) return Feed(source, request, SeriesTable(*run, form));
  return Feed(source, request, HeadlineTable(*run, form));
}

Action BindResults(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<ResultsOptions>();
  using Request = v1::RunResultsRequest;
  AddField(app, "RUN", options->request, &Request::set_id,
           "Id of the run, as `twofold runs` shows it; the newest one if not given");
  CLI::Option* json = app.add_flag("--json", options->json, "As --output json");
  app.add_flag("--csv", options->csv, "Lines for a spreadsheet, numbers in full")->excludes(json);
  CLI::Option* all =
      AddField(app, "--all", options->request, &Request::set_jobs,
               "Every job with all its measurements; as lines for a spreadsheet, or with --json");
  AddField(app, "--series", options->request, &Request::set_series,
           "What jobs have measured row by row, such as latency by message size: a line for each "
           "permutation and row")
      ->excludes(all);
  DeclareStore(app, options->store);
  return [options, &globals] { return Results(*options, globals); };
}

}  // namespace twofold::cli
