#include "backend/workload/loop_on_asio.h"

#include "backend/workload/after.h"

namespace twofold::backend {

LoopOnAsio::LoopOnAsio(boost::asio::io_context& io) : ready_(io, loop_.descriptor()), due_(io) {
  Await();
}

LoopOnAsio::~LoopOnAsio() { ready_.release(); }

void LoopOnAsio::Await() {
  ready_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                    [this](const boost::system::error_code& error) {
                      if (error) return;
                      TakeTurn();
                      Await();
                    });
}

void LoopOnAsio::TakeTurn() {
  const TakesTurns here(this);
  loop_.Turn(Duration::zero());
  AwaitDue();
}

void LoopOnAsio::AwaitDue() {
  const Instant next = loop_.NextDue();
  if (next >= due_at_) return;  // looked at again when that has come
  due_at_ = next;
  After(due_, next - Now(), [this] {
    due_at_ = Instant::max();
    TakeTurn();
  });
}

}  // namespace twofold::backend
