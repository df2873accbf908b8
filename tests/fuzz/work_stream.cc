// What a frontend does with the bytes of workers, while well-behaved clients have submitted jobs of
// all kinds. An input interleaves several worker streams with lost connections, leases that run
// out, pauses and cancels. No worker may make a job end twice or never, or get more attempts than
// slots.

#include <array>
#include <functional>
#include <memory>

#include "lib/rpc/batches.h"
#include "tests/fuzz/client_peer.h"
#include "tests/fuzz/script.h"
#include "tests/fuzz/target.h"
#include "tests/fuzz/worker_peer.h"

namespace twofold::fuzz {
namespace {

// The kinds of jobs that a script can submit.
constexpr std::array<void (*)(v1::JobOptions&), 8> kKinds = {
    +[](v1::JobOptions&) {},
    +[](v1::JobOptions& options) { options.set_max_attempts(3); },
    +[](v1::JobOptions& options) { options.mutable_gang()->set_size(2); },
    +[](v1::JobOptions& options) {
      options.mutable_gang()->set_size(3);
      options.mutable_gang()->set_spread(v1::SPREAD_NODE);
      options.set_max_attempts(2);
    },
    +[](v1::JobOptions& options) { options.set_dedup_key("one"); },
    +[](v1::JobOptions& options) {
      options.set_limit_key("key");
      options.set_key_limit(1);
    },
    +[](v1::JobOptions& options) { options.set_deadline_ns(1); },
    +[](v1::JobOptions& options) {
      options.set_fair_key("fair");
      options.set_priority(3);
    },
};

constexpr std::array<const char*, 2> kQueues = {"a", "d"};

class Scenario {
 public:
  explicit Scenario(bool with_store) : frontend_(with_store) {}

  void Do(const Step& step) { (this->*kActions[step.what % kActions.size()])(step); }

  /// Lets everything happen that needs no further input.
  void Settle() {
    frontend_.Sync();
    client_.Settle();
    for (auto& worker : workers_) worker->Settle();
    if (before_) before_->Settle();
  }

  void Finish() {
    Settle();
    frontend_.Cancel(SIZE_MAX);
    Settle();
    Require(frontend_.unfinished() == 0, "no job stays behind");
    client_.Finish();
    for (WorkerPeer* worker : {workers_[0].get(), workers_[1].get(), before_.get()}) {
      if (worker != nullptr) worker->Break();
      frontend_.Sync();  // the journal must not answer one stream while the next one ends
    }
  }

 private:
  using Action = void (Scenario::*)(const Step&);

  WorkerPeer& Open(std::size_t index) {
    if (workers_[index]->gone()) {
      workers_[index] = std::make_unique<WorkerPeer>(frontend_, index + 1);
    }
    return *workers_[index];
  }

  template <std::size_t index>
  void Send(const Step& step) {
    Open(index).Send(step.bytes);
  }
  template <std::size_t index>
  void SendAboutMine(const Step& step) {
    Open(index).SendAboutMine(step.bytes);
  }
  void HalfClose(const Step& step) { workers_[step.number() % workers_.size()]->HalfClose(); }
  void Break(const Step& step) { workers_[step.number() % workers_.size()]->Break(); }

  /// Opens another stream, even while the one before is still open.
  void Again(const Step& step) {
    before_ = std::move(workers_[0]);
    workers_[0] = std::make_unique<WorkerPeer>(frontend_, 1);
    workers_[0]->Send(step.bytes);
  }

  /// Submits a few jobs of each of these kinds.
  void Submit(const Step& step) {
    v1::SubmitRequest request;
    for (const char kind : step.bytes.substr(0, 16)) {
      const auto number = static_cast<std::uint8_t>(kind);
      v1::JobOptions& options = *request.add_options();
      options.set_queue(kQueues[number / kKinds.size() % kQueues.size()]);
      kKinds[number % kKinds.size()](options);
      rpc::Append(request, {.tag = ++last_tag_,
                            .option = static_cast<std::uint32_t>(request.options_size() - 1),
                            .spec = "spec"});
    }
    client_.Send(request.SerializeAsString());
  }

  void Tick(const Step&) { frontend_.Tick(); }
  void Control(const Step& step) { frontend_.Control(step.number()); }
  void Cancel(const Step& step) { frontend_.Cancel(step.number()); }
  void Watch(const Step&) { frontend_.Watch(); }

  static constexpr std::array<Action, 12> kActions = {
      &Scenario::Send<0>,
      &Scenario::Send<1>,
      &Scenario::SendAboutMine<0>,
      &Scenario::SendAboutMine<1>,
      &Scenario::HalfClose,
      &Scenario::Break,
      &Scenario::Again,
      &Scenario::Submit,
      &Scenario::Tick,
      &Scenario::Control,
      &Scenario::Cancel,
      &Scenario::Watch,
  };

  Frontend frontend_;
  ClientPeer client_{frontend_};
  std::uint64_t last_tag_ = 0;
  std::array<std::unique_ptr<WorkerPeer>, 2> workers_ = {
      std::make_unique<WorkerPeer>(frontend_, 1), std::make_unique<WorkerPeer>(frontend_, 2)};
  std::unique_ptr<WorkerPeer> before_;
};

}  // namespace
}  // namespace twofold::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace twofold::fuzz;
  Play<Scenario>(Bytes(data, size));
  return 0;
}
