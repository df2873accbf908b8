#include "workloads/gpu/measure.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <utility>

namespace twofold::gpu {
namespace {

constexpr std::size_t kDepth = 2;  // iterations of a queue in flight
constexpr std::uint64_t kMostLatencies = 10000;

// Whether there is to be one more iteration.
class Budget {
 public:
  Budget(const Limit& limit, const Clock& clock)
      : limit_(limit), clock_(clock), end_(clock() + limit.time) {}

  bool Take() {
    const bool more = limit_.iterations > 0 ? taken_ < limit_.iterations : clock_() < end_;
    if (more) ++taken_;
    return more;
  }

 private:
  const Limit& limit_;
  const Clock& clock_;
  const Instant end_;
  std::uint64_t taken_ = 0;
};

struct InFlight {
  std::size_t work;
  std::unique_ptr<Event> event;
};

// Waits for the oldest iteration of a queue.
Status Collect(std::deque<InFlight>& line, std::vector<Tally>& tallies) {
  const InFlight oldest = std::move(line.front());
  line.pop_front();
  const Result<Interval> interval = oldest.event->Wait();
  if (interval.ok()) tallies[oldest.work].Add(*interval);
  return interval.status();
}

Status CollectAll(std::deque<InFlight>& line, std::vector<Tally>& tallies) {
  Status status;
  while (!line.empty()) status.Update(Collect(line, tallies));
  return status;
}

}  // namespace

void Tally::Add(const Interval& interval) {
  ++iterations;
  times.Record(interval.end - interval.start);
  first_start = std::min(first_start, interval.start);
  last_end = std::max(last_end, interval.end);
}

Sequence::Sequence(std::vector<std::uint32_t> shares)
    : shares_(std::move(shares)),
      credit_(shares_.size(), 0),
      sum_(std::accumulate(shares_.begin(), shares_.end(), std::int64_t{0})) {}

std::size_t Sequence::Next() {
  for (std::size_t i = 0; i < shares_.size(); ++i) credit_[i] += shares_[i];
  const auto most = std::max_element(credit_.begin(), credit_.end());
  *most -= sum_;
  return static_cast<std::size_t>(most - credit_.begin());
}

Result<std::vector<Tally>> Measure(std::span<const std::unique_ptr<Work>> works, Sequence sequence,
                                   std::span<const std::unique_ptr<Queue>> queues,
                                   const Limit& limit, const Clock& clock) {
  std::vector<Tally> tallies(works.size());
  std::vector<std::deque<InFlight>> lines(queues.size());
  Budget budget(limit, clock);
  Status status;
  for (std::size_t turn = 0; status.ok() && budget.Take(); ++turn) {
    const std::size_t stream = turn % queues.size();
    if (lines[stream].size() == kDepth) status = Collect(lines[stream], tallies);
    if (!status.ok()) break;
    const std::size_t which = sequence.Next();
    const Work& work = *works[which];
    auto event = queues[stream]->Submit(work.TaskOf(stream), work.times());
    status = event.status();
    if (status.ok()) lines[stream].push_back({which, *std::move(event)});
  }
  // Also after an error: buffers are freed when nothing uses them.
  for (auto& line : lines) status.Update(CollectAll(line, tallies));
  if (!status.ok()) return status;
  return tallies;
}

Result<stats::Histogram> MeasureLatency(Queue& queue, const Limit& limit, const Clock& clock) {
  stats::Histogram latencies;
  Budget budget(limit, clock);
  while (latencies.Count() < kMostLatencies && budget.Take()) {
    const Instant before = clock();
    auto event = queue.Submit(Launch{}, 1);
    if (!event.ok()) return event.status();
    if (const auto interval = (*event)->Wait(); !interval.ok()) return interval.status();
    latencies.Record(clock() - before);
  }
  return latencies;
}

}  // namespace twofold::gpu
