#include "lib/load/recorder.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace twofold::load {
namespace {

constexpr int kWarmUpLives = 2;
constexpr int kMostOfLoad = 4;   // the warm-up is at most the n-th part of the load
constexpr int kMostLives = 256;  // after which nobody looks for a warm-up any more
constexpr double kPercent = 100;
constexpr std::uint64_t kJobsSeed = 0xbf58476d1ce4e5b9;  // apart from those of the schedule

}  // namespace

Duration WarmUp::Most(Duration planned) const { return fixed.value_or(planned / kMostOfLoad); }

bool WarmUp::Over(Duration passed, std::uint64_t ended, std::uint64_t outstanding, Duration mean,
                  Duration planned) const {
  if (fixed) return passed >= *fixed;
  if (passed >= Most(planned)) return true;
  return ended > 0 && ended >= outstanding && passed >= kWarmUpLives * mean;
}

Recorder::Recorder(Schedule schedule, Instant start, WarmUp warm_up)
    : schedule_(std::move(schedule)),
      start_(start),
      warm_up_(warm_up),
      finished_at_(start),
      slices_(start),
      random_(schedule_.profile().seed ^ kJobsSeed) {
  if (warm_up_.fixed == Duration(0)) BeginMeasuring(start);
}

// ---- a job's way

void Recorder::PlanUntil(Instant now) {
  while (schedule_.NextDue() && start_ + *schedule_.NextDue() <= now) {
    Planned(start_ + schedule_.Take().due);
  }
}

void Recorder::Planned(Instant planned) {
  ++all_jobs_.planned;
  slices_.Planned(planned);
  ForSegmentsOf(planned, &Segment::Planned);
}

void Recorder::Sent(Instant planned, Instant now, bool open_loop) {
  if (!open_loop) Planned(planned);
  ++all_jobs_.sent;
  slices_.Sent();
  ForSegmentsOf(planned, &Segment::Sent, now, open_loop);
  if (!open_loop || now - planned <= kLateAfter) return;
  ++all_jobs_.sent_late;
  Spoil({.trouble = Trouble::kLate, .from = planned, .to = now, .jobs = 1, .worst = now - planned});
}

void Recorder::Ended(const JobEntry& job, std::string_view error) {
  all_jobs_.Count(job.outcome);
  slices_.Ended(job);
  Segment* const stage = StageOf(job.planned);
  if (total_) total_->Ended(job);
  if (stage != nullptr) stage->Ended(job);
  // It was worked on in the present stage as well.
  if (!stages_.empty() && stage != &stages_.back().segment) stages_.back().segment.Ended(job);
  const bool rejected = job.outcome == v1::OUTCOME_REJECTED;
  if (total_ && total_->Has(job.planned)) {
    if (job.succeeded()) {
      places_.Succeeded(job.place, job.BusySeconds(), ToSeconds(job.run));
    } else {
      if (!rejected) places_.Failed(job.place);
      errors_.Add(error);
    }
  }
  if (job.outcome == v1::OUTCOME_UNSPECIFIED || rejected) return;
  ++ended_;
  Draw(job);
  if (closed_at_) return;
  longest_life_ = std::max(longest_life_, job.ended - job.sent);
  if (total_) {
    ++measured_;
  } else {
    life_seconds_ += ToSeconds(job.ended - job.sent);
  }
}

void Recorder::Refused(std::string_view error) {
  if (!total_ || closed_at_) return;
  ++refused_;
  errors_.Add(error);
}

void Recorder::Draw(const JobEntry& job) {
  if (jobs_.size() < kMostJobs) return jobs_.push_back(job);
  const std::uint64_t place = random_.Below(ended_);
  if (place < kMostJobs) jobs_[place] = job;
}

// ---- warm-up and stages

bool Recorder::WarmUpEnds(Instant now, std::uint64_t outstanding) const {
  const double ended = static_cast<double>(std::max<std::uint64_t>(ended_, 1));
  return warm_up_.Over(now - start_, ended_, outstanding, FromSeconds(life_seconds_ / ended),
                       schedule_.End());
}

std::optional<Instant> Recorder::WarmUpEndsBy() const {
  if (total_ || closed_at_) return std::nullopt;
  return start_ + warm_up_.Most(schedule_.End());
}

// Anew, if something was measured already: that belongs to the warm-up then.
void Recorder::BeginMeasuring(Instant now) {
  total_.emplace(now);
  stages_.clear();
  places_.Forget();
  errors_ = ErrorCounts();
  measured_ = refused_ = 0;
  stage_ = std::min(schedule_.StageAt(now - start_), schedule_.profile().stages.size() - 1);
  stages_.push_back({stage_, Segment(now)});
}

// A load that changes by its profile makes changes that are no warm-up.
void Recorder::WatchBeginning(Instant now) {
  if (warm_up_.fixed) return;
  const Stage& stage = schedule_.profile().stages.front();
  const bool changes = stage.kind == Stage::Kind::kTrace || stage.from != stage.to;
  if (stage_ != 0 || changes) return;
  const double mean = life_seconds_ / static_cast<double>(std::max<std::uint64_t>(ended_, 1));
  const Duration last =
      std::min(warm_up_.Most(schedule_.BeginOf(1)), FromSeconds(kMostLives * mean));
  beginning_.emplace(start_, now, start_ + last);
  if (beginning_->IsOver()) beginning_.reset();
}

void Recorder::LookAtBeginning(Instant now, std::uint64_t outstanding,
                               std::span<const Instant> at_work) {
  if (schedule_.StageAt(now - start_) != 0) return beginning_.reset();
  // Without the credit of what goes on, the end of what was measured would seem slow.
  if (outstanding > 0 && at_work.empty()) return;
  if (const auto cut = beginning_->Look(now, total_->Measured(now, at_work))) {
    cut_ = cut;
    BeginMeasuring(std::min(now + Duration(1), start_ + schedule_.End()));
  }
  if (beginning_->IsOver()) beginning_.reset();
}

// Begins the stage of this moment, and those that have passed since the one before.
void Recorder::BeginStages(Instant now, std::span<const Instant> at_work) {
  const std::size_t last = schedule_.StageAt(now - start_);
  while (stage_ < last && stage_ + 1 < schedule_.profile().stages.size()) {
    const Instant begin = start_ + schedule_.BeginOf(++stage_);
    if (!total_) continue;
    stages_.back().segment.Close(begin, at_work);
    stages_.push_back({stage_, Segment(begin)});
  }
}

Segment* Recorder::StageOf(Instant planned) {
  const auto stage = std::find_if(stages_.rbegin(), stages_.rend(), [&](const StageSegment& each) {
    return each.segment.begin() <= planned;
  });
  return stage == stages_.rend() || !stage->segment.Has(planned) ? nullptr : &stage->segment;
}

// ---- the end

void Recorder::Close(Instant now, std::span<const Instant> at_work) {
  if (closed_at_) return;
  PlanUntil(now - Duration(1));
  if (!total_) BeginMeasuring(now);
  total_->Close(now, at_work);
  stages_.back().segment.Close(now, at_work);
  closed_at_ = finished_at_ = now;
}

void Recorder::Finish(Instant now, std::span<const OpenJob> open) {
  const std::string error =
      fmt::format("no answer {:.3g} s after the end of the load", ToSeconds(now - *closed_at_));
  const Places::Index nowhere = open.empty() ? 0 : places_.Find({}, {}, {});
  for (const OpenJob& job : open) {
    Ended({.planned = job.planned, .sent = job.sent, .ended = now, .place = nowhere}, error);
  }
  slices_.Close(now);
  finished_at_ = now;
}

std::string Recorder::WarmUpText() const {
  if (warm_up_.fixed) return "as it was asked for";
  if (cut_) {
    return fmt::format("in its first {:.3g} s throughput was {:.2g} % {} than later", cut_->seconds,
                       kPercent * std::abs(cut_->change), cut_->change < 0 ? "lower" : "higher");
  }
  const Duration passed = total_ ? total_->begin() - start_ : Duration(0);
  if (passed >= warm_up_.Most(schedule_.End())) {
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
