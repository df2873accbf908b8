#include "tests/lib/queue/queue_exercise.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <set>
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
      {"MemberReady", 150, &QueueExercise::MemberReady},
      {"PauseWorker", 20, &QueueExercise::PauseWorker},
      {"Sent", 40, &QueueExercise::Sent},
      {"Pause", 5, &QueueExercise::Pause},
      {"HoldDurable", 15, &QueueExercise::HoldDurable},
      {"Drain", 5, &QueueExercise::Drain},
      {"Leap", 4, &QueueExercise::Leap},
      {"Stall", 4, &QueueExercise::Stall},
      {"Restart", 3, &QueueExercise::Restart},
      {"Move", 3, &QueueExercise::Move},
  };
  return kActions;
}

QueueOptions QueueExercise::RandomOptions(std::mt19937_64& random) {
  const std::array<std::uint64_t, 3> limits = {0, 5, 20};
  const std::array<Duration, 4> ageings = {seconds(0), milliseconds(7), seconds(1), seconds(60)};
  const std::array<std::uint32_t, 3> generations = {0, 1, 0xffff'ffff - 2};  // and over the end
  const std::array<std::uint64_t, 3> bytes = {0, 40, 150};
  const std::array<std::uint64_t, 3> unsent = {0, 10, 10'000};
  return {.limit = limits.at(random() % limits.size()),
          .limit_bytes = bytes.at(random() % bytes.size()),
          .unsent_limit = unsent.at(random() % unsent.size()),
          .lease = seconds(1 + random() % 20),
          .grace = seconds(1 + random() % 20),
          .ageing = ageings.at(random() % ageings.size()),
          .first_generation = generations.at(random() % generations.size())};
}

QueueExercise::QueueExercise(std::uint64_t seed, Watch watch)
    : random_(seed),
      options_(RandomOptions(random_)),
      queue_(std::make_unique<Queue>(options_)),
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
  (this->*action->act)();
  Check();
  return complaint_.empty() ? complaint_ : std::string(action->name) + ": " + complaint_;
}

/// Compares what one call has done.
void QueueExercise::Check() {
  std::string wrong = model_.Check(now_, *queue_, effects_.all());
  if (complaint_.empty()) complaint_ = std::move(wrong);  // else the step has its own
  for (const Assigned& assigned : effects_.Of<Assigned>()) {
    if (tokens_.size() < kTokens) tokens_.emplace_back();
    tokens_[next_token_++ % kTokens] = {assigned.job, assigned.attempt};
    NumberSeen(assigned.job);
  }
  if (watch_) watch_(effects_.all());
  effects_.Clear();
}

void QueueExercise::NumberSeen(JobId id) {
  if ((Number(id) & kDurableBit) == 0) return;
  options_.first_sequence = std::max(options_.first_sequence, Sequence(id) + 1);
}

// ---- Submitters

JobOptions QueueExercise::RandomJob(std::uint64_t tag) {
  JobOptions options;
  options.priority = static_cast<int>(OneIn(2) ? Below(3) : Below(21)) - (OneIn(2) ? 1 : 10);
  options.priority = std::clamp(options.priority, kLowestPriority, kHighestPriority);
  options.max_attempts = static_cast<std::uint32_t>(1 + Below(3));
  options.durable = OneIn(3);
  if (OneIn(4)) {
    options.gang = {.size = static_cast<std::uint32_t>(2 + Below(OneIn(8) ? 8 : 3)),
                    .spread = OneIn(2) ? Spread::kNode : Spread::kAny,
                    .timeout = milliseconds(100 + Below(5000))};
  }
  // No two jobs are due at one instant, so there is one order only.
  if (OneIn(8)) options.delay = milliseconds(Below(5000)) + Duration(tag);
  if (OneIn(8)) options.deadline = milliseconds(Below(10'000)) + Duration(tag);
  if (OneIn(8)) options.dedup_key = Key(3);
  if (OneIn(3)) {
    options.fair_key = Key(4);
    options.weight = 1U << Below(3);
    options.priority = OneIn(2) ? 0 : options.priority;
  }
  if (OneIn(5)) {
    options.limit_key = Key(2);
    options.key_limit = static_cast<std::uint32_t>(1 + Below(3));
  }
  static constexpr std::array<std::string_view, 5> kPlacements = {
      "label gpu=1\n", "label disk=ssd\nlabel gpu=1\n", "node a\n", "node a\nnode b",
      "label gpu=1\nnode b\n"};
  if (OneIn(4)) options.placement = kPlacements.at(Below(kPlacements.size()));
  return options;
}

void QueueExercise::Submit() {
  if (queue_->waiting() >= kMostWaiting) return;
  const std::uint64_t tag = next_tag_++;
  QueueModel::Job job{};
  job.submitter = OneIn(4) ? kDetached : SubmitterId{first_submitter_ + Below(3)};
  job.tag = tag;
  job.options = RandomJob(tag);
  if (OneIn(4)) {
    job.spec_elsewhere = static_cast<std::uint32_t>(1 + Below(5000));
  } else if (!OneIn(4)) {
    job.spec = "spec " + std::to_string(tag);
  }
  const Submitted submitted = queue_->Step(
      now_,
      input::Submit{job.submitter, tag, std::make_shared<const JobOptions>(job.options), job.spec,
                    job.spec_elsewhere},
      effects_);
  NumberSeen(submitted.job);
  model_.Submit(now_, submitted, job);
}

void QueueExercise::Cancel() {
  JobId job = OldToken().job;
  if (!model_.jobs().empty() && OneIn(2)) {
    job = std::next(model_.jobs().begin(), static_cast<std::ptrdiff_t>(Below(model_.jobs().size())))
              ->first;
  }
  model_.Cancel(now_, job, queue_->Step(now_, input::Cancel{job}, effects_));
}

void QueueExercise::EndSubmitter() {
  const SubmitterId submitter = OneIn(8) ? kDetached : SubmitterId{first_submitter_};
  if (submitter != kDetached) ++first_submitter_;
  queue_->Step(now_, input::SubmitterGone{submitter}, effects_);
  model_.SubmitterGone(submitter);
}

// ---- Workers

void QueueExercise::Join() {
  if (model_.processes().size() < kMostProcesses) Connect(ProcessKey{next_key_++}, {});
}

/// A process that is known comes again, with what it has, less than that, or more.
void QueueExercise::Return() {
  if (!before_.empty() && OneIn(2)) return ReturnFromBefore();
  if (model_.processes().empty()) return;
  const ProcessId process = AnyProcess();
  if (!model_.processes().contains(process)) return;
  std::vector<Held> held = model_.HeldBy(process);
  if (OneIn(3)) std::erase_if(held, [this](const Held&) { return OneIn(2); });
  if (!held.empty() && OneIn(8)) held.push_back(held.front());
  Connect(model_.processes().at(process).key, std::move(held));
}

/// One that was there before the restart, with what it had then.
void QueueExercise::ReturnFromBefore() {
  auto [key, held] = std::move(before_.front());
  before_.pop_front();
  Connect(key, std::move(held));
}

void QueueExercise::Connect(ProcessKey key, std::vector<Held> held) {
  static constexpr std::array<std::string_view, 3> kNodes = {"", "a", "b"};
  static constexpr std::array<std::string_view, 4> kLabels = {"", "gpu=1\n", "disk=ssd\ngpu=1\n",
                                                              "gpu=10\n"};
  if (OneIn(6)) held.push_back(OldToken());
  const input::WorkerJoined joining{
      .key = key,
      // Mostly a few slots; now and then so many that a turn is several jobs.
      .slots = static_cast<std::uint32_t>(1 + Below(OneIn(8) ? 40 : 4)),
      .held = held,
      .draining = OneIn(10),
      .paused = OneIn(10),
      .node = kNodes.at(OneIn(8) ? Below(kNodes.size()) : Number(key) % kNodes.size()),
      .labels = kLabels.at(Below(kLabels.size()))};
  const ProcessId expected = queue_->IdFor(key);
  const ProcessId process = queue_->Step(now_, joining, effects_);
  if (process != expected) complaint_ = "IdFor is wrong";
  model_.WorkerJoined(now_, process, joining);
}

void QueueExercise::EndTurn() {
  queue_->Step(now_, input::EndTurn{}, effects_);
  model_.EndTurn();
}

void QueueExercise::Leave() {
  const ProcessId process = AnyProcess();
  if (OneIn(4)) {
    queue_->Step(now_, input::WorkerLeft{process}, effects_);
    return model_.WorkerLeft(process);
  }
  queue_->Step(now_, input::WorkerGone{process}, effects_);
  model_.WorkerGone(now_, process);
}

void QueueExercise::Renew() {
  const ProcessId process = AnyProcess();
  queue_->Step(now_, input::Renewed{process}, effects_);
  model_.Renewed(now_, process);
}

void QueueExercise::StartDraining() {
  const ProcessId process = AnyProcess();
  queue_->Step(now_, input::WorkerDraining{process}, effects_);
  model_.WorkerDraining(now_, process);
}

void QueueExercise::PauseWorker() {
  const ProcessId process = AnyProcess();
  const bool paused = OneIn(3);
  queue_->Step(now_, input::PauseWorker{process, paused}, effects_);
  model_.PauseWorker(process, paused);
}

void QueueExercise::Sent() {
  const ProcessId process = AnyProcess();
  queue_->Step(now_, input::Sent{process}, effects_);
  model_.Sent(process);
}

/// Mostly a member of a gang that has not said so before.
void QueueExercise::MemberReady() {
  for (const auto& [id, job] : model_.jobs()) {
    for (const QueueModel::Part& part : job.parts) {
      if (part.ended || OneIn(part.ready ? 2 : 4)) continue;
      const Held held{part.id, job.attempts};
      const ProcessId process = OneIn(20) ? AnyProcess() : part.process;
      return model_.MemberReady(now_, process, held,
                                queue_->Step(now_, input::MemberReady{process, held}, effects_));
    }
  }
  const ProcessId process = AnyProcess();
  const Held held = OldToken();
  model_.MemberReady(now_, process, held,
                     queue_->Step(now_, input::MemberReady{process, held}, effects_));
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
  const bool told = queue_->Step(now_, input::Completed{process, completion}, effects_);
  model_.Completed(now_, process, completion, told);
}

// ---- Admin

void QueueExercise::Pause() {
  queue_->Step(now_, input::Pause{}, effects_);
  model_.Pause();
}

void QueueExercise::HoldDurable() {
  const bool hold = OneIn(2);
  queue_->Step(now_, input::HoldDurable{hold}, effects_);
  model_.HoldDurable(hold);
}

void QueueExercise::Drain() {
  queue_->Step(now_, input::Drain{}, effects_);
  model_.Drain();
}

void QueueExercise::Resume() {
  queue_->Step(now_, input::Resume{}, effects_);
  model_.Resume();
}

// ---- Time

void QueueExercise::Tick() {
  queue_->Step(now_, input::Tick{}, effects_);
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

/// The frontend stands still for longer than leases last. Then it reads what has come meanwhile,
/// and looks at the time last, as its ticker does: whoever has spoken loses nothing.
void QueueExercise::Stall() {
  now_ += options_.lease + seconds(Below(30));
  std::vector<ProcessId> connected;
  for (const auto& [id, process] : model_.processes()) {
    if (process.state != QueueModel::State::kAway) connected.push_back(id);
  }
  std::set<Held> attempts;  // those of gangs may end with other members, who are away
  for (const auto& [id, job] : model_.jobs()) {
    const bool single = job.where == QueueModel::Where::kRunning && job.parts.empty();
    const bool speaks = std::ranges::count(connected, job.process) > 0;
    if (single && speaks) attempts.insert({id, job.attempts});
  }
  for (const ProcessId process : connected) {
    if (const auto ended = Speak(process)) attempts.erase(*ended);
    Check();
    if (!complaint_.empty()) return;
  }
  Tick();
  for (const Held& attempt : attempts) {
    if (!queue_->RoleOf(attempt)) complaint_ = "lost by the frontend's own silence";
  }
}

/// Returns the attempt whose end was said; nullopt: only that the process is there.
std::optional<Held> QueueExercise::Speak(ProcessId process) {
  const std::vector<Held> held = model_.HeldBy(process);
  if (!held.empty() && OneIn(4)) {
    const Held ended = held[Below(held.size())];
    Deliver(process, ended);
    return ended;
  }
  queue_->Step(now_, input::Renewed{process}, effects_);
  model_.Renewed(now_, process);
  return std::nullopt;
}

/// The queue is gone, and with it all jobs that are not durable.
void QueueExercise::Restart() {
  BeginAnew([](const QueueModel::Job& job) { return job.options.durable; });
}

/// The queue is served elsewhere now: jobs that no stream owns and that wait go there, too. If it
/// comes back at once, those that run go on as well.
void QueueExercise::Move() {
  static constexpr auto kGoesAway = [](const QueueModel::Job& job) {
    const bool waits = job.where != QueueModel::Where::kRunning;
    return job.options.durable || (job.submitter == kDetached && waits);
  };
  static constexpr auto kComesBack = [](const QueueModel::Job& job) {
    return job.options.durable || job.submitter == kDetached;
  };
  OneIn(2) ? BeginAnew(kGoesAway) : BeginAnew(kComesBack);
}

/// A new queue takes in the jobs that go on, volatile ones in the order in which they arrived,
/// durable ones in any; then their processes come back, some of them.
void QueueExercise::BeginAnew(bool (*goes_on)(const QueueModel::Job&)) {
  std::map<ProcessId, ProcessKey> keys;
  for (const auto& [id, process] : model_.processes()) {
    keys[id] = process.key;
    if (before_.size() < kMostProcesses && !OneIn(3)) {
      before_.emplace_back(process.key, model_.HeldBy(id));
    }
  }
  std::vector<std::pair<QueueModel::Job, Restored>> jobs;
  for (const auto& [id, job] : model_.jobs()) {
    if (!goes_on(job)) continue;
    jobs.emplace_back(job, job.options.durable ? AsStored(id, job, keys) : *queue_->Save(id));
  }
  std::shuffle(jobs.begin(), jobs.end(), random_);
  std::stable_sort(jobs.begin(), jobs.end(), [](const auto& a, const auto& b) {
    const auto order = [](const QueueModel::Job& job) {
      return job.options.durable ? std::pair(Instant(), std::uint64_t{0})
                                 : std::pair(job.accepted, job.arrival);
    };
    return order(a.first) < order(b.first);
  });
  options_.first_generation += 10'000;
  queue_ = std::make_unique<Queue>(options_);
  model_.Restart();
  for (const auto& [job, restored] : jobs) {
    if (!complaint_.empty()) return;
    Restore(job, restored);
    Check();
  }
}

Restored QueueExercise::AsStored(JobId id, const QueueModel::Job& job,
                                 const std::map<ProcessId, ProcessKey>& keys) {
  const auto key_of = [&](ProcessId process) {
    const auto found = keys.find(process);  // that of a member that has ended may have left
    return found == keys.end() ? ProcessKey{next_key_++} : found->second;
  };
  Restored restored{.job = id,
                    .options = std::make_shared<const JobOptions>(job.options),
                    .spec = job.spec,
                    .spec_elsewhere = job.spec_elsewhere,
                    .accepted = job.accepted,
                    .handed_out = job.handed_out,
                    .attempts = job.attempts,
                    .lost_attempts = job.lost,
                    .members = {}};
  for (const QueueModel::Part& part : job.parts) {
    restored.members.push_back({key_of(part.process), part.id});
  }
  const bool is_single = job.parts.empty() && job.where == QueueModel::Where::kRunning;
  if (is_single) restored.members.push_back({key_of(job.process), id});
  return restored;
}

void QueueExercise::Restore(const QueueModel::Job& job, const Restored& restored) {
  queue_->Step(now_, input::Restore{restored}, effects_);
  std::vector<ProcessId> processes;
  for (const auto& member : restored.members) processes.push_back(queue_->IdFor(member.process));
  model_.Restore(now_, restored.job, job, restored, processes);
}

// ---- Choices

std::string QueueExercise::Key(std::uint64_t different) {
  return std::string(1, static_cast<char>('a' + Below(different)));
}

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
