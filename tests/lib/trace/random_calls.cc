#include "tests/lib/trace/random_calls.h"

#include <chrono>

namespace twofold::queue::trace {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kGiven = 64;
constexpr std::uint64_t kOptions = 300;  // more than the trace keeps

}  // namespace

const std::vector<RandomCalls::Call>& RandomCalls::Calls() {
  static const std::vector<Call> calls = {
      {300, &RandomCalls::Submit},      {250, &RandomCalls::Complete},
      {200, &RandomCalls::BeReady},     {20, &RandomCalls::Join},
      {50, &RandomCalls::EndTurn},      {50, &RandomCalls::Tick},
      {100, &RandomCalls::Renew},       {40, &RandomCalls::Cancel},
      {20, &RandomCalls::Resume},       {15, &RandomCalls::WorkerGone},
      {10, &RandomCalls::WorkerLeft},   {10, &RandomCalls::PauseWorker},
      {8, &RandomCalls::EndSubmitter},  {8, &RandomCalls::Restore},
      {5, &RandomCalls::StartDraining}, {4, &RandomCalls::Pause},
      {2, &RandomCalls::Drain},         {8, &RandomCalls::HoldDurable},
      {40, &RandomCalls::Sent},
  };
  return calls;
}

RandomCalls::RandomCalls(std::uint64_t seed, RecordedQueue& queue) : random_(seed), queue_(queue) {
  for (std::uint64_t i = 0; i < kOptions; ++i) options_.push_back(RandomOptions());
}

void RandomCalls::Step() {
  static const std::uint64_t weights = [] {
    std::uint64_t sum = 0;
    for (const Call& call : Calls()) sum += call.weight;
    return sum;
  }();
  if (OneIn(2)) now_ += milliseconds(Below(300));
  std::uint64_t pick = Below(weights);
  auto call = Calls().begin();
  for (; pick >= call->weight; ++call) pick -= call->weight;
  (this->*call->make)();
}

void RandomCalls::Do(const Assign& assign) {
  if (given_.size() == kGiven) given_.pop_front();
  given_.push_back({assign.process, {assign.job, assign.attempt}});
}

void RandomCalls::Submit() {
  if (queue_.core().waiting() > 50) return EndTurn();
  queue_.Step(now_,
              input::Submit{SubmitterId{Below(4)}, ++tag_, options_[Below(OneIn(4) ? kOptions : 3)],
                            RandomBytes(60)},
              *this);
}

void RandomCalls::Cancel() { queue_.Step(now_, input::Cancel{AnyGiven().held.job}, *this); }

void RandomCalls::EndSubmitter() {
  queue_.Step(now_, input::SubmitterGone{SubmitterId{Below(4)}}, *this);
}

void RandomCalls::Join() {
  std::vector<Held> held;
  for (std::uint64_t count = Below(3); count > 0; --count) held.push_back(AnyGiven().held);
  const std::string node = "node-" + std::to_string(Below(3));
  queue_.Step(now_,
              input::WorkerJoined{.key = ProcessKey{1 + Below(6)},
                                  .slots = static_cast<std::uint32_t>(1 + Below(OneIn(5) ? 20 : 3)),
                                  .held = held,
                                  .draining = OneIn(20),
                                  .paused = OneIn(20),
                                  .node = node,
                                  .labels = OneIn(2) ? "gpu=1\n" : ""},
              *this);
}

void RandomCalls::WorkerGone() { queue_.Step(now_, input::WorkerGone{AnyProcess()}, *this); }
void RandomCalls::WorkerLeft() { queue_.Step(now_, input::WorkerLeft{AnyProcess()}, *this); }
void RandomCalls::Renew() { queue_.Step(now_, input::Renewed{AnyProcess()}, *this); }
void RandomCalls::StartDraining() { queue_.Step(now_, input::WorkerDraining{AnyProcess()}, *this); }
void RandomCalls::PauseWorker() {
  queue_.Step(now_, input::PauseWorker{AnyProcess(), OneIn(4)}, *this);
}

/// Mostly of a gang that has just been started: all of its members have to be.
void RandomCalls::BeReady() {
  Given given = AnyGiven();
  if (given_.size() > 5) given = given_[given_.size() - 1 - Below(5)];
  queue_.Step(now_, input::MemberReady{given.process, given.held}, *this);
}

/// Mostly something that has no answer yet.
void RandomCalls::Complete() {
  const Given given = AnyGiven();
  if (!OneIn(8)) std::erase_if(given_, [&](const Given& one) { return one.held == given.held; });
  const std::string report = RandomBytes(40);
  queue_.Step(now_,
              input::Completed{given.process,
                               {.job = given.held.job,
                                .attempt = given.held.attempt,
                                .handed_back = OneIn(10),
                                .outcome = OneIn(2) ? Outcome::kSucceeded
                                                    : static_cast<Outcome>(Below(kOutcomes)),
                                .run_time = milliseconds(Below(1000)),
                                .device = OneIn(2) ? "cpu" : "",
                                .report = report}},
              *this);
}

void RandomCalls::EndTurn() { queue_.Step(now_, input::EndTurn{}, *this); }
void RandomCalls::Pause() { queue_.Step(now_, input::Pause{}, *this); }
void RandomCalls::Drain() { queue_.Step(now_, input::Drain{}, *this); }
void RandomCalls::Resume() { queue_.Step(now_, input::Resume{}, *this); }

void RandomCalls::Restore() {
  if (queue_.core().waiting() > 50) return Tick();
  JobOptions options = *options_[Below(kOptions)];
  options.durable = true;
  options.dedup_key.clear();
  options.gang.size = 1;
  // Numbers that the queue itself never reaches.
  const std::uint64_t number = (std::uint64_t{1} << 40) + ++restored_;
  Restored restored{.job = JobId{kDurableBit | number},
                    .options = std::make_shared<const JobOptions>(options),
                    .spec = RandomBytes(60),
                    .accepted = now_ - milliseconds(Below(1000)),
                    .members = {}};
  if (OneIn(2)) {
    restored.handed_out = now_;
    restored.attempts = 1;
    restored.members = {{ProcessKey{100 + restored_}, restored.job}};
  }
  queue_.Step(now_, input::Restore{restored}, *this);
}

void RandomCalls::Sent() { queue_.Step(now_, input::Sent{AnyProcess()}, *this); }

void RandomCalls::HoldDurable() { queue_.Step(now_, input::HoldDurable{OneIn(2)}, *this); }

void RandomCalls::Tick() { queue_.Step(now_, input::Tick{}, *this); }

std::shared_ptr<const JobOptions> RandomCalls::RandomOptions() {
  JobOptions options;
  options.suite = "suite " + std::to_string(Below(5));
  options.limit = milliseconds(Below(2000));
  options.priority = static_cast<int>(Below(21)) - 10;
  options.max_attempts = static_cast<std::uint32_t>(1 + Below(3));
  if (OneIn(4)) {
    options.gang = {.size = static_cast<std::uint32_t>(2 + Below(4)),
                    .spread = OneIn(2) ? Spread::kAny : Spread::kNode,
                    .timeout = milliseconds(100 + Below(3000))};
  }
  options.durable = OneIn(5);
  if (OneIn(5)) options.dedup_key = "same " + std::to_string(Below(5));
  if (OneIn(5)) options.delay = milliseconds(Below(1000));
  if (OneIn(5)) options.deadline = milliseconds(1 + Below(3000));
  if (OneIn(3)) options.fair_key = "team " + std::to_string(Below(3));
  options.weight = static_cast<std::uint32_t>(1 + Below(4));
  if (OneIn(4)) options.limit_key = "device " + std::to_string(Below(3));
  options.key_limit = static_cast<std::uint32_t>(1 + Below(2));
  if (OneIn(5)) options.placement = OneIn(2) ? "label gpu=1\n" : "node node-1\nnode node-2\n";
  return std::make_shared<const JobOptions>(options);
}

std::string RandomCalls::RandomBytes(std::uint64_t most) {
  std::string bytes(Below(most + 1), '\0');
  for (char& byte : bytes) byte = static_cast<char>(random_());
  return bytes;
}

RandomCalls::Given RandomCalls::AnyGiven() {
  if (given_.empty() || OneIn(30)) {
    return {AnyProcess(), {JobId{random_()}, static_cast<Attempt>(Below(3))}};
  }
  return given_[Below(given_.size())];
}

}  // namespace twofold::queue::trace
