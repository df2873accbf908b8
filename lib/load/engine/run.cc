#include "lib/load/engine/run.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <thread>
#include <utility>

#include "lib/load/record.h"

namespace twofold::load {
namespace {

constexpr Duration kLookEvery = std::chrono::milliseconds(50);
constexpr Duration kShortestDrain = std::chrono::seconds(1);

}  // namespace

std::string_view Name(RunEnd end) {
  constexpr std::array<std::string_view, 4> kNames = {"duration", "until", "jobs", "interrupted"};
  return kNames[static_cast<std::size_t>(end)];
}

Run::Run(RunOptions options)
    : options_(std::move(options)),
      generator_(options_.job.options.queue(), options_.frontend, Now()),
      session_(options_.frontend, options_.job, generator_, {.security = options_.security}),
      cpu_(process::RealHostFiles(), getpid()) {
  generator_.SetOutstandingMax(options_.outstanding_max);
  generator_.RecordNext({options_.warm_up});
}

Run::~Run() { session_.Stop(Duration(0)); }

Status Run::Start() {
  const Status set = generator_.SetProfile(std::make_shared<const Profile>(options_.profile));
  if (set.ok()) session_.Start();
  return set;
}

bool Run::Wait(Duration patience) {
  const Instant deadline = Now() + patience;
  for (;;) {
    if (IsOver()) return true;
    const Instant now = Now();
    if (now >= deadline) return false;
    std::this_thread::sleep_for(std::min<Duration>(kLookEvery, deadline - now));
  }
}

bool Run::IsOver() {
  ObserveCpu();
  const RunState state = generator_.State();
  if (state.over) end_ = RunEnd::kDuration;
  if (options_.jobs > 0 && state.measured >= options_.jobs) end_ = RunEnd::kJobs;
  if (IsKnown(state.measured)) end_ = RunEnd::kUntil;
  return end_ != RunEnd::kInterrupted;
}

// A look takes milliseconds, and a hundredth more jobs say little more. There are fewer than before
// if what was measured begins anew.
bool Run::IsKnown(std::uint64_t measured) {
  constexpr std::uint64_t kGrowth = 100;
  const bool says_more = measured < looked_at_ || measured > looked_at_ + looked_at_ / kGrowth;
  if (options_.until <= 0 || !says_more) return false;
  looked_at_ = measured;
  return Look().estimate.IsKnownWithin(options_.until);
}

void Run::ObserveCpu() {
  if (const std::optional<Duration> time = cpu_.Throttled()) generator_.Observe(*time);
}

Snapshot Run::Look() const { return generator_.Look(); }

Duration Run::Drain() const {
  return options_.drain.value_or(std::max(generator_.State().longest_life, kShortestDrain));
}

std::optional<v1::LoadRecord> Run::Finish(const std::function<bool()>& hurried) {
  generator_.EndLoad();
  const Instant deadline = Now() + Drain();
  while (generator_.outstanding() > 0 && Now() < deadline && !hurried()) {
    std::this_thread::sleep_for(std::min<Duration>(kLookEvery, deadline - Now()));
  }
  ObserveCpu();
  const std::optional<Recorder> recorder = generator_.Recorded();
  session_.Stop(Duration(0));
  if (!recorder) return std::nullopt;
  v1::LoadRecord record = Record(*recorder, options_.job.options.queue(), load::Name(end_));
  record.mutable_origin()->set_frontend(options_.frontend);
  return record;
}

}  // namespace twofold::load
