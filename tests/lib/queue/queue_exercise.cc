#include "tests/lib/queue/queue_exercise.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <utility>

namespace twofold::queue {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kMostWaiting = 24;
constexpr std::size_t kMostProcesses = 6;
constexpr std::size_t kTokens = 64;

}  // namespace

struct QueueExercise::Action {
  const char* name;
  std::uint64_t weight;
  void (QueueExercise::*act)();
};

const std::vector<QueueExercise::Action>& QueueExercise::Actions() {
  static const std::vector<Action> kActions = {
      {"Submit", 300, &QueueExercise::Submit},
      {"Complete", 220, &QueueExercise::Complete},
      {"Answer", 100, &QueueExercise::Answer},
      {"Renew", 100, &QueueExercise::Renew},
      {"CompleteOld", 60, &QueueExercise::CompleteOld},
      {"EndTurn", 50, &QueueExercise::EndTurn},
      {"Tick", 50, &QueueExercise::Tick},
      {"Cancel", 40, &QueueExercise::Cancel},
      {"Join", 40, &QueueExercise::Join},
      {"Return", 30, &QueueExercise::Return},
      {"Leave", 30, &QueueExercise::Leave},
      {"TickAtDeadline", 30, &QueueExercise::TickAtDeadline},
      {"Resume", 20, &QueueExercise::Resume},
      {"EndSubmitter", 10, &QueueExercise::EndSubmitter},
      {"StartDraining", 8, &QueueExercise::StartDraining},
      {"Pause", 5, &QueueExercise::Pause},
      {"Drain", 5, &QueueExercise::Drain},
      {"Leap", 4, &QueueExercise::Leap},
  };
  return kActions;
}

QueueOptions QueueExercise::RandomOptions(std::mt19937_64& random) {
  const std::array<std::uint64_t, 3> limits = {0, 5, 20};
  const std::array<Duration, 4> ageings = {seconds(0), milliseconds(7), seconds(1), seconds(60)};
  const std::array<std::uint32_t, 3> generations = {0, 1, 0xffff'ffff - 2};  // and over the end
  return {.limit = limits.at(random() % limits.size()),
          .lease = seconds(1 + random() % 20),
          .grace = seconds(1 + random() % 20),
          .ageing = ageings.at(random() % ageings.size()),
          .first_generation = generations.at(random() % generations.size())};
}

QueueExercise::QueueExercise(std::uint64_t seed, Watch watch)
    : random_(seed),
      options_(RandomOptions(random_)),
      queue_(options_),
      model_(options_),
      watch_(std::move(watch)) {}

std::string QueueExercise::Step() {
  static const std::uint64_t kWeights = [] {
    std::uint64_t sum = 0;
    for (const Action& action : Actions()) sum += action.weight;
    return sum;
  }();
  std::uint64_t pick = Below(kWeights);
  auto action = Actions().begin();
  for (; pick >= action->weight; ++action) pick -= action->weight;

  if (OneIn(2)) now_ += milliseconds(Below(500));
  effects_.Clear();
  (this->*action->act)();
  const std::string complaint = model_.Check(now_, queue_, effects_.all());
  for (const Assigned& assigned : effects_.Of<Assigned>()) {
    if (tokens_.size() < kTokens) tokens_.emplace_back();
    tokens_[next_token_++ % kTokens] = {assigned.job, assigned.attempt};
  }
  if (watch_) watch_(effects_.all());
  return complaint.empty() ? complaint : std::string(action->name) + ": " + complaint;
}

// ---- Submitters

void QueueExercise::Submit() {
  if (queue_.waiting() >= kMostWaiting) return;
  JobOptions options;
  options.priority = static_cast<int>(OneIn(2) ? Below(3) : Below(21)) - (OneIn(2) ? 1 : 10);
  options.priority = std::clamp(options.priority, kLowestPriority, kHighestPriority);
  options.max_attempts = static_cast<std::uint32_t>(1 + Below(3));
  const SubmitterId submitter = OneIn(4) ? kDetached : SubmitterId{first_submitter_ + Below(3)};
  const std::uint64_t tag = next_tag_++;
  const std::string spec = OneIn(4) ? "" : "spec " + std::to_string(tag);

  const Submitted submitted = queue_.Submit(
      now_, submitter, tag, std::make_shared<const JobOptions>(options), spec, effects_);
  QueueModel::Job job{};
  job.submitter = submitter;
  job.tag = tag;
  job.priority = options.priority;
  job.max_attempts = options.max_attempts;
  job.spec = spec;
  model_.Submit(now_, submitted, job);
}

void QueueExercise::Cancel() {
  JobId job = OldToken().job;
  if (!model_.jobs().empty() && OneIn(2)) {
    job = std::next(model_.jobs().begin(), static_cast<std::ptrdiff_t>(Below(model_.jobs().size())))
              ->first;
  }
  model_.Cancel(now_, job, queue_.Cancel(now_, job, effects_));
}

void QueueExercise::EndSubmitter() {
  const SubmitterId submitter = OneIn(8) ? kDetached : SubmitterId{first_submitter_};
  if (submitter != kDetached) ++first_submitter_;
  queue_.SubmitterGone(now_, submitter, effects_);
  model_.SubmitterGone(submitter);
}

// ---- Workers

void QueueExercise::Join() {
  if (model_.processes().size() < kMostProcesses) Connect(ProcessKey{next_key_++}, {});
}

/// A process that is known comes again, with what it has, less than that, or more.
void QueueExercise::Return() {
  if (model_.processes().empty()) return;
  const ProcessId process = AnyProcess();
  if (!model_.processes().contains(process)) return;
  std::vector<Held> held = model_.HeldBy(process);
  if (OneIn(3)) std::erase_if(held, [this](const Held&) { return OneIn(2); });
  if (!held.empty() && OneIn(8)) held.push_back(held.front());
  Connect(model_.processes().at(process).key, std::move(held));
}

void QueueExercise::Connect(ProcessKey key, std::vector<Held> held) {
  if (OneIn(6)) held.push_back(OldToken());
  // Mostly a few slots; now and then so many that a turn is several jobs.
  const auto slots = static_cast<std::uint32_t>(1 + Below(Below(8) == 0 ? 40 : 4));
  const bool draining = OneIn(10);
  const ProcessId process = queue_.WorkerJoined(
      now_, {.key = key, .slots = slots, .held = held, .draining = draining}, effects_);
  model_.WorkerJoined(now_, process, key, slots, held, draining);
}

void QueueExercise::EndTurn() {
  queue_.EndTurn();
  model_.EndTurn();
}

void QueueExercise::Leave() {
  const ProcessId process = AnyProcess();
  if (OneIn(4)) {
    queue_.WorkerLeft(now_, process, effects_);
    return model_.WorkerLeft(process);
  }
  queue_.WorkerGone(now_, process, effects_);
  model_.WorkerGone(now_, process);
}

void QueueExercise::Renew() {
  const ProcessId process = AnyProcess();
  queue_.Renewed(now_, process, effects_);
  model_.Renewed(now_, process);
}

void QueueExercise::StartDraining() {
  const ProcessId process = AnyProcess();
  queue_.WorkerDraining(now_, process, effects_);
  model_.WorkerDraining(now_, process);
}

/// Something that a process has: mostly it counts.
void QueueExercise::Complete() {
  const ProcessId process = AnyProcess();
  if (!model_.processes().contains(process)) return;
  const std::vector<Held> held = model_.HeldBy(process);
  if (!held.empty()) Deliver(process, held[Below(held.size())]);
}

/// Something that a process was told to stop.
void QueueExercise::Answer() {
  for (const auto& [id, process] : model_.processes()) {
    if (process.stale.empty() || OneIn(3)) continue;
    return Deliver(id, *process.stale.begin());
  }
}

/// Late, twice, by the wrong process or with a token that never was.
void QueueExercise::CompleteOld() { Deliver(AnyProcess(), OldToken()); }

void QueueExercise::Deliver(ProcessId process, const Held& held) {
  const std::array<Outcome, 4> outcomes = {Outcome::kSucceeded, Outcome::kFailed,
                                           Outcome::kTimedOut, Outcome::kCancelled};
  const Completion completion{.job = held.job,
                              .attempt = held.attempt,
                              .handed_back = OneIn(8),
                              .outcome = outcomes.at(Below(outcomes.size())),
                              .run_time = milliseconds(Below(100)),
                              .report = OneIn(2) ? "report" : ""};
  const bool told = queue_.Completed(now_, process, completion, effects_);
  model_.Completed(now_, process, completion, told);
}

// ---- Admin

void QueueExercise::Pause() {
  queue_.Pause();
  model_.Pause();
}

void QueueExercise::Drain() {
  queue_.Drain();
  model_.Drain();
}

void QueueExercise::Resume() {
  queue_.Resume(now_, effects_);
  model_.Resume();
}

// ---- Time

void QueueExercise::Tick() {
  queue_.Tick(now_, effects_);
  model_.Tick(now_);
}

/// At the very instant at which something ends, or just before.
void QueueExercise::TickAtDeadline() {
  const std::optional<Instant> deadline = model_.NextDeadline();
  if (deadline) now_ = std::max(now_, *deadline - Duration(Below(2)));
  Tick();
}

/// All leases run out, perhaps without a Tick to say so.
void QueueExercise::Leap() {
  now_ += seconds(60);
  if (OneIn(2)) Tick();
}

// ---- Choices

Held QueueExercise::OldToken() {
  if (tokens_.empty() || OneIn(16)) return {JobId{random_()}, static_cast<Attempt>(Below(3))};
  Held held = tokens_[Below(tokens_.size())];
  if (OneIn(8)) held.attempt += static_cast<Attempt>(1 + Below(2));
  return held;
}

ProcessId QueueExercise::AnyProcess() {
  const auto& processes = model_.processes();
  if (processes.empty() || OneIn(50)) return ProcessId{static_cast<std::uint32_t>(Below(20))};
  return std::next(processes.begin(), static_cast<std::ptrdiff_t>(Below(processes.size())))->first;
}

}  // namespace twofold::queue
