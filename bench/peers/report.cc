#include "bench/peers/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace twofold::bench {
namespace {

// The values of one figure over the runs that measured it, sorted.
std::vector<double> Values(std::span<const Run* const> runs, std::size_t figure) {
  std::vector<double> values;
  for (const Run* run : runs) {
    std::size_t i = 0;
    VisitFigures(run->figures, [&](std::string_view, double value) {
      if (i++ == figure && !std::isnan(value)) values.push_back(value);
    });
  }
  std::ranges::sort(values);
  return values;
}

double Median(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

// Fills one kind of summary: each figure becomes pick(its sorted values).
template <typename Pick>
Figures Each(std::span<const Run* const> runs, Pick pick) {
  Figures figures;
  std::size_t i = 0;
  VisitFigures(figures, [&](std::string_view, double& value) {
    const std::vector<double> values = Values(runs, i++);
    if (!values.empty()) value = pick(values);
  });
  return figures;
}

Summary SummarizeCell(std::span<const Run* const> runs) {
  return {.cell = runs.front()->cell,
          .runs = static_cast<int>(runs.size()),
          .median = Each(runs, Median),
          .lowest = Each(runs, [](const auto& values) { return values.front(); }),
          .highest = Each(runs, [](const auto& values) { return values.back(); })};
}

// ---- the tables

std::string Number(double value, int digits) {
  if (std::isnan(value)) return "–";
  std::string text = fmt::format("{:.{}f}", value, digits);
  const std::size_t point = std::min(text.find('.'), text.size());
  for (std::size_t i = point; i > 3 && text[i - 4] != '-'; i -= 3) text.insert(i - 3, " ");
  return text;
}

std::string Connections(const Summary& row) { return fmt::format("{0}+{0}", row.cell.connections); }
std::string Outstanding(const Summary& row) { return Number(row.cell.outstanding, 0); }
std::string Payload(const Summary& row) { return Number(row.cell.payload, 0); }
std::string Take(const Summary& row) {
  return row.cell.take > 0 ? std::to_string(row.cell.take) : "–";
}
std::string Rate(const Summary& row) { return Number(row.cell.rate, 0); }
std::string RunTime(const Summary& row) { return Number(row.cell.run_seconds * 1e3, 1); }
std::string Count(const Summary& row) { return Number(row.cell.count, 0); }
std::string Slots(const Summary& row) { return Number(row.cell.slots, 0); }
std::string Runs(const Summary& row) { return std::to_string(row.runs); }
std::string Range(const Summary& row) {
  return Number(row.lowest.jobs_per_s, 0) + "–" + Number(row.highest.jobs_per_s, 0);
}
std::string Valid(const Summary& row) {
  return IsValid(row.median) ? "yes"
                             : "no: " + Number(row.median.late_share * 100, 1) + " % sent late";
}

template <double Figures::*figure, int digits>
std::string Median(const Summary& row) {
  return Number(row.median.*figure, digits);
}

struct Column {
  std::string_view title;
  std::string (*text)(const Summary&);
};

constexpr Column kConnections = {"connections", Connections};
constexpr Column kPayload = {"bytes", Payload};
constexpr Column kTake = {"take", Take};
constexpr Column kRate = {"jobs/s", Median<&Figures::jobs_per_s, 0>};
constexpr Column kRange = {"lowest–highest", Range};
constexpr Column kP50 = {"p50, µs", Median<&Figures::p50_us, 0>};
constexpr Column kP99 = {"p99, µs", Median<&Figures::p99_us, 0>};
constexpr Column kP999 = {"p99.9, µs", Median<&Figures::p999_us, 0>};
constexpr Column kServer = {"server CPU s / 1M", Median<&Figures::server_cpu, 2>};
constexpr Column kGenerator = {"generator CPU s / 1M", Median<&Figures::generator_cpu, 2>};
constexpr Column kReply = {"jobs a reply", Median<&Figures::reply_jobs, 1>};
constexpr Column kForeign = {"foreign CPUs", Median<&Figures::foreign_cpus, 2>};
constexpr Column kRuns = {"runs", Runs};

struct Table {
  TestKind test;
  std::string_view title;
  std::vector<Column> columns;
};

const std::vector<Table>& Tables() {
  static const std::vector<Table> tables = {
      {TestKind::kRoundTrips,
       "Round trips, closed loop",
       {kConnections,
        {"outstanding", Outstanding},
        kPayload,
        kTake,
        kRate,
        kRange,
        kP50,
        kP99,
        kP999,
        kServer,
        kGenerator,
        kReply,
        kForeign,
        kRuns}},
      {TestKind::kOpenLoop,
       "Open loop, jobs end one by one",
       {kConnections,
        kPayload,
        kTake,
        {"planned jobs/s", Rate},
        {"mean run time, ms", RunTime},
        kRate,
        kP50,
        kP99,
        kP999,
        kServer,
        kGenerator,
        kReply,
        kForeign,
        kRuns,
        {"valid", Valid}}},
      {TestKind::kEnqueue,
       "Enqueue without a worker",
       {{"jobs", Count},
        kPayload,
        kRate,
        kRange,
        kServer,
        {"resident bytes a job", Median<&Figures::job_bytes, 0>},
        kForeign,
        kRuns}},
      {TestKind::kIdle,
       "Idle workers",
       {{"workers", Count},
        {"workers a connection", Slots},
        {"resident KiB a worker", Median<&Figures::worker_kib, 2>},
        {"server CPU, cores", Median<&Figures::idle_cpu, 4>},
        kRuns}},
  };
  return tables;
}

std::string ToMarkdown(const Table& table, std::span<const Summary> summaries) {
  std::string head = "| peer |";
  std::string rule = "|---|";
  for (const Column& column : table.columns) {
    head += fmt::format(" {} |", column.title);
    rule += "---:|";
  }
  std::string rows;
  for (const Summary& summary : summaries) {
    if (summary.cell.test != table.test) continue;
    rows += fmt::format("| {} |", summary.cell.peer);
    for (const Column& column : table.columns) rows += fmt::format(" {} |", column.text(summary));
    rows += '\n';
  }
  if (rows.empty()) return {};
  return fmt::format("### {}\n\n{}\n{}\n{}\n", table.title, head, rule, rows);
}

}  // namespace

std::vector<Summary> Summarize(std::span<const Run> runs) {
  std::vector<std::vector<const Run*>> groups;
  for (const Run& run : runs) {
    const auto same = [&](const auto& group) { return group.front()->cell == run.cell; };
    auto group = std::ranges::find_if(groups, same);
    if (group == groups.end()) group = groups.emplace(groups.end());
    group->push_back(&run);
  }
  std::vector<Summary> summaries;
  for (const auto& group : groups) summaries.push_back(SummarizeCell(group));
  return summaries;
}

std::string ToMarkdown(std::span<const Summary> summaries) {
  std::string text;
  for (const Table& table : Tables()) text += ToMarkdown(table, summaries);
  return text;
}

std::string ToChartCsv(std::span<const Summary> summaries) {
  std::string text = "peer,test,connections,outstanding,payload,take,runs,median,lowest,highest\n";
  for (const Summary& row : summaries) {
    if (std::isnan(row.median.jobs_per_s)) continue;
    text += fmt::format("{},{},{},{},{},{},{},{:.0f},{:.0f},{:.0f}\n", row.cell.peer,
                        ToString(row.cell.test), row.cell.connections, row.cell.outstanding,
                        row.cell.payload, row.cell.take, row.runs, row.median.jobs_per_s,
                        row.lowest.jobs_per_s, row.highest.jobs_per_s);
  }
  return text;
}

}  // namespace twofold::bench
