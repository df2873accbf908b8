#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/common/counted.h"
#include "lib/stats/histogram.h"
#include "lib/suite/document.h"
#include "lib/suite/json.h"
#include "lib/suite/latencies.h"
#include "lib/suite/spec.h"
#include "lib/suite/text.h"
#include "suites/pytorch/pytorch.h"
#include "suites/pytorch/report.pb.h"

namespace twofold::suite::pytorch {
namespace {

using Report = v1::suites::PyTorchReport;
using Spec = v1::suites::PyTorchSpec;
using Times = google::protobuf::RepeatedField<std::uint64_t>;
using Settings = google::protobuf::Map<std::string, std::string>;

constexpr const char* kBatchSize = "inputBatchSize";
constexpr double kMi = 1024.0 * 1024.0;
constexpr double kSecond = 1e9;  // in ns

// A rank that was stopped, or noticed that another one had gone, is not the one to blame.
enum class Blame : std::uint8_t { kOwn, kStopped, kPeer };

struct Rank {
  Status status;
  Blame blame = Blame::kOwn;
  Report report;
};

bool IsWhole(const Report& report) {
  return !report.torch().empty() && !report.unit().empty() && report.items_per_batch() > 0 &&
         report.batch_ns_size() > 0 && report.wall_ns() > 0 && report.first_ns() > 0 &&
         report.peak_bytes() > 0;
}

// Batches are parts of the time of all.
Status CheckTimes(const std::string& stage, const Report& report) {
  constexpr double kClocks = 1.01;
  const double sum = std::accumulate(report.batch_ns().begin(), report.batch_ns().end(), 0.0);
  const bool some_took_none =
      std::find(report.batch_ns().begin(), report.batch_ns().end(), 0U) != report.batch_ns().end();
  if (some_took_none) return Unreadable(stage, "a batch that took no time");
  if (sum <= static_cast<double>(report.wall_ns()) * kClocks) return absl::OkStatus();
  return Unreadable(stage, absl::StrCat("batches of ", sum / kSecond, " s in a run of ",
                                        static_cast<double>(report.wall_ns()) / kSecond, " s"));
}

// Without JSON: how Python ended, or what it said last.
std::string WhyNothing(const StageOutput& output) {
  const std::string text = absl::StrCat(output.out, "\n", output.err);
  if (const auto exception = Exception(text)) return std::string(*exception);
  if (std::string end = BadEnd(output); !end.empty()) return end;
  return {};
}

// A report that is JSON, and why it is not believed, if so.
Rank ReadReport(const std::string& stage, const Json& json, const std::string& end) {
  Rank rank;
  if (const Status status = ReadJson(json.dump(), rank.report); !status.ok()) {
    rank.status = Unreadable(stage, std::string(status.message()));
  } else if (!rank.report.error().empty()) {
    if (rank.report.peer_is_gone()) rank.blame = Blame::kPeer;
    rank.status = ToolFailed(stage, rank.report.error());
  } else if (!end.empty()) {
    rank.status = ToolFailed(stage, end);
  } else if (!IsWhole(rank.report)) {
    rank.status = Unreadable(stage, "its report has no times");
  } else {
    rank.status = CheckTimes(stage, rank.report);
  }
  return rank;
}

// The reports in an output: one of a worker, several of a log that has all workers of a gang.
std::vector<Rank> ReadRanks(const std::string& stage, const StageOutput& output) {
  const std::string end = BadEnd(output);
  std::vector<Rank> ranks;
  const auto documents = FindDocuments(stage, output.out);
  if (documents.ok()) {
    for (const Document& document : *documents) {
      ranks.push_back(ReadReport(stage, document.json, end));
    }
  } else {
    Rank& rank = ranks.emplace_back();
    const std::string why = WhyNothing(output);
    rank.status = why.empty() ? documents.status() : ToolFailed(stage, why);
  }
  for (Rank& rank : ranks) {
    if (output.signal == 15) rank.blame = Blame::kStopped;
  }
  return ranks;
}

// The failure that explains the others; OK: there is none.
Status Worst(const std::vector<Rank>& ranks) {
  const Rank* worst = nullptr;
  for (const Rank& rank : ranks) {
    if (!rank.status.ok() && (worst == nullptr || rank.blame < worst->blame)) worst = &rank;
  }
  return worst == nullptr ? absl::OkStatus() : worst->status;
}

double MeanOf(const Times& times) {
  return std::accumulate(times.begin(), times.end(), 0.0) / std::max(1, times.size());
}

// Fields of the spec that differ from their defaults, and the size of a batch in any case.
void AddSettings(const Report& report, Dimensions& what) {
  const Settings& settings = report.settings();
  for (int i = 0; i < Spec::descriptor()->field_count(); ++i) {
    const auto& field = *Spec::descriptor()->field(i);
    const auto found = settings.find(field.json_name());
    if (found == settings.end()) continue;
    const bool is_usual = found->second == DefaultText(field) && field.json_name() != kBatchSize;
    if (!is_usual) what.emplace_back(field.json_name(), Quoted(found->second));
  }
  // Of text an item is a token, and a batch has many of them.
  if (!settings.contains(kBatchSize) && report.unit() == "images") {
    what.emplace_back(kBatchSize, absl::StrCat(report.items_per_batch()));
  }
}

// What makes the times of two runs incomparable.
Dimensions What(const Report& report) {
  Dimensions what;
  if (!report.model().empty()) what.emplace_back("model", report.model());
  if (!report.benchmark_type().empty()) what.emplace_back("benchmark", report.benchmark_type());
  AddSettings(report, what);
  if (report.num_workers() > 0) {
    what.emplace_back("numWorkers", absl::StrCat(report.num_workers()));
  }
  return what;
}

class Writer {
 public:
  explicit Writer(const std::vector<Rank>& ranks) : ranks_(ranks), what_(What(ranks[0].report)) {}

  Measurements Write() && {
    const Report& first = ranks_[0].report;
    result_.tool = Tool(first);
    WriteTotal(first);
    AddLatencies("batch_time", Together(&Report::batch_ns), what_, true, result_);
    AddLatencies("device_time", Together(&Report::device_ns), what_, false, result_);
    if (first.has_parameters()) {
      Add("parameters", static_cast<double>(first.parameters()), "", Better::kNone);
    }
    for (const Rank& rank : ranks_) WriteRank(rank.report);
    return std::move(result_);
  }

 private:
  static std::string Tool(const Report& report) {
    std::string tool = absl::StrCat("PyTorch ", report.torch());
    if (!report.torchvision().empty()) {
      absl::StrAppend(&tool, ", torchvision ", report.torchvision());
    }
    return absl::StrCat(tool, " on ", report.device(), " (BLAS: ", report.blas(), ")");
  }

  Measurement& Add(const char* name, double value, std::string unit, Better better,
                   bool headline = false, const Dimensions& worker = {}) {
    Measurement& added = result_.measurements.emplace_back();
    added = {name, value, std::move(unit), better, headline, what_};
    added.dimensions.insert(added.dimensions.end(), worker.begin(), worker.end());
    return added;
  }

  static double Items(const Report& report) {
    return static_cast<double>(report.items_per_batch()) * report.batch_ns_size();
  }

  // All ranks start together, so their items were done in the time of the slowest.
  void WriteTotal(const Report& first) {
    double items = 0;
    double wall_ns = 0;
    for (const Rank& rank : ranks_) {
      items += Items(rank.report);
      wall_ns = std::max(wall_ns, static_cast<double>(rank.report.wall_ns()));
    }
    Add("throughput", items / wall_ns * kSecond, first.unit() + "/s", Better::kHigher, true);
    if (first.alone_ns_size() > 0) {
      Add("communication_share", CommunicationShare(), "%", Better::kLower, true).is_signed = true;
    }
  }

  // How much of a batch is spent waiting for the gradients of others: work that goes on meanwhile
  // does not count. Noise may make it negative.
  [[nodiscard]] double CommunicationShare() const {
    double with = 0;
    double without = 0;
    for (const Rank& rank : ranks_) {
      with += MeanOf(rank.report.batch_ns());
      without += MeanOf(rank.report.alone_ns());
    }
    return 100 * (1 - without / with);
  }

  [[nodiscard]] stats::Histogram Together(const Times& (Report::*times)() const) const {
    stats::Histogram histogram;
    for (const Rank& rank : ranks_) {
      for (const std::uint64_t ns : (rank.report.*times)()) {
        histogram.Record(
            Duration(static_cast<Duration::rep>(std::min<std::uint64_t>(ns, INT64_MAX))));
      }
    }
    return histogram;
  }

  void WriteRank(const Report& report) {
    Dimensions worker;
    if (ranks_.size() > 1) {
      worker = {{"worker", absl::StrCat(report.rank())}};
      Add("throughput", Items(report) / static_cast<double>(report.wall_ns()) * kSecond,
          report.unit() + "/s", Better::kHigher, false, worker);
    }
    WriteStart(report, worker);
    Add("peak_memory", static_cast<double>(report.peak_bytes()) / kMi, "MiB", Better::kLower, false,
        worker);
    if (report.device_peak_bytes() > 0) {
      Add("device_peak_memory", static_cast<double>(report.device_peak_bytes()) / kMi, "MiB",
          Better::kLower, false, worker);
    }
    if (report.has_cpu_ns()) {
      Add("cpus_used", static_cast<double>(report.cpu_ns()) / static_cast<double>(report.wall_ns()),
          "", Better::kNone, false, worker);
    }
    if (report.has_threads()) Add("threads", report.threads(), "", Better::kNone, false, worker);
    if (report.has_first_loss()) {
      Add("first_loss", report.first_loss(), "", Better::kNone, false, worker).is_signed = true;
    }
    if (report.has_last_loss()) {
      Add("last_loss", report.last_loss(), "", Better::kNone, false, worker).is_signed = true;
    }
  }

  // What is done once, before batches count.
  void WriteStart(const Report& report, const Dimensions& worker) {
    const auto add = [&](const char* name, double ns) {
      Add(name, ns / kSecond, "s", Better::kLower, false, worker);
    };
    if (report.has_import_ns()) add("import_time", static_cast<double>(report.import_ns()));
    if (report.has_build_ns()) add("build_time", static_cast<double>(report.build_ns()));
    add("first_batch_time", static_cast<double>(report.first_ns()));
    if (report.warmup_ns_size() > 0) add("warmup_batch_time_mean", MeanOf(report.warmup_ns()));
  }

  const std::vector<Rank>& ranks_;
  const Dimensions what_;
  Measurements result_;
};

// What workers of one run do alike; a device may be another.
bool DoTheSame(const Report& one, const Report& other) {
  return one.unit() == other.unit() && What(one) == What(other);
}

// Whether each worker reported once, and none is missing. A worker that looks at its own output has
// the rank of its report.
Status CheckWorkers(const Outputs& outputs, const std::vector<Rank>& ranks) {
  const auto refused = [](std::string why) { return Unreadable("pytorch", std::move(why)); };
  std::set<std::uint32_t> seen;
  for (const Rank& rank : ranks) {
    if (!DoTheSame(rank.report, ranks[0].report)) {
      return refused(absl::StrCat("workers ", ranks[0].report.rank(), " and ", rank.report.rank(),
                                  " did not run the same: two runs"));
    }
    if (seen.insert(rank.report.rank()).second) continue;
    return refused(absl::StrCat("two reports of worker ", rank.report.rank(), ": two runs"));
  }
  const bool is_own = outputs.stages.size() == 1 && ranks.size() == 1 &&
                      ranks[0].report.rank() == outputs.stages[0].rank;
  const std::uint32_t said = ranks[0].report.num_workers();
  if (is_own && (said <= 1 || outputs.stages[0].exit_code)) return absl::OkStatus();
  const std::size_t workers = std::max<std::size_t>(said, *seen.rbegin() + 1);
  if (workers == ranks.size()) return absl::OkStatus();
  return refused(absl::StrCat("reports of ", ranks.size(), " of ", workers, " workers"));
}

// What makes a run another one than the spec asked for; empty: nothing.
std::string Otherwise(const Spec& spec, const Report& report) {
  const auto differs = [](const char* what, auto is, auto asked) {
    return absl::StrCat(is, " ", what, ", not ", asked);
  };
  if (!report.model().empty() && report.model() != spec.model()) {
    return "the model " + report.model() + ", not " + spec.model();
  }
  std::uint64_t items = spec.input_batch_size();
  if (report.unit() == "tokens") items *= spec.sequence_length();
  if (report.items_per_batch() != items) {
    return differs("items a batch", report.items_per_batch(), items);
  }
  const auto batches = static_cast<std::uint32_t>(report.batch_ns_size());
  if (spec.seconds() == 0 && batches != spec.batches()) {
    return differs("batches", batches, spec.batches());
  }
  if (spec.benchmark_type() == "train" && !report.has_last_loss()) return "training without a loss";
  if (spec.threads() > 0 && report.has_threads() && report.threads() != spec.threads()) {
    return differs("threads", report.threads(), spec.threads());
  }
  return {};
}

Status CheckAsked(const Spec& spec, const std::vector<Rank>& ranks) {
  if (ranks.size() != spec.num_workers()) {
    return Unreadable("pytorch", absl::StrCat("outputs of ", Counted(ranks.size(), "worker"),
                                              ", not of ", spec.num_workers()));
  }
  for (const Rank& rank : ranks) {
    const std::string otherwise = Otherwise(spec, rank.report);
    if (otherwise.empty()) continue;
    return Unreadable("pytorch", absl::StrCat("worker ", rank.report.rank(), ": ", otherwise));
  }
  return absl::OkStatus();
}

// pytorch/benchmark prints no JSON. Of what has printed nothing, a worker knows what it ran.
bool IsTorchbench(const Outputs& outputs) {
  if (outputs.stages.size() != 1 || !JsonLine(outputs.stages[0].out).empty()) return false;
  constexpr std::string_view kOfTorchbench[] = {"milliseconds", "method from",
                                                "Command being timed", "run.py",
                                                "Unable to find model matching"};
  const StageOutput& output = outputs.stages[0];
  return HasAny(output.out, kOfTorchbench) || HasAny(output.err, kOfTorchbench);
}

// The rank in a report; nullopt: it is broken, or says none, as one of a failure.
std::optional<std::int64_t> RankIn(std::string_view text) {
  const auto documents = FindDocuments("pytorch", text);
  if (!documents.ok()) return std::nullopt;
  const Json* rank = Find(documents->front().json, {"rank"});
  if (rank == nullptr || !rank->is_number_integer()) return std::nullopt;
  return rank->get<std::int64_t>();
}

}  // namespace

std::string_view JsonLine(std::string_view out) {
  for (const std::string_view line : Lines(out)) {
    if (line.starts_with('{')) return line;
  }
  return {};
}

std::vector<std::size_t> Runs(std::string_view text) {
  const auto reports = DocumentStarts(text);
  if (reports.empty()) return LinesWhere(text, IsRunning);
  std::vector<std::size_t> starts;
  std::set<std::int64_t> seen;
  for (const std::size_t report : reports) {
    const auto rank = RankIn(text.substr(report));
    const bool again = rank && !seen.insert(*rank).second;
    if (again) seen = {*rank};
    if (again || starts.empty()) starts.push_back(report);
  }
  return starts;
}

Result<Measurements> Parse(const Outputs& outputs) {
  if (outputs.stages.empty()) return Unreadable("pytorch", "no output");
  std::optional<Spec> spec;
  if (!outputs.spec.empty()) {
    auto read = ReadSpec(outputs.spec);
    if (!read.ok()) return read.status();
    spec = *std::move(read);
  }
  if (IsTorchbench(outputs)) return ParseTorchbench(outputs.stages[0], spec ? &*spec : nullptr);
  std::vector<Rank> ranks;
  for (const StageOutput& output : outputs.stages) {
    std::string stage = StageName(output, "pytorch");
    if (outputs.stages.size() > 1) absl::StrAppend(&stage, " of worker ", output.rank);
    for (Rank& rank : ReadRanks(stage, output)) ranks.push_back(std::move(rank));
  }
  Status status = Worst(ranks);
  if (status.ok()) status = spec ? CheckAsked(*spec, ranks) : absl::OkStatus();
  if (status.ok()) status = CheckWorkers(outputs, ranks);
  if (!status.ok()) return status;
  std::sort(ranks.begin(), ranks.end(),
            [](const Rank& a, const Rank& b) { return a.report.rank() < b.report.rank(); });
  return Writer(ranks).Write();
}

}  // namespace twofold::suite::pytorch
