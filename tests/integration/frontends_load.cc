#include "tests/integration/frontends_load.h"

#include <absl/strings/str_cat.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <array>
#include <utility>

#include "lib/common/arguments.h"
#include "cli/channel/channel.h"
#include "tests/support/program.h"

namespace twofold::testing {
namespace {

// Some 200 jobs a second in all, so that workers on a small machine keep up.
constexpr auto kPause = std::chrono::milliseconds(20);

// Longer than a takeover. Who is cut off from the database holds a commit for longer.
constexpr auto kDeadline = std::chrono::seconds(8);

constexpr std::uint32_t kMostAttempts = 5;

v1::SubmitJobRequest NewJob(const std::string& run) {
  v1::SubmitJobRequest request;
  request.mutable_options()->set_queue("sleep");
  request.mutable_options()->set_durable(true);
  request.mutable_options()->set_run(run);
  request.mutable_options()->set_max_attempts(kMostAttempts);
  std::string sleep = "0.01";
  if (run.back() % 2 == 0) sleep.resize(2000, '0');  // then it is in the store alone
  request.set_spec(EncodeArguments(std::vector<std::string>{sleep}));
  return request;
}

}  // namespace

DurableLoad::DurableLoad(std::string name, std::vector<std::string> addresses)
    : name_(std::move(name)), addresses_(std::move(addresses)) {
  for (std::size_t i = 0; i < kThreads; ++i) threads_.emplace_back([this, i] { Run(i); });
}

void DurableLoad::Stop() {
  stopped_ = true;
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void DurableLoad::Run(std::size_t thread) {
  std::mt19937_64 random(thread);
  for (std::uint64_t number = 1; !stopped_; ++number) {
    SubmitOne(Choose(random, thread), absl::StrCat(name_, thread, "-", number));
    {
      const MutexLock lock(mutex_);
      under_way_[thread].clear();
    }
    std::this_thread::sleep_for(kPause);
  }
}

std::string DurableLoad::Choose(std::mt19937_64& random, std::size_t thread) {
  const MutexLock lock(mutex_);
  return under_way_[thread] = addresses_[random() % addresses_.size()];
}

void DurableLoad::SubmitOne(const std::string& address, const std::string& run) {
  const v1::SubmitJobRequest request = NewJob(run);
  {
    const MutexLock lock(mutex_);
    recorder_.Submitted(run, request.options());
  }
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kDeadline);
  v1::Job job;
  const Instant called = Now();
  const grpc::Status status = StubOf(address)->SubmitJob(&context, request, &job);
  status.ok() ? Accepted(run, job.id(), called) : Failed(status);
}

void DurableLoad::Accepted(const std::string& run, std::uint64_t job, Instant called) {
  const MutexLock lock(mutex_);
  recorder_.Accepted(run, job);
  ++tally_.accepted;
  const Instant now = Now();
  tally_.longest_pause = std::max(tally_.longest_pause, now - last_accepted_);
  last_accepted_ = now;
  tally_.waited += now - called;
}

void DurableLoad::Failed(const grpc::Status& status) {
  const MutexLock lock(mutex_);
  // CANCELLED: the frontend ended meanwhile.
  constexpr std::array kExpected = {grpc::StatusCode::UNAVAILABLE, grpc::StatusCode::CANCELLED,
                                    grpc::StatusCode::DEADLINE_EXCEEDED};
  const bool is_expected =
      std::find(kExpected.begin(), kExpected.end(), status.error_code()) != kExpected.end();
  ++(is_expected ? tally_.unavailable : tally_.failed)[status.error_message()];
}

std::shared_ptr<v1::Clients::Stub> DurableLoad::StubOf(const std::string& address) {
  const MutexLock lock(mutex_);
  auto& stub = stubs_[address];
  if (stub == nullptr) stub = v1::Clients::NewStub(cli::Connect(address));
  return stub;
}

void DurableLoad::SubmitTo(const std::vector<std::string>& addresses) {
  {
    const MutexLock lock(mutex_);
    addresses_ = addresses;
    stubs_.clear();  // channels to programs that were started again may pause
  }
  Await([this] {
    const MutexLock lock(mutex_);
    return std::all_of(under_way_.begin(), under_way_.end(), [this](const std::string& address) {
      return address.empty() ||
             std::find(addresses_.begin(), addresses_.end(), address) != addresses_.end();
    });
  });
}

DurableLoad::Tally DurableLoad::tally() {
  const MutexLock lock(mutex_);
  return tally_;
}

void DurableLoad::ForgetPauses() {
  const MutexLock lock(mutex_);
  tally_.longest_pause = Duration{0};
  last_accepted_ = Now();
}

bool DurableLoad::AwaitMore(std::uint64_t count) {
  const std::uint64_t goal = tally().accepted + count;
  return Await([&] { return tally().accepted >= goal; });
}

}  // namespace twofold::testing
