#include "cli/results/result_view.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_replace.h>

#include <algorithm>
#include <cmath>

#include "lib/runs/json.h"
#include "lib/show/table.h"
#include "lib/suite/text.h"

namespace twofold::cli {
namespace {

using suite::NumberText;

// RFC 4180.
std::string Cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

std::string CsvLine(const std::vector<std::string>& cells) {
  return absl::StrJoin(cells, ",",
                       [](std::string* out, const std::string& cell) { *out += Cell(cell); }) +
         "\n";
}

template <typename Dimensions>
std::string Text(const Dimensions& dimensions) {
  return absl::StrJoin(dimensions, " ", [](std::string* out, const v1::Dimension& each) {
    absl::StrAppend(out, each.name(), "=", each.value());
  });
}

/// "size=4194304, size=2097152": where the best was found, most frequent first.
std::string PlacesOf(const v1::MetricResult& metric) {
  return absl::StrJoin(metric.at(), ", ", [](std::string* out, const v1::FoundAt& each) {
    absl::StrAppend(out, Text(each.place()));
  });
}

/// "size=4194304 and elsewhere": the same where there is little room.
std::string MostFrequentPlace(const v1::MetricResult& metric) {
  if (metric.at().empty()) return "";
  return absl::StrCat(Text(metric.at(0).place()), metric.at_size() > 1 ? " and elsewhere" : "");
}

std::string IfKnown(bool known, double value) { return known ? NumberText(value) : ""; }

}  // namespace

std::string Shown(double value) {
  const bool whole = std::trunc(value) == value && std::fabs(value) < 1e15;
  return whole ? absl::StrFormat("%.0f", value) : absl::StrFormat("%.6g", value);
}

std::vector<std::pair<std::string, std::string>> VariedOf(const v1::PermutationResult& result) {
  std::vector<std::pair<std::string, std::string>> varied;
  const runs::Json json = runs::Parsed(result.varied());
  if (!json.is_object()) return varied;
  for (const auto& [name, value] : json.items()) {
    varied.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return varied;
}

std::string TitleOf(const v1::MetricResult& metric) {
  const std::string dimensions = Text(metric.dimensions());
  return dimensions.empty() ? metric.name() : absl::StrCat(metric.name(), " ", dimensions);
}

void ResultTable::Add(const v1::PermutationResult& result) {
  unfinished_ += result.unfinished();
  failed_ += result.failed();
  withdrawn_ += result.withdrawn();
  warm_ups_ += result.warm_ups();
  v1::PermutationResult permutation = result;
  permutation.clear_headlines();
  permutation.clear_jobs();
  for (const v1::MetricResult& metric : result.headlines()) Add(permutation, metric);
  if (result.headlines().empty()) Add(permutation, {});
}

void ResultTable::Add(const v1::PermutationResult& permutation, const v1::MetricResult& metric) {
  lines_.push_back({permutation, metric, VariedOf(permutation)});
  for (const auto& [name, value] : lines_.back().varied) {
    if (std::find(fields_.begin(), fields_.end(), name) == fields_.end()) fields_.push_back(name);
  }
}

std::vector<std::string> ResultTable::CellsOf(const Line& line) const {
  std::vector<std::string> cells = {absl::StrCat(line.permutation.number())};
  for (const std::string& field : fields_) {
    const auto found = std::find_if(line.varied.begin(), line.varied.end(),
                                    [&](const auto& each) { return each.first == field; });
    cells.push_back(found == line.varied.end() ? "" : found->second);
  }
  return cells;
}

Rows ResultTable::rows() const {
  Rows rows(1, {"PERMUTATION"});
  rows[0].insert(rows[0].end(), fields_.begin(), fields_.end());
  for (const char* heading : {"N", "HEADLINE", "MEAN", "+-", "CV %", "UNIT"}) {
    rows[0].emplace_back(heading);
  }
  const bool has_places = std::any_of(lines_.begin(), lines_.end(),
                                      [](const Line& line) { return !line.metric.at().empty(); });
  if (has_places) rows[0].emplace_back("AT");
  rows[0].emplace_back("FAILED");
  for (const Line& line : lines_) {
    auto& cells = rows.emplace_back(CellsOf(line));
    for (std::string& cell : cells) cell = OrDash(cell);
    const v1::MetricResult& metric = line.metric;
    const bool known = metric.n() > 1;
    cells.push_back(absl::StrCat(metric.n() == 0 ? line.permutation.succeeded() : metric.n()));
    cells.push_back(metric.n() == 0 ? "-" : TitleOf(metric));
    cells.push_back(metric.n() == 0 ? "-" : Shown(metric.mean()));
    cells.push_back(known ? absl::StrFormat("%.3g", metric.half_width()) : "-");
    cells.push_back(known ? absl::StrFormat("%.1f", 100 * metric.cv()) : "-");
    cells.push_back(OrDash(metric.unit()));
    if (has_places) cells.push_back(OrDash(MostFrequentPlace(metric)));
    cells.push_back(absl::StrCat(line.permutation.failed()));
  }
  return rows;
}

std::string ResultTable::Csv(const v1::Run& run) const {
  std::vector<std::string> heading = {"run", "permutation"};
  heading.insert(heading.end(), fields_.begin(), fields_.end());
  for (const char* name :
       {"headline", "dimensions", "unit", "better", "n", "failed", "mean", "median", "least",
        "most", "sd", "cv", "lower", "upper", "at", "withdrawn", "not_applied"}) {
    heading.emplace_back(name);
  }
  std::string text = CsvLine(heading);
  for (const Line& line : lines_) {
    const v1::MetricResult& metric = line.metric;
    const bool any = metric.n() > 0;
    const bool known = metric.n() > 1;
    std::vector<std::string> cells = CellsOf(line);
    cells.insert(cells.begin(), run.id());
    for (const std::string& cell :
         {metric.name(), Text(metric.dimensions()), metric.unit(),
          std::string(any ? runs::Word(metric.better()) : ""), absl::StrCat(metric.n()),
          absl::StrCat(line.permutation.failed()), IfKnown(any, metric.mean()),
          IfKnown(any, metric.median()), IfKnown(any, metric.least()), IfKnown(any, metric.most()),
          IfKnown(known, metric.sd()), IfKnown(known, metric.cv()),
          IfKnown(known, metric.mean() - metric.half_width()),
          IfKnown(known, metric.mean() + metric.half_width()), PlacesOf(metric),
          absl::StrCat(line.permutation.withdrawn()), runs::LabelOf(run, runs::kNotApplied)}) {
      cells.push_back(cell);
    }
    text += CsvLine(cells);
  }
  return text;
}

std::string ResultTable::Notes() const {
  std::vector<std::string> notes;
  if (unfinished_ > 0) notes.push_back(absl::StrCat(unfinished_, " jobs have not ended yet"));
  if (failed_ > 0) notes.push_back(absl::StrCat(failed_, " failed and are in no mean"));
  if (withdrawn_ > 0) notes.push_back(absl::StrCat(withdrawn_, " were withdrawn"));
  if (warm_ups_ > 0) notes.push_back(absl::StrCat(warm_ups_, " warm-ups are in none either"));
  if (notes.empty()) return "";
  return absl::StrJoin(notes, "; ") + "\n";
}

std::string PlaceNote(const v1::Run& run) {
  const std::string machine = runs::LabelOf(run, runs::kLocal);
  const std::string not_applied = runs::LabelOf(run, runs::kNotApplied);
  if (machine.empty() && not_applied.empty()) return "";
  return absl::StrCat("measured on one machine", machine.empty() ? "" : ", ", machine,
                      not_applied.empty() ? "" : "; not applied there: ", not_applied, "\n");
}

std::string JobCsvHeading() {
  return "run,permutation,varied,job,name,repetition,warm_up,outcome,measurement,value,unit,better,"
         "headline,dimensions,at,not_applied\n";
}

std::string JobCsvLines(const v1::Run& run, const v1::PermutationResult& result) {
  const std::string not_applied = runs::LabelOf(run, runs::kNotApplied);
  std::string text;
  for (const v1::JobResult& job : result.jobs()) {
    const std::string start =
        CsvLine({run.id(), absl::StrCat(result.number()), result.varied(), absl::StrCat(job.id()),
                 job.place().name(), absl::StrCat(job.place().repetition()),
                 job.place().warm_up() ? "1" : "0", runs::Word(job)});
    const std::string_view line(start.data(), start.size() - 1);
    if (job.measurements().empty()) {
      absl::StrAppend(&text, std::string(line), ",,,,,,,,", CsvLine({not_applied}));
    }
    for (const v1::Measurement& one : job.measurements()) {
      absl::StrAppend(&text, std::string(line), ",",
                      CsvLine({one.name(), NumberText(one.value()), one.unit(),
                               runs::Word(one.better()), one.headline() ? "1" : "0",
                               Text(one.dimensions()), Text(one.at()), not_applied}));
    }
  }
  return text;
}

}  // namespace twofold::cli
