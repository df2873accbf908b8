#include "lib/load/recorder.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <utility>

namespace twofold::load {
namespace {

constexpr int kWarmUpLives = 2;
constexpr int kMostOfLoad = 4;  // the warm-up is at most the n-th part of the load
constexpr std::uint64_t kJobsSeed = 0xbf58476d1ce4e5b9;  // apart from those of the schedule

// The parts of both, as if all had been recorded in one histogram.
stats::Histogram::Parts Merge(const stats::Histogram::Parts& one,
                              const stats::Histogram::Parts& other) {
  if (one.counts.empty()) return other;
  if (other.counts.empty()) return one;
  stats::Histogram::Parts both{.counts = {},
                               .clamped = one.clamped + other.clamped,
                               .sum = one.sum + other.sum,
                               .min = std::min(one.min, other.min),
                               .max = std::max(one.max, other.max)};
  auto next = other.counts.begin();
  for (const auto& part : one.counts) {
    while (next != other.counts.end() && next->lowest < part.lowest) both.counts.push_back(*next++);
    both.counts.push_back(part);
    if (next != other.counts.end() && next->lowest == part.lowest) {
      both.counts.back().count += (next++)->count;
    }
  }
  both.counts.insert(both.counts.end(), next, other.counts.end());
  return both;
}

Slice Merge(const Slice& one, const Slice& other) {
  return {.planned = one.planned + other.planned,
          .sent = one.sent + other.sent,
          .succeeded = one.succeeded + other.succeeded,
          .failed = one.failed + other.failed,
          .open = other.open,
          .parallel = other.parallel,
          .outstanding = other.outstanding,
          .from_plan = Merge(one.from_plan, other.from_plan)};
}

}  // namespace

bool WarmUp::Over(Duration passed, std::uint64_t ended, std::uint64_t outstanding, Duration mean,
                  Duration planned) const {
  if (fixed) return passed >= *fixed;
  if (passed >= planned / kMostOfLoad) return true;
  return ended > 0 && ended >= outstanding && passed >= kWarmUpLives * mean;
}

Recorder::Recorder(Schedule schedule, Instant start, WarmUp warm_up)
    : schedule_(std::move(schedule)),
      start_(start),
      warm_up_(warm_up),
      slices_(1),
      random_(schedule_.profile().seed ^ kJobsSeed) {
  if (warm_up_.fixed == Duration(0)) BeginMeasuring(start);
}

void Recorder::Sent(Instant now, Instant due, bool open) {
  if (closed_at_ && due >= *closed_at_) return;
  if (!closed_at_) ++slices_.back().sent;
  if (total_) total_->Submitted(due);
  ForStagesOf(due, [&](Tally& tally) { tally.Submitted(due); });
  if (!open) return;
  ++SliceOf(due).planned;
  if (total_) total_->Sent(now, due);
  ForStagesOf(due, [&](Tally& tally) { tally.Sent(now, due); });
  if (now - due > kLateAfter) {
    Spoil({.trouble = Trouble::kLate, .from = due, .to = now, .jobs = 1, .worst = now - due});
  }
}

void Recorder::Succeeded(const Answer& job) {
  Ended(job, true);
  if (closed_at_) return;
  ++slices_.back().succeeded;
  from_plan_.Record(job.ended - job.due);
  if (total_) places_.Succeeded(job.place, ToSeconds(job.run));
}

void Recorder::Failed(const Answer& job, std::string_view error) {
  Ended(job, false);
  if (closed_at_) return;
  ++slices_.back().failed;
  if (!total_) return;
  places_.Failed(job.place);
  errors_.Add(error);
}

void Recorder::Rejected(std::string_view error) {
  if (closed_at_ || !total_) return;
  ++rejected_;
  errors_.Add(error);
}

void Recorder::Ended(const Answer& job, bool succeeded) {
  if (total_) total_->Ended(job, succeeded);
  ForStagesOf(job.due, [&](Tally& tally) { tally.Ended(job, succeeded); });
  if (closed_at_) return;
  ++ended_;
  if (total_) {
    ++measured_;
  } else {
    life_seconds_ += ToSeconds(job.ended - job.submitted);
  }
  Draw({job.place, job.ended, job.due, job.run, !succeeded});
}

// The present stage, and the one in which a job was due.
template <typename Visit>
void Recorder::ForStagesOf(Instant due, const Visit& visit) {
  for (auto stage = stages_.rbegin(); stage != stages_.rend(); ++stage) {
    if (stage == stages_.rbegin() || stage->tally.start() <= due) visit(stage->tally);
    if (stage->tally.start() <= due) return;
  }
}

void Recorder::Draw(const RanJob& job) {
  if (jobs_.size() < kMostJobs) return jobs_.push_back(job);
  const std::uint64_t place = random_.Below(ended_);
  if (place < kMostJobs) jobs_[place] = job;
}

bool Recorder::WarmUpEnds(Instant now, std::uint64_t outstanding) const {
  const double ended = static_cast<double>(std::max<std::uint64_t>(ended_, 1));
  return warm_up_.Over(now - start_, ended_, outstanding, FromSeconds(life_seconds_ / ended),
                       schedule_.End());
}

void Recorder::BeginMeasuring(Instant now) {
  total_.emplace(now);
  stage_ = schedule_.StageAt(now - start_);
  stages_.push_back({stage_, Tally(now)});
}

void Recorder::NextStage(Instant now, std::span<const Instant> in_flight) {
  if (!stages_.empty()) stages_.back().tally.Close(now, in_flight);
  stage_ = schedule_.StageAt(now - start_);
  const bool more = stage_ < schedule_.profile().stages.size();
  if (total_ && more) stages_.push_back({stage_, Tally(start_ + schedule_.BeginOf(stage_))});
}

Slice& Recorder::SliceOf(Instant at) {
  const auto index = static_cast<std::size_t>(std::max((at - start_) / slice_, Duration::rep{0}));
  return slices_[std::min(index, slices_.size() - 1)];
}

void Recorder::EndSlices(Instant now, std::uint64_t outstanding, std::uint32_t parallel,
                         bool open) {
  for (;;) {
    Slice& last = slices_.back();
    last.open = open;
    last.parallel = parallel;
    last.outstanding = outstanding;
    const auto begun = static_cast<Duration::rep>(slices_.size());
    if (now - start_ < slice_ * begun) return;
    last.from_plan = from_plan_.ToParts();
    from_plan_.Reset();
    if (slices_.size() == kMostSlices) MergeSlices();
    slices_.emplace_back();
  }
}

void Recorder::MergeSlices() {
  std::vector<Slice> merged;
  for (std::size_t i = 0; i + 1 < slices_.size(); i += 2) {
    merged.push_back(Merge(slices_[i], slices_[i + 1]));
  }
  slices_ = std::move(merged);
  slice_ *= 2;
}

void Recorder::Close(Instant now, std::span<const Instant> in_flight) {
  if (closed_at_) return;
  if (!total_) BeginMeasuring(now);
  total_->Close(now, in_flight);
  for (StageTally& stage : stages_) stage.tally.Close(now, in_flight);
  slices_.back().from_plan = from_plan_.ToParts();
  closed_at_ = now;
}

std::string Recorder::WarmUpText() const {
  if (warm_up_.fixed) return "as it was asked for";
  const Duration passed = total_ ? total_->start() - start_ : Duration(0);
  if (passed >= schedule_.End() / kMostOfLoad) {
    return fmt::format(
        "a quarter of the load: by then not as many jobs had ended as were "
        "outstanding, or not {} of their mean times had passed",
        kWarmUpLives);
  }
  return fmt::format(
      "until as many jobs had ended as were outstanding, and {} of their mean times "
      "had passed",
      kWarmUpLives);
}

}  // namespace twofold::load
