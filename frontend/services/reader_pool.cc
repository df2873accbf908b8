#include "frontend/services/reader_pool.h"

#include <chrono>
#include <memory>
#include <utility>

#include "lib/rpc/status_details.h"

namespace twofold::frontend {

Status ReaderPool::Refusal() {
  return rpc::FullStatus("too many reads wait already, try again after 1 s",
                         std::chrono::seconds(1));
}

bool OnPool::await_suspend(std::coroutine_handle<> waiter) {
  const auto entry = std::make_shared<Entry>(*this, waiter);
  const auto go_on = [entry] { std::exchange(entry->waiter, std::coroutine_handle<>()).resume(); };
  const bool posted = is_next_ ? pool_->Continue(go_on) : pool_->Post(go_on);
  if (posted) return true;  // this object may be gone
  entry->waiter = nullptr;
  status_ = ReaderPool::Refusal();
  return false;
}

OnPool::Entry::~Entry() {
  if (!waiter) return;
  entered.status_ = absl::UnavailableError("the frontend ends");
  waiter.resume();
}

}  // namespace twofold::frontend
