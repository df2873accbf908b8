#include "frontend/cluster/relayed_stream.h"

#include <optional>

namespace twofold::frontend {

/// A stream without a message is served here.
Detached RelayedStream::Run(Self self) {
  std::optional<std::string> first = co_await Read();
  if (!first) co_return HandOver(serve_here_(), std::nullopt);
  Task<Result<There>> search = find_(*first);
  const Result<There> there = co_await search;
  if (!there.ok()) co_return Finish(there.status());
  if (*there == nullptr) co_return HandOver(serve_here_(), std::move(first));
  PassUp(self, *there, *std::move(first));
  PassDown(self, *there);
}

Detached RelayedStream::PassUp(Self self, There there, std::string message) {
  for (;;) {
    const bool is_taken = co_await there->Write(message);
    if (!is_taken) co_return;
    std::optional<std::string> next = co_await self->Read();
    if (!next) break;
    message = *std::move(next);
  }
  there->HalfClose();
}

/// A caller that goes ends the call there.
Detached RelayedStream::PassDown(Self self, There there) {
  const std::stop_callback cancel(gone_.get_token(), [&there] { there->Cancel(); });
  for (;;) {
    std::optional<std::string> message = co_await there->Read();
    if (!message) break;
    const bool is_taken = co_await self->Write(*message);
    if (!is_taken) co_return;
  }
  EndAs(*there);
}

void RelayedStream::EndAs(const rpc::AwaitedCall& there) {
  // What a connection says has the address, which tells the caller nothing.
  if (!there.is_servers_word() && absl::IsUnavailable(there.status())) {
    return Finish(
        absl::UnavailableError("the frontend that serves the queue cannot be reached; try again"));
  }
  Finish(there.status(), there.trailers());
}

}  // namespace twofold::frontend
