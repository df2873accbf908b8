#include "bench/frontends/idle_workers.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdlib>
#include <memory>

#include "backend/agent/frontend_link.h"
#include "backend/workload/loop_on_asio.h"

namespace twofold::budgets {
namespace {

constexpr int kLinks = 64;  // in a process

class Worker final : private backend::FrontendLink::Listener {
 public:
  Worker(boost::asio::io_context& io, rpc::LoopOwner& loop, const std::string& contacts,
         std::uint64_t number)
      : number_(number),
        link_(io, loop, {.address = contacts, .give_up = Duration{0}}, number, *this) {
    link_.Start();
  }

 private:
  v1::Hello MakeHello() override {
    v1::Hello hello;
    hello.set_queue(kQueue);
    hello.set_process_key(number_);
    hello.set_node("bench");
    hello.set_pod(absl::StrCat("worker-", number_));
    hello.set_slots(1);
    return hello;
  }
  void OnMessage(const v1::FrontendMessage& /*message*/) override {}
  [[nodiscard]] bool HoldsAttempts() const override { return false; }
  void OnFlush() override {}
  void OnSilence() override {}
  void OnGone(const Status& /*status*/) override {}

  const std::uint64_t number_;
  backend::FrontendLink link_;
};

}  // namespace

IdleWorkers::IdleWorkers(Place& place, int workers, const std::string& contacts) {
  for (int first = 0; first < workers; first += kLinks) {
    processes_.push_back(place.Start(
        "frontends_benchmark", {"--links", absl::StrCat(std::min(kLinks, workers - first)),
                                "--first-key", absl::StrCat(first + 1), "--contacts", contacts}));
  }
}

void RunIdleWorkers(int workers, std::uint64_t first_key, const std::string& contacts) {
  boost::asio::io_context io;
  backend::LoopOnAsio loop(io);
  std::vector<std::unique_ptr<Worker>> all;
  for (int i = 0; i < workers; ++i) {
    all.push_back(
        std::make_unique<Worker>(io, loop, contacts, first_key + static_cast<std::uint64_t>(i)));
  }
  boost::asio::signal_set signals(io, SIGTERM);
  signals.async_wait([](const auto&...) { std::_Exit(0); });  // as if the host had gone
  io.run();
}

}  // namespace twofold::budgets
