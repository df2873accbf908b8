// What a frontend does with the bytes of clients. An input interleaves several client streams with
// well-behaved workers, lost connections, leases that run out, pauses and cancels. Each job has to
// end exactly once.

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "tests/fuzz/client_peer.h"
#include "tests/fuzz/script.h"
#include "tests/fuzz/target.h"
#include "tests/fuzz/worker_peer.h"

namespace twofold::fuzz {
namespace {

constexpr std::array<const char*, 2> kQueues = {"a", "d"};

class Scenario {
 public:
  explicit Scenario(bool with_store) : frontend_(with_store) {}

  void Do(const Step& step) { (this->*kActions[step.what % kActions.size()])(step); }

  /// Lets everything happen that needs no further input.
  void Settle() {
    frontend_.Sync();
    for (auto& client : clients_) client->Settle();
    for (auto& worker : workers_) worker->Settle();
  }

  void Finish() {
    Settle();
    frontend_.Cancel(SIZE_MAX);
    Settle();
    Require(frontend_.unfinished() == 0, "no job stays behind");
    for (auto& client : clients_) client->Finish();
    for (auto& worker : workers_) {
      worker->Break();
      frontend_.Sync();  // the journal must not answer one stream while the next one ends
    }
  }

 private:
  using Action = void (Scenario::*)(const Step&);

  template <std::size_t index>
  void Send(const Step& step) {
    if (clients_[index]->gone()) clients_[index] = std::make_unique<ClientPeer>(frontend_);
    clients_[index]->Send(step.bytes);
  }
  void HalfClose(const Step&) { clients_[0]->HalfClose(); }
  void BreakClient(const Step&) { clients_[0]->Break(); }

  void Join(const Step& step) {
    auto& worker = workers_[step.number() % workers_.size()];
    worker = std::make_unique<WorkerPeer>(frontend_, step.number() % workers_.size() + 1);
    worker->Join(kQueues[step.number() % kQueues.size()], step.number() % 8 + 1);
  }
  void Answer(const Step& step) {
    const auto outcome = static_cast<v1::Outcome>(1 + step.number() % 4);
    for (auto& worker : workers_) worker->AnswerAll(outcome, (step.number() & 0x80) != 0);
  }
  void BreakWorker(const Step& step) { workers_[step.number() % workers_.size()]->Break(); }

  void Tick(const Step&) { frontend_.Tick(); }
  void Control(const Step& step) { frontend_.Control(step.number()); }
  void Cancel(const Step& step) { frontend_.Cancel(step.number()); }

  static constexpr std::array<Action, 10> kActions = {
      &Scenario::Send<0>, &Scenario::Send<1>, &Scenario::HalfClose,   &Scenario::BreakClient,
      &Scenario::Join,    &Scenario::Answer,  &Scenario::BreakWorker, &Scenario::Tick,
      &Scenario::Control, &Scenario::Cancel,
  };

  Frontend frontend_;
  std::array<std::unique_ptr<ClientPeer>, 2> clients_ = {std::make_unique<ClientPeer>(frontend_),
                                                         std::make_unique<ClientPeer>(frontend_)};
  std::array<std::unique_ptr<WorkerPeer>, 3> workers_ = {
      std::make_unique<WorkerPeer>(frontend_, 1), std::make_unique<WorkerPeer>(frontend_, 2),
      std::make_unique<WorkerPeer>(frontend_, 3)};
};

}  // namespace
}  // namespace twofold::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace twofold::fuzz;
  Play<Scenario>(Bytes(data, size));
  return 0;
}
