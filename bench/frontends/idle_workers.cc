#include "bench/frontends/idle_workers.h"

#include <absl/strings/str_cat.h>

#include <boost/asio/post.hpp>
#include <cstdint>
#include <utility>

#include "backend/agent/frontend_link.h"
#include "bench/frontends/cluster.h"

namespace twofold::budgets {

class IdleWorkers::Worker final : private backend::FrontendLink::Listener {
 public:
  Worker(boost::asio::io_context& io, const std::string& contacts, std::uint64_t number)
      : number_(number), link_(io, {.address = contacts, .give_up = Duration{0}}, number, *this) {
    link_.Start();
  }

  void Leave() {
    link_.up() ? link_.Close() : link_.Abandon(absl::CancelledError("the scenario is over"));
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
  void OnGone(const Status& /*status*/) override {}

  const std::uint64_t number_;
  backend::FrontendLink link_;
};

IdleWorkers::IdleWorkers(int workers, const std::string& contacts)
    : work_(boost::asio::make_work_guard(io_)) {
  for (int i = 1; i <= workers; ++i) {
    workers_.push_back(std::make_unique<Worker>(io_, contacts, static_cast<std::uint64_t>(i)));
  }
  thread_ = std::thread([this] { io_.run(); });
}

IdleWorkers::~IdleWorkers() {
  boost::asio::post(io_, [this] {
    for (const auto& worker : workers_) worker->Leave();
    work_.reset();  // the thread ends with the last link
  });
  thread_.join();
}

}  // namespace twofold::budgets
