#include "lib/load/schedule.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace twofold::load {
namespace {

constexpr std::uint64_t kKindsSeed = 0x9e3779b97f4a7c15;  // apart from that of arrivals
constexpr double kRounding = 1e-9;                        // of a job

double ParallelAt(const Stage& stage, double t) {
  return stage.from + (stage.to - stage.from) * t / stage.seconds;
}

// The first time after `t` at which the rounded parallelism is another one; the end at the latest.
double NextLevel(const Stage& stage, double t) {
  if (stage.from == stage.to) return stage.seconds;
  const double slope = (stage.to - stage.from) / stage.seconds;
  const double level = std::round(ParallelAt(stage, t));
  const double edge = (level + (slope > 0 ? 0.5 : -0.5) - stage.from) / slope;
  return std::min(std::max(edge, t) + 1e-9, stage.seconds);
}

}  // namespace

Schedule::Schedule(std::shared_ptr<const Profile> profile)
    : profile_(std::move(profile)), arrivals_(profile_->seed), kinds_(profile_->seed ^ kKindsSeed) {
  for (const WeightedJob& job : profile_->jobs) weights_ += job.weight;
  double begin = 0;
  for (const Stage& stage : profile_->stages) ends_.push_back(FromSeconds(begin += stage.seconds));
  if (profile_->arrivals == Arrivals::kPoisson) target_ = Step();
  FindNext();
}

DueJob Schedule::Take() {
  DueJob job{.due = *next_};
  if (profile_->jobs.size() > 1) {
    double left = kinds_.Share() * weights_;
    const auto& jobs = profile_->jobs;
    while (job.kind + 1 < jobs.size() && left >= jobs[job.kind].weight) {
      left -= jobs[job.kind++].weight;
    }
  }
  if (profile_->stages[stage_].kind == Stage::Kind::kTrace) {
    ++moment_;
  } else {
    target_ += Step();
  }
  FindNext();
  return job;
}

// Draws from stages until one has a further job.
void Schedule::FindNext() {
  next_.reset();
  while (stage_ < profile_->stages.size()) {
    const Stage& stage = profile_->stages[stage_];
    if (const std::optional<double> found = NextInStage(stage)) {
      last_ = *found;
      next_ = FromSeconds(began_ + *found);
      return;
    }
    if (stage.kind == Stage::Kind::kRate) target_ -= stage.curve.total();
    if (target_ < kRounding) target_ = 0;
    began_ += stage.seconds;
    last_ = 0;
    moment_ = 0;
    ++stage_;
  }
}

// When the next job of the stage is due, in the stage's time.
std::optional<double> Schedule::NextInStage(const Stage& stage) {
  double time = stage.seconds;
  if (stage.kind == Stage::Kind::kRate) time = TimeOf(stage.curve, target_, last_);
  const bool is_trace = stage.kind == Stage::Kind::kTrace;
  if (is_trace && moment_ < stage.moments->size()) time = (*stage.moments)[moment_];
  return time < stage.seconds ? std::optional(time) : std::nullopt;
}

double Schedule::Step() {
  return profile_->arrivals == Arrivals::kConstant ? 1.0 : -std::log(arrivals_.Share());
}

std::uint32_t Schedule::Parallelism(Duration t) const {
  const std::size_t index = StageAt(t);
  if (index == profile_->stages.size()) return 0;
  const Stage& stage = profile_->stages[index];
  if (stage.kind != Stage::Kind::kParallel) return 0;
  return static_cast<std::uint32_t>(std::lround(ParallelAt(stage, ToSeconds(t - BeginOf(index)))));
}

std::optional<Duration> Schedule::NextChange(Duration t) const {
  const std::size_t index = StageAt(t);
  if (index == profile_->stages.size()) return std::nullopt;
  const Stage& stage = profile_->stages[index];
  if (stage.seconds >= kForever) return std::nullopt;
  const Duration begin = BeginOf(index);
  const Duration end = BeginOf(index + 1);
  if (stage.kind != Stage::Kind::kParallel) return end;
  return std::clamp(begin + FromSeconds(NextLevel(stage, ToSeconds(t - begin))), t + Duration(1),
                    end);
}

std::optional<double> Schedule::Rate(Duration t) const {
  const std::size_t index = StageAt(t);
  if (index == profile_->stages.size()) return std::nullopt;
  const Stage& stage = profile_->stages[index];
  if (stage.kind == Stage::Kind::kParallel) return std::nullopt;
  if (stage.kind == Stage::Kind::kRate) return stage.curve.rate(ToSeconds(t - BeginOf(index)));
  return static_cast<double>(stage.moments->size()) / stage.seconds;
}

std::size_t Schedule::StageAt(Duration t) const {
  return static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), t) - ends_.begin());
}

}  // namespace twofold::load
