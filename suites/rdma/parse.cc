#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/suite/document.h"
#include "lib/suite/plausible.h"
#include "lib/suite/text.h"
#include "suites/rdma/rdma.h"

namespace twofold::suite::rdma {
namespace {

using enum Better;

// A heading of the table, and by what its numbers are multiplied.
struct Word {
  Heading heading;
  double factor = 1;
};

// The tools' MB are 2^20 bytes; since 23.01 they say so. A peak is that of one message, the average
// of all: what counts is the average.
constexpr Word kBandwidthWords[] = {
    {{"#bytes", "size", "B", kNone, false}},
    {{"#iterations", "iterations", "", kNone, false}},
    {{"BW peak[Gb/sec]", "best_bandwidth", "Gbit/s", kHigher, false}},
    {{"BW average[Gb/sec]", "bandwidth", "Gbit/s", kHigher, true}},
    {{"BW peak[MB/sec]", "best_bandwidth", "MiB/s", kHigher, false}},
    {{"BW average[MB/sec]", "bandwidth", "MiB/s", kHigher, true}},
    {{"BW peak[MiB/sec]", "best_bandwidth", "MiB/s", kHigher, false}},
    {{"BW average[MiB/sec]", "bandwidth", "MiB/s", kHigher, true}},
    {{"MsgRate[Mpps]", "message_rate", "1/s", kHigher, true}, 1e6},
    {{"CPU_Util[%]", "cpu", "%", kLower, false}},
};
constexpr Word kLatencyWords[] = {
    {{"#bytes", "size", "B", kNone, false}},
    {{"#iterations", "iterations", "", kNone, false}},
    {{"t_min[usec]", "latency_min", "us", kLower, false}},
    {{"t_max[usec]", "latency_max", "us", kLower, false}},
    {{"t_typical[usec]", "latency_p50", "us", kLower, false}},
    {{"t_avg[usec]", "latency", "us", kLower, true}},
    {{"t_stdev[usec]", "latency_stdev", "us", kLower, false}},
    {{"99% percentile[usec]", "latency_p99", "us", kLower, true}},
    {{"99.9% percentile[usec]", "latency_p99_9", "us", kLower, false}},
    {{"tps average", "transaction_rate", "1/s", kHigher, false}},
    {{"CPU_Util[%]", "cpu", "%", kLower, false}},
};
using WordList = std::span<const Word>;

// Which of the words stands at the beginning of `line`; null: none.
const Word* WordAt(std::string_view line, WordList words) {
  const auto found = std::find_if(words.begin(), words.end(), [&](const Word& word) {
    return line.starts_with(word.heading.text);
  });
  return found == words.end() ? nullptr : &*found;
}

// All words of a heading, which have blanks in them; empty: one is not known.
std::vector<Word> ReadHeading(std::string_view line, WordList words) {
  std::vector<Word> columns;
  for (line = Strip(line); !line.empty(); line = Strip(line)) {
    const Word* word = WordAt(line, words);
    if (word == nullptr) return {};
    columns.push_back(*word);
    line.remove_prefix(word->heading.text.size());
  }
  return columns;
}

std::optional<std::vector<double>> ReadRow(std::string_view line,
                                           const std::vector<Word>& columns) {
  const auto words = Words(line);
  if (words.size() != columns.size()) return std::nullopt;
  std::vector<double> row;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto number = ToCell(words[i]);
    if (!number) return std::nullopt;
    row.push_back(*number * columns[i].factor);
  }
  return row;
}

// What a client has printed.
struct Report {
  SizeTable table;
  Dimensions facts;    // of the link, before the table
  bool whole = false;  // the line after the table is there
  bool sides = false;  // those of each side follow
  Skipped skipped;     // warnings between rows
};

// " Link type       : Ethernet"
std::optional<std::string_view> FactIn(std::string_view line, std::string_view name) {
  const std::size_t found = line.find(name);
  if (found == std::string_view::npos) return std::nullopt;
  const auto words = Words(line.substr(found + name.size()));
  if (words.size() < 2 || words[0] != ":") return std::nullopt;
  return words[1];
}

// A setting that the header says, without which two numbers cannot be compared. Not the device:
// to compare devices is what people measure for.
struct Setting {
  std::string_view name;
  const char* dimension;
  std::string_view usual = {};  // with this it is not said: most runs have it
};
constexpr Setting kSettings[] = {{"Connection type", "connection"},
                                 {"Link type", "link"},
                                 {"Transport type", "transport", "IB"},
                                 {"Dual-port", "dual_port", "OFF"},
                                 {"Number of qps", "qps"},
                                 {"Using SRQ", "srq", "OFF"},
                                 {"Using DDP", "ddp", "OFF"},
                                 {"TX depth", "tx_depth"},
                                 {"RX depth", "rx_depth"},
                                 {"Post List", "post_list"},
                                 {"CQ Moderation", "cq_moderation"},
                                 {"CQE Poll Batch", "cqe_poll_batch"},
                                 {"Mtu", "mtu"},
                                 {"Max inline data", "inline"},
                                 {"Outstand reads", "outstanding_reads"}};

void AddFact(const char* dimension, std::string value, Dimensions& facts) {
  const bool known = std::any_of(facts.begin(), facts.end(),
                                 [&](const Dimension& each) { return each.first == dimension; });
  if (!known) facts.emplace_back(dimension, std::move(value));
}

// "4096[B]", and of old versions "4096B", without the unit.
std::string_view WithoutUnit(std::string_view value) {
  std::string_view unit = value;
  const bool has_unit = TakeNumber(unit) && (unit == "[B]" || unit == "B");
  return has_unit ? value.substr(0, value.size() - unit.size()) : value;
}

void ReadFacts(std::string_view line, Dimensions& facts) {
  for (const Setting& setting : kSettings) {
    const auto value = FactIn(line, setting.name);
    if (!value || *value == setting.usual) continue;
    AddFact(setting.dimension, std::string(WithoutUnit(*value)), facts);
  }
  if (Strip(line).starts_with("Test with events")) AddFact("events", "ON", facts);
  // "allocated GPU buffer address at 7f..."
  if (line.find("GPU buffer") != line.npos) AddFact("memory", "GPU", facts);
}

// "RDMA_Write Bidirectional BW Test", "Send BW Multicast Test" above the facts.
bool IsTitle(std::string_view line) {
  line = Strip(line);
  return line.ends_with(" Test") &&
         (line.find(" BW ") != line.npos || line.find(" Latency ") != line.npos);
}

void ReadTitle(std::string_view line, Dimensions& facts) {
  constexpr std::pair<std::string_view, const char*> kOperations[] = {
      {"RDMA_Read", "read"},
      {"RDMA_Write", "write"},
      {"Send", "send"},
      {"Atomic CMP_AND_SWAP", "compare-and-swap"},
      {"Atomic FETCH_AND_ADD", "fetch-and-add"},
      {"Atomic", "atomic"}};
  for (const auto& [word, operation] : kOperations) {
    if (!Strip(line).starts_with(word)) continue;
    facts.emplace_back("operation", operation);
    break;
  }
  for (const char* kind : {"Multicast", "forwarding"}) {
    if (line.find(kind) != line.npos) facts.emplace_back("kind", kind);
  }
  if (line.find(" BW ") == line.npos) return;
  const bool both = line.find("Bidirectional") != std::string_view::npos;
  facts.emplace_back("direction", both ? "bidirectional" : "unidirectional");
}

// Above the tables of --report-both: that before them is of both directions together.
constexpr std::string_view kSides[] = {"Local results:", "Remote results:"};

// Of any table: size, iterations, and what was measured.
bool IsRow(std::string_view line) {
  constexpr std::size_t kLeastColumns = 4;
  const auto words = Words(line);
  return words.size() >= kLeastColumns &&
         std::all_of(words.begin(), words.end(),
                     [](std::string_view word) { return ToCell(word).has_value(); });
}

class Reader {
 public:
  explicit Reader(WordList words) : words_(words) {}

  // Errors   kDataLoss.
  Result<Report> Read(const std::string& stage, std::string_view text) {
    for (const std::string_view line : Lines(text)) {
      if (IsOneOf(Strip(line), kSides)) {
        if (!report_.whole) return Unreadable(stage, "the table of both sides together is missing");
        report_.sides = true;
      }
      if (report_.whole) continue;
      if (!ReadLine(line)) return Unreadable(stage, absl::StrCat("not understood: ", Quoted(line)));
    }
    return std::move(report_);
  }

 private:
  bool ReadLine(std::string_view line) {
    if (Strip(line).starts_with("#bytes")) {
      columns_ = ReadHeading(line, words_);
      for (const Word& word : columns_) report_.table.columns.push_back(word.heading.ToColumn());
      return !columns_.empty();
    }
    if (columns_.empty()) {
      if (IsTitle(line)) ReadTitle(line, report_.facts);
      ReadFacts(line, report_.facts);
      return true;
    }
    if (line.starts_with("---")) return report_.whole = true;
    // Warnings stand between rows.
    const std::string_view text = Strip(line);
    if (text.empty() || text[0] < '0' || text[0] > '9') {
      if (!text.empty()) report_.skipped.Add(text);
      return true;
    }
    auto row = ReadRow(line, columns_);
    if (!row) return false;
    report_.table.rows.push_back(*std::move(row));
    return true;
  }

  const WordList words_;
  std::vector<Word> columns_;
  Report report_;
};

// ---- Failures

constexpr std::string_view kReasons[] = {
    "Did not detect devices",
    "Unable to find the Infiniband",
    "Couldn't connect",
    "Unexpected CM event",
    "unexpected CM event",
    "ADDR_ERROR",
    "Completion with error",
    "Failed status",
    "Couldn't",
    "Unable to",
    "Failed to",
    "isn't supported",
    "not supported",
    "Invalid",
    "invalid option",
    "unrecognized option",
    "Conflicting",
};

// Words that a header has, too.
constexpr std::string_view kReasonsOfErr[] = {"IB device", "rdma_"};

// Known words of either; a log has both in one.
std::string WordsOf(const StageOutput& stage) {
  for (const std::string_view said :
       {LineWith(stage.err, kReasons), LineWith(stage.err, kReasonsOfErr),
        LineWith(stage.out, kReasons)}) {
    if (!said.empty()) return std::string(Strip(said));
  }
  return {};
}

std::string ReasonOf(const StageOutput& stage) {
  std::string words = WordsOf(stage);
  const auto lines = Lines(stage.err);
  return words.empty() && !lines.empty() ? std::string(Strip(lines.back())) : words;
}

Status CheckEnd(const std::string& name, const StageOutput& stage) {
  const std::string end = BadEnd(stage);
  if (end.empty()) return absl::OkStatus();
  const std::string reason = ReasonOf(stage);
  return ToolFailed(name, reason.empty() ? end : absl::StrCat(reason, " (", end, ")"));
}

Status CheckWhole(const std::string& name, const StageOutput& stage, const Report& report) {
  if (report.whole && !report.table.rows.empty()) return absl::OkStatus();
  if (report.table.columns.empty()) {
    const std::string reason = ReasonOf(stage);
    return Unreadable(name, reason.empty() ? "no table of perftest" : reason);
  }
  const char* what = report.table.rows.empty() ? "a table without rows" : "the table is cut off";
  const std::string words = WordsOf(stage);
  return Unreadable(name, words.empty() ? what : absl::StrCat(what, ": ", words));
}

// What a spec asks for, and a report says of itself.
struct Asked {
  std::string operation;
  std::string direction;
  std::uint32_t size = 0;  // 0: all
  bool datagrams = false;
};

template <typename Spec>
Asked AskedBy(const Spec& spec) {
  const auto has = [&](std::string_view word) {
    const auto& words = spec.extra_args();
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  return {.operation = spec.mode(),
          .direction = has("-b") || has("--bidirectional") ? "bidirectional" : "unidirectional",
          .size = spec.message_size(),
          .datagrams = has("UD") || has("--connection=UD")};
}

// One row of the size that was asked for, or one for each power of two from 2 to 2^23; datagrams
// end at the MTU.
std::string OtherSizes(const Asked& asked, const SizeTable& table) {
  constexpr std::size_t kAllSizes = 23;
  const std::size_t rows = table.rows.size();
  if (asked.size == 0) {
    const bool all = rows == kAllSizes || (asked.datagrams && rows < kAllSizes);
    return all ? "" : absl::StrCat(rows, " of ", kAllSizes, " sizes");
  }
  if (rows == 1 && table.rows[0][0] == asked.size) return {};
  return absl::StrCat("it is not of ", asked.size, " B alone");
}

// How a report is not that of what was asked for; empty: it is.
std::string Otherwise(const Asked& asked, const Report& report) {
  for (const auto& [name, wanted] :
       {std::pair<std::string_view, const std::string&>{"operation", asked.operation},
        {"direction", asked.direction}}) {
    for (const auto& [fact, is] : report.facts) {
      if (fact == name && is != wanted) {
        return absl::StrCat("its ", fact, " is ", is, ", not ", wanted);
      }
    }
  }
  return OtherSizes(asked, report.table);
}

TableColumn* ColumnOf(SizeTable& table, std::string_view name) {
  for (TableColumn& each : table.columns) {
    if (each.column.name == name) return &each;
  }
  return nullptr;
}

// Headings say MB of 2^20 bytes; rows that have a rate of messages prove what it is.
void ProveUnits(SizeTable& table) {
  TableColumn* average = ColumnOf(table, "bandwidth");
  const TableColumn* messages = ColumnOf(table, "message_rate");
  if (average == nullptr || messages == nullptr || average->column.unit != "MiB/s") return;
  std::vector<TimedRate> rates;
  for (const auto& row : table.rows) {
    const double rate = row[static_cast<std::size_t>(messages - table.columns.data())];
    if (!(rate > 0)) continue;  // nan, too
    const double megas = row[static_cast<std::size_t>(average - table.columns.data())];
    if (std::isfinite(megas)) {
      rates.push_back({.bytes = row[0], .seconds = 1 / rate, .megas = megas});
    }
  }
  const std::string unit(ProvenMega(rates));
  if (unit.empty()) return;
  average->column.unit = unit;
  if (TableColumn* peak = ColumnOf(table, "best_bandwidth")) peak->column.unit = unit;
}

// With -D there is no peak, which then is 0 in all rows: what is not measured is missing.
void DropUnmeasured(SizeTable& table) {
  for (std::size_t i = table.columns.size(); i-- > 0;) {
    const bool measured = table.columns[i].column.name != "best_bandwidth" ||
                          std::any_of(table.rows.begin(), table.rows.end(),
                                      [&](const auto& row) { return row[i] != 0; });
    if (measured) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    table.columns.erase(table.columns.begin() + at);
    for (auto& row : table.rows) row.erase(row.begin() + at);
  }
}

// What the suites differ in.
struct Kind {
  WordList words;
  const char* series;
  Result<Asked> (*asked)(const std::string& spec);
};

Result<Measurements> ReadClient(const StageOutput& stage, const Kind& kind,
                                const std::string& spec) {
  const std::string name = StageName(stage, "client");
  Status status = CheckEnd(name, stage);
  if (!status.ok()) return status;
  auto report = Reader(kind.words).Read(name, stage.out);
  if (!report.ok()) return report.status();
  status = CheckWhole(name, stage, *report);
  if (!status.ok()) return status;
  if (!spec.empty()) {
    const auto asked = kind.asked(spec);
    if (!asked.ok()) return asked.status();
    const std::string otherwise = Otherwise(*asked, *report);
    if (!otherwise.empty()) return Unreadable(name, otherwise);
  }
  Measurements result;
  DropUnmeasured(report->table);
  ProveUnits(report->table);
  report->skipped.SayIn(result.notes);
  if (report->sides) {
    result.notes.emplace_back(
        "tables of each side (--report-both) skipped: it is of both together");
  }
  if (std::none_of(report->facts.begin(), report->facts.end(),
                   [](const Dimension& fact) { return fact.first == "operation"; })) {
    result.notes.emplace_back(
        "perftest's title is missing: nothing tells whether these are reads, writes or sends");
  }
  AddTable(kind.series, report->table, report->facts, Empty::kDoesNotCount, result);
  return result;
}

// The client's table is the result; the server's words are for when it failed.
Result<Measurements> Parse(const Outputs& outputs, const Kind& kind) {
  Status server;
  const StageOutput* client = nullptr;
  for (const StageOutput& stage : outputs.stages) {
    if (stage.stage == "server") {
      server = CheckEnd("server", stage);
    } else if (client == nullptr) {
      client = &stage;
    } else {
      return Unreadable("client", "outputs of several clients: one of them is a run");
    }
  }
  if (client == nullptr) {
    return server.ok() ? Unreadable("client", "it has not run") : server;
  }
  return ReadClient(*client, kind, outputs.spec);
}

// By Read...Spec.
template <auto read>
Result<Asked> AskedIn(const std::string& json) {
  const auto spec = read(json);
  if (!spec.ok()) return spec.status();
  return AskedBy(*spec);
}

}  // namespace

std::vector<std::size_t> Runs(std::string_view output) {
  bool of_side = false;   // a table of --report-both is next, or goes on
  bool in_table = false;  // of a side
  return RunsBy(SignsOfLines(output, [&](std::string_view line) {
    if (IsTitle(line)) return Sign::kBegins;
    const bool is_heading = Strip(line).starts_with("#bytes");
    const bool is_rule = line.starts_with("---");
    if (IsOneOf(Strip(line), kSides)) of_side = true;
    if (of_side) {
      if (std::exchange(in_table, is_heading || (in_table && !is_rule)) && is_rule) of_side = false;
      return Sign::kNone;
    }
    if (is_rule) return Sign::kEnds;
    return is_heading || IsRow(line) ? Sign::kResult : Sign::kNone;
  }));
}

Result<Measurements> ParseBandwidth(const Outputs& outputs) {
  return Parse(outputs, {kBandwidthWords, "bandwidth", &AskedIn<&ReadBandwidthSpec>});
}

Result<Measurements> ParseLatency(const Outputs& outputs) {
  return Parse(outputs, {kLatencyWords, "latency", &AskedIn<&ReadLatencySpec>});
}

}  // namespace twofold::suite::rdma
