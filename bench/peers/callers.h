#pragma once

#include <memory>
#include <string>

#include "lib/rpc/channel.h"
#include "lib/rpc/loop_thread.h"

/// The streams of clients and workers: all of a kind on one thread.
namespace twofold::bench {

/// To the end of the process.
inline rpc::LoopThread& ClientsLoop() {
  static auto* const loop = new rpc::LoopThread(h2::Budgets());
  return *loop;
}
inline rpc::LoopThread& WorkersLoop() {
  static auto* const loop = new rpc::LoopThread(h2::Budgets());
  return *loop;
}

/// Begins a stream on a connection of its own.
inline void Open(rpc::LoopThread& loop, rpc::OutgoingCall& stream, const std::string& address,
                 const std::string& method, const security::Client& security = {}) {
  stream.Start(rpc::Channel::Connect(loop, address,
                                     {.security = security, .liveness = rpc::Liveness::kOfKernel}),
               rpc::CallTo(method, security));
}

}  // namespace twofold::bench
