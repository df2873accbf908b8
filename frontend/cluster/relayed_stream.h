#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "lib/common/result.h"
#include "lib/common/task.h"
#include "lib/rpc/awaited_call.h"
#include "lib/rpc/awaited_stream.h"

namespace twofold::frontend {

/// A caller's stream at a frontend that relays. Its first message says whether it is served here,
/// by a session that gets all that comes, or goes on at another frontend: then messages are passed
/// on as bytes, unread, in both directions, and at last how the stream ended. A message is read
/// when the one before was taken, so whoever does not read slows down whoever writes, and no more
/// than two are held.
///
/// Threads  See rpc::AwaitedStream.
class RelayedStream final : public rpc::AwaitedStream {
 public:
  /// The call at another frontend, which has begun; null: the stream is served here.
  using There = std::shared_ptr<rpc::AwaitedCall>;
  using Find = std::function<Task<Result<There>>(std::string first)>;
  using ServeHere = std::function<std::shared_ptr<rpc::ByteStream>()>;

  RelayedStream(Find find, ServeHere serve_here)
      : find_(std::move(find)), serve_here_(std::move(serve_here)) {}

 private:
  using Self = std::shared_ptr<RelayedStream>;

  void Serve() override { Run(std::static_pointer_cast<RelayedStream>(shared_from_this())); }
  void OnGone() override { gone_.request_stop(); }

  Detached Run(Self self);
  Detached PassUp(Self self, There there, std::string message);
  Detached PassDown(Self self, There there);
  void EndAs(const rpc::AwaitedCall& there);

  const Find find_;
  const ServeHere serve_here_;
  std::stop_source gone_;  // the caller
};

}  // namespace twofold::frontend
