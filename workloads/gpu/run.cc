#include "workloads/gpu/run.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "lib/suite/latencies.h"
#include "suites/gpu/gpu.h"
#include "workloads/gpu/works.h"

namespace twofold::gpu {
namespace {

using v1::suites::GpuPart;
using v1::suites::GpuReport;
using v1::suites::GpuSpec;
using Works = std::vector<std::unique_ptr<Work>>;
using Queues = std::vector<std::unique_ptr<Queue>>;

// Kinds that run by turns, so many iterations of each.
struct Mix {
  std::vector<std::string> kinds;
  std::vector<std::uint32_t> shares;
};

Mix MixOf(const GpuSpec& spec) {
  if (spec.work() != "mixed") return {{spec.work()}, {1}};
  const std::pair<const char*, std::uint32_t> all[] = {{"compute", spec.compute_share()},
                                                       {"memory", spec.memory_share()},
                                                       {"transfer", spec.transfer_share()},
                                                       {"launch", spec.launch_share()}};
  Mix mix;
  for (const auto& [kind, share] : all) {
    if (share == 0) continue;
    mix.kinds.emplace_back(kind);
    mix.shares.push_back(share);
  }
  return mix;
}

Result<Queues> MakeQueues(Device& device, std::uint32_t count) {
  Queues queues;
  for (std::uint32_t i = 0; i < count; ++i) {
    auto queue = device.MakeQueue();
    if (!queue.ok()) return queue.status();
    queues.push_back(*std::move(queue));
  }
  return queues;
}

// Runs the parts of one size, and adds them to the report.
class SizeRun {
 public:
  SizeRun(const GpuSpec& spec, Device& device, const Queues& queues, const Clock& clock,
          const Observer& measuring)
      : spec_(spec),
        device_(device),
        queues_(queues),
        clock_(clock),
        measuring_(measuring),
        mix_(MixOf(spec)) {}

  Status Run(std::uint64_t size, GpuReport& report) {
    for (const std::string& kind : mix_.kinds) {
      auto work = MakeWork(kind, spec_, size, device_, *queues_.front());
      if (!work.ok()) return work.status();
      works_.push_back(*std::move(work));
    }
    if (Status status = WarmUp(); !status.ok()) return status;
    measuring_(true);
    const auto tallies = Measure(works_, Sequence(mix_.shares), queues_, LimitOf(spec_), clock_);
    measuring_(false);
    if (!tallies.ok()) return tallies.status();
    for (std::size_t i = 0; i < works_.size(); ++i) {
      if (tallies->at(i).iterations == 0) continue;
      Status status = AddPart(*works_[i], tallies->at(i), report);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  static Limit LimitOf(const GpuSpec& spec) {
    return {spec.iterations(), FromSeconds(spec.seconds())};
  }

  // Each kind on each queue at least once, even without warm-up: the first use of a kernel compiles
  // it. What every queue has left can then be compared, however short the measurement is.
  Status WarmUp() {
    const std::uint64_t each = std::max<std::uint64_t>(spec_.warmup(), 1);
    for (std::size_t i = 0; i < works_.size(); ++i) {
      const auto tallies = Measure(std::span(works_).subspan(i, 1), Sequence({1}), queues_,
                                   {each * queues_.size(), {}}, clock_);
      if (!tallies.ok()) return tallies.status();
    }
    return absl::OkStatus();
  }

  Status AddPart(Work& work, const Tally& tally, GpuReport& report) {
    GpuPart& part = *report.add_parts();
    work.Describe(part);
    part.set_iterations(tally.iterations);
    *part.mutable_times() = suite::ToMessage(tally.times);
    // Of a mixture, the time that its own iterations took.
    const bool alone = works_.size() == 1;
    part.set_span_s(ToSeconds(alone ? tally.last_end - tally.first_start : tally.times.Sum()));
    report.set_device_time_s(report.device_time_s() + part.span_s());
    if (alone && part.launches() > 0) {
      const auto latencies = MeasureLatency(*queues_.front(), LimitOf(spec_), clock_);
      if (!latencies.ok()) return latencies.status();
      *part.mutable_latencies() = suite::ToMessage(*latencies);
    }
    if (!spec_.validate()) return absl::OkStatus();
    const auto compared = work.Check(*queues_.front());
    if (compared.ok()) part.set_compared(*compared);
    return compared.status();
  }

  const GpuSpec& spec_;
  Device& device_;
  const Queues& queues_;
  const Clock& clock_;
  const Observer& measuring_;
  const Mix mix_;
  Works works_;
};

}  // namespace

Result<GpuReport> RunSpec(const GpuSpec& spec, Device& device, const Clock& clock,
                          const Observer& measuring) {
  GpuReport report;
  *report.mutable_device() = device.info();
  report.set_streams(spec.streams());
  report.set_warmup(spec.warmup());
  const auto queues = MakeQueues(device, spec.streams());
  if (!queues.ok()) return queues.status();
  const bool sized = spec.work() != "compute" && spec.work() != "launch";
  for (const std::uint64_t size : sized ? suite::gpu::Sizes(spec) : std::vector<std::uint64_t>{0}) {
    Status status = SizeRun(spec, device, *queues, clock, measuring).Run(size, report);
    if (!status.ok()) return status;
  }
  return report;
}

}  // namespace twofold::gpu
