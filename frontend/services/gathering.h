#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frontend/cluster/peers.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/rpc/parse.h"

namespace twofold::frontend {

/// The message that another frontend has answered with.
template <typename Reply>
Result<Reply> ReplyOf(const Result<std::string>& bytes) {
  if (!bytes.ok()) return bytes.status();
  Reply reply;
  if (const Status parsed = rpc::Parse(*bytes, reply); !parsed.ok()) return parsed;
  return reply;
}

/// So long other frontends may take to answer for what they have.
inline constexpr auto kGatherPatience = std::chrono::seconds(3);

/// One reply out of those of several frontends. It answers when nobody has it any more.
///
/// Threads  Add from any thread.
template <typename Reply>
class Gathering {
 public:
  /// Empty: what all have, one after the other.
  using Merge = std::function<void(Reply& all, Reply one)>;
  /// Takes down that one does not answer. Empty: then there is no reply.
  using Miss = std::function<void(Reply& all, const Peer& from, const std::string& why)>;

  Gathering(Result<Reply> own, Merge merge, Miss miss, std::function<void(Result<Reply>)> done)
      : reply_(std::move(own)),
        merge_(std::move(merge)),
        miss_(std::move(miss)),
        done_(std::move(done)) {}
  ~Gathering() { done_(std::move(reply_)); }
  Gathering(const Gathering&) = delete;
  Gathering& operator=(const Gathering&) = delete;

  /// What this frontend has.
  void Add(Result<Reply> reply) {
    const MutexLock lock(mutex_);
    if (!reply_.ok()) return;
    if (!reply.ok()) {
      reply_ = reply.status();
      return;
    }
    merge_ ? merge_(*reply_, *std::move(reply)) : reply_->MergeFrom(*reply);
  }

  /// What another one has answered.
  void Add(const Peer& from, const Result<std::string>& bytes) {
    const Status& status = bytes.status();
    // What some have is no answer for all.
    if (!absl::IsUnavailable(status) && !absl::IsDeadlineExceeded(status)) {
      return Add(ReplyOf<Reply>(bytes));
    }
    const std::string why(status.message());
    const MutexLock lock(mutex_);
    if (!reply_.ok()) return;
    if (miss_) return miss_(*reply_, from, why);
    reply_ = absl::UnavailableError("frontend " + from.name + " at " + from.client_address +
                                    " does not answer: " + why);
  }

 private:
  Mutex mutex_;
  Result<Reply> reply_ ABSL_GUARDED_BY(mutex_);
  const Merge merge_;
  const Miss miss_;
  const std::function<void(Result<Reply>)> done_;
};

/// The first reply that one has; else the first error that is not kNotFound; else that. It answers
/// when nobody has it any more.
///
/// Threads  Add from any thread.
template <typename Reply>
class FirstFound {
 public:
  FirstFound(Status not_found, std::function<void(Result<Reply>)> done)
      : reply_(std::move(not_found)), done_(std::move(done)) {}
  ~FirstFound() { done_(std::move(reply_)); }
  FirstFound(const FirstFound&) = delete;
  FirstFound& operator=(const FirstFound&) = delete;

  void Add(Result<Reply> reply) {
    const MutexLock lock(mutex_);
    if (reply_.ok() || (!reply.ok() && !absl::IsNotFound(reply_.status()))) return;
    reply_ = std::move(reply);
  }

 private:
  Mutex mutex_;
  Result<Reply> reply_ ABSL_GUARDED_BY(mutex_);
  const std::function<void(Result<Reply>)> done_;
};

/// Asks all other frontends that are alive the same, and calls `done` with what they and this one
/// have.
/// Errors   kUnavailable: one of them does not answer, and there is no `miss`; else the first that
///          one has.
template <typename Request, typename Reply>
void Gather(Peers& peers, const std::string& path, const Request& request, Caller caller,
            Result<Reply> own, typename Gathering<Reply>::Merge merge,
            typename Gathering<Reply>::Miss miss, std::function<void(Result<Reply>)> done) {
  const bool must_answer = !miss;
  const auto all = std::make_shared<Gathering<Reply>>(std::move(own), std::move(merge),
                                                      std::move(miss), std::move(done));
  caller.deadline = std::min(caller.deadline, std::chrono::system_clock::now() + kGatherPatience);
  for (const Peer& peer : peers.Others()) {
    if (peer.leaves && must_answer) continue;  // it has nothing, and may end any moment
    peers.Call(peer.client_address, path, request, caller,
               [all, peer](const Result<std::string>& reply) { all->Add(peer, reply); });
  }
}

}  // namespace twofold::frontend
