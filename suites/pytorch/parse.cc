#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/stats/histogram.h"
#include "lib/suite/latencies.h"
#include "lib/suite/spec.h"
#include "lib/suite/text.h"
#include "suites/pytorch/pytorch.h"
#include "suites/pytorch/report.pb.h"

namespace twofold::suite::pytorch {
namespace {

using Report = v1::suites::PyTorchReport;
using Times = google::protobuf::RepeatedField<std::uint64_t>;

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

// Without JSON: how Python ended, or what it said last.
std::string WhyNothing(const StageOutput& output) {
  const std::string text = absl::StrCat(output.out, "\n", output.err);
  if (const auto exception = Exception(text)) return std::string(*exception);
  if (std::string end = BadEnd(output); !end.empty()) return end;
  return {};
}

Rank ReadRank(const std::string& stage, const StageOutput& output) {
  Rank rank;
  const std::string_view json = JsonLine(output.out);
  const std::string end = BadEnd(output);
  if (output.signal == 15) rank.blame = Blame::kStopped;
  if (json.empty()) {
    const std::string why = WhyNothing(output);
    rank.status = why.empty() ? Unreadable(stage, "no report") : ToolFailed(stage, why);
  } else if (!ReadJson(json, rank.report).ok()) {
    rank.status = end.empty() ? Unreadable(stage, "its report is cut off or garbled")
                              : ToolFailed(stage, end);
  } else if (!rank.report.error().empty()) {
    if (rank.report.peer_is_gone()) rank.blame = Blame::kPeer;
    rank.status = ToolFailed(stage, rank.report.error());
  } else if (!end.empty()) {
    rank.status = ToolFailed(stage, end);
  } else if (!IsWhole(rank.report)) {
    rank.status = Unreadable(stage, "its report has no times");
  }
  return rank;
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

class Writer {
 public:
  explicit Writer(const std::vector<Rank>& ranks) : ranks_(ranks) {}

  Measurements Write() && {
    const Report& first = ranks_[0].report;
    result_.tool = Tool(first);
    WriteTotal(first);
    AddLatencies("batch_time", Together(&Report::batch_ns), {}, true, result_);
    AddLatencies("device_time", Together(&Report::device_ns), {}, false, result_);
    Add("parameters", static_cast<double>(first.parameters()), "", Better::kNone);
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

  void Add(const char* name, double value, std::string unit, Better better, bool headline = false,
           Dimensions dimensions = {}) {
    result_.measurements.push_back(
        {name, value, std::move(unit), better, headline, std::move(dimensions)});
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
      Add("communication_share", CommunicationShare(), "%", Better::kLower, true);
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
    Add("cpus_used", static_cast<double>(report.cpu_ns()) / static_cast<double>(report.wall_ns()),
        "", Better::kNone, false, worker);
    Add("threads", report.threads(), "", Better::kNone, false, worker);
    if (report.first_loss() != 0) {
      Add("first_loss", report.first_loss(), "", Better::kNone, false, worker);
      Add("last_loss", report.last_loss(), "", Better::kNone, false, worker);
    }
  }

  // What is done once, before batches count.
  void WriteStart(const Report& report, const Dimensions& worker) {
    const auto add = [&](const char* name, double ns) {
      Add(name, ns / kSecond, "s", Better::kLower, false, worker);
    };
    add("import_time", static_cast<double>(report.import_ns()));
    add("build_time", static_cast<double>(report.build_ns()));
    add("first_batch_time", static_cast<double>(report.first_ns()));
    if (report.warmup_ns_size() > 0) add("warmup_batch_time_mean", MeanOf(report.warmup_ns()));
  }

  const std::vector<Rank>& ranks_;
  Measurements result_;
};

Status CheckWorkers(const std::string& json, std::size_t workers) {
  if (json.empty()) return absl::OkStatus();
  const auto spec = ReadSpec(json);
  if (!spec.ok()) return spec.status();
  if (workers == spec->num_workers()) return absl::OkStatus();
  return Unreadable("pytorch",
                    absl::StrCat("outputs of ", workers, " workers, not of ", spec->num_workers()));
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

}  // namespace

std::string_view JsonLine(std::string_view out) {
  for (const std::string_view line : Lines(out)) {
    if (line.starts_with('{')) return line;
  }
  return {};
}

Result<Measurements> Parse(const Outputs& outputs) {
  if (outputs.stages.empty()) return Unreadable("pytorch", "no output");
  if (IsTorchbench(outputs)) return ParseTorchbench(outputs.stages[0]);
  std::vector<Rank> ranks;
  for (const StageOutput& output : outputs.stages) {
    std::string stage = StageName(output, "pytorch");
    if (outputs.stages.size() > 1) absl::StrAppend(&stage, " of worker ", output.rank);
    ranks.push_back(ReadRank(stage, output));
  }
  Status status = Worst(ranks);
  if (status.ok()) status = CheckWorkers(outputs.spec, ranks.size());
  if (!status.ok()) return status;
  return Writer(ranks).Write();
}

}  // namespace twofold::suite::pytorch
