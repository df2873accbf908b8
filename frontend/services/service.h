#pragma once

#include <absl/strings/str_cat.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/cluster/peers.h"
#include "frontend/services/claims.h"
#include "frontend/services/gathering.h"
#include "frontend/services/pulled_call.h"
#include "frontend/services/reader_pool.h"
#include "lib/common/result.h"
#include "lib/queue/types.h"
#include "lib/rpc/service.h"
#include "lib/rpc/wire.h"

namespace twofold::frontend {

/// A service of the frontend. Its constructor is the table of its methods, and each row says how
/// calls are answered: Serve at once, on the thread of the loop; Read on a thread of a pool; Wait
/// later; Pull by a stream of messages; Stream by an object of their own. All but the first kind
/// take a place among the open calls of their peer.
///
/// Where several frontends share the queues, a call that is Routed is answered by the one that
/// serves its queue, one that is Spread by all who serve a shard of it, and what a Gathered call
/// brings comes from all.
class Service : public rpc::Service {
 public:
  /// There are other frontends. Call it before the first call. REQUIRES: it outlives the calls.
  void SetPeers(Peers& peers) { peers_ = &peers; }

  /// Streams that belong to other frontends are passed on, as their callers cannot reach these.
  /// Call it after SetPeers, before the first call.
  void RelayStreams() { relays_ = true; }

 protected:
  /// Both outlive the calls.
  Service(std::string_view name, OpenCalls& calls, ReaderPool& readers)
      : rpc::Service(name), calls_(calls), readers_(readers) {}

  /// The answer to the calls that take a place of all methods that are declared from now on.
  void RefuseWhatFollows(Status why) { refusal_ = std::move(why); }

  /// The pool whose threads may block on a request; nullptr: it does not take long, and is dealt
  /// with at once. No function: always the readers.
  template <typename Request>
  using PoolFor = std::function<ReaderPool*(const Request&)>;

  /// `read` may block, and may take long.
  template <typename Request, typename Reply>
  void Read(std::string_view method, std::function<Result<Reply>(const Request&)> read,
            PoolFor<Request> pool_for = {}) {
    const auto answer = [read = std::move(read)](const Request& request, const auto& call) {
      call->Answer(read(request));
    };
    Wait<Request, Reply>(method, answer, std::move(pool_for));
  }

  /// `answer` sees to it that the call is answered.
  template <typename Request, typename Reply>
  void Wait(std::string_view method, typename rpc::UnaryCall<Request, Reply>::Handler answer,
            PoolFor<Request> pool_for = {}) {
    const auto handle = Posted<Request, Reply>(std::move(answer), std::move(pool_for));
    Stream(method,
           [handle](auto&) { return std::make_shared<rpc::UnaryCall<Request, Reply>>(handle); });
  }

  /// The queue that a request is about; empty: this frontend answers.
  template <typename Request>
  using QueueOf = std::function<std::string(const Request&)>;

  /// As Wait, by the frontend that serves the queue. `queue_of` is called on the same pool.
  template <typename Request, typename Reply>
  void Routed(std::string_view method, QueueOf<Request> queue_of,
              typename rpc::UnaryCall<Request, Reply>::Handler answer,
              PoolFor<Request> pool_for = {}) {
    RoutedWithCaller<Request, Reply>(
        method, std::move(queue_of),
        [answer = std::move(answer)](auto& request, auto& call, auto&) { answer(request, call); },
        std::move(pool_for));
  }

  /// Also takes who calls: for what is to be passed on later.
  template <typename Request, typename Reply>
  using AnswerTo =
      std::function<void(const Request&, const std::shared_ptr<rpc::UnaryCall<Request, Reply>>&,
                         const Caller& caller)>;

  template <typename Request, typename Reply>
  void RoutedWithCaller(std::string_view method, QueueOf<Request> queue_of,
                        AnswerTo<Request, Reply> answer, PoolFor<Request> pool_for = {}) {
    using Call = rpc::UnaryCall<Request, Reply>;
    Stream(method, [=, this, path = PathOf(method)](const rpc::CallInfo& info) {
      const auto local =
          Posted<Request, Reply>([answer, caller = CallerOf(info)](
                                     auto& request, auto& call) { answer(request, call, caller); },
                                 pool_for);
      const auto route = [=, this, caller = CallerOf(info)](const Request& request,
                                                            const auto& call) {
        const std::string queue = peers_ == nullptr ? std::string() : queue_of(request);
        FindOwner(queue, caller, [=, this](const Result<Owning>& owner) {
          if (!owner.ok()) return call->Fail(owner.status());
          if (owner->address.empty()) return local(request, call);
          Forward(owner->address, path, request, owner->caller, call);
        });
      };
      return std::make_shared<Call>(Posted<Request, Reply>(route, pool_for));
    });
  }

  /// Answers for this frontend, now or later.
  template <typename Request, typename Reply>
  using Part = std::function<void(const Request&, std::function<void(Result<Reply>)>)>;

  /// As Routed, of a request about a job, its `id`. A volatile job that the frontend does not know
  /// which serves the queue may be with another one: what ran when its queue went ends where it
  /// was.
  template <typename Request, typename Reply>
  void OfJob(std::string_view method, QueueOf<Request> queue_of, Part<Request, Reply> part,
             PoolFor<Request> pool_for) {
    using Call = rpc::UnaryCall<Request, Reply>;
    Stream(method, [=, this, path = PathOf(method)](const rpc::CallInfo& info) {
      const auto answer = [=, this, caller = CallerOf(info)](const Request& request,
                                                             const auto& call) {
        const auto done = [call](Result<Reply> reply) { call->Answer(std::move(reply)); };
        const auto found = [=, this](Result<Reply> reply) {
          const bool may_be_elsewhere = absl::IsNotFound(reply.status()) && peers_ != nullptr &&
                                        !caller.is_forwarded &&
                                        !IsDurable(queue::JobId{request.id()});
          if (!may_be_elsewhere) return done(std::move(reply));
          AskAll<Request, Reply>(path, request, caller,
                                 std::make_shared<FirstFound<Reply>>(reply.status(), done), part);
        };
        const auto local = Posted<Request, Reply>(
            [=](const Request& asked, const auto&) { part(asked, found); }, pool_for);
        const std::string queue = peers_ == nullptr ? std::string() : queue_of(request);
        FindOwner(queue, caller, [=, this](const Result<Owning>& owner) {
          if (!owner.ok()) return call->Fail(owner.status());
          if (owner->address.empty()) return local(request, call);
          call->WhenCancelled(peers_->Call(
              owner->address, path, request, owner->caller,
              [found](const Result<std::string>& bytes) { found(ReplyOf<Reply>(bytes)); }));
        });
      };
      return std::make_shared<Call>(Posted<Request, Reply>(answer, pool_for));
    });
  }

  /// A request for each shard that is meant, with the shard's name.
  template <typename Request>
  using ShardsIn =
      std::function<Result<std::vector<std::pair<std::string, Request>>>(const Request&)>;

  /// Answered by the frontends that serve the shards, each for its own, on the pool: the replies
  /// become one, as `merge` says. Errors: the first one of a shard.
  template <typename Request, typename Reply>
  void Spread(std::string_view method, ShardsIn<Request> shards_in, Part<Request, Reply> part,
              typename Gathering<Reply>::Merge merge, PoolFor<Request> pool_for = {}) {
    using Call = rpc::UnaryCall<Request, Reply>;
    Stream(method, [=, this, path = PathOf(method)](const rpc::CallInfo& info) {
      const auto spread = [=, this, caller = CallerOf(info)](const Request& request,
                                                             const auto& call) {
        const auto shards = shards_in(request);
        if (!shards.ok()) return call->Answer(shards.status());
        const auto all = std::make_shared<Gathering<Reply>>(
            Reply(), merge, typename Gathering<Reply>::Miss(),
            [call](Result<Reply> reply) { call->Answer(std::move(reply)); });
        for (const auto& [queue, of_shard] : *shards) {
          FindOwner(
              queue, caller,
              [=, this, queue = queue, request = of_shard](const Result<Owning>& owner) {
                if (!owner.ok()) return all->Add(owner.status());
                if (owner->address.empty()) {
                  return part(request, [all](Result<Reply> reply) { all->Add(std::move(reply)); });
                }
                peers_->Call(owner->address, path, request, owner->caller,
                             [all, peer = Peer{"that serves " + queue, owner->address, {}}](
                                 const Result<std::string>& reply) { all->Add(peer, reply); });
              });
        }
      };
      return std::make_shared<Call>(Posted<Request, Reply>(spread, pool_for));
    });
  }

  /// Answered at once, by the frontend of this name; by this one if there is none.
  template <typename Request, typename Reply>
  void Named(std::string_view method, std::function<std::string(const Request&)> name_of,
             typename rpc::UnaryCall<Request, Reply>::Handler answer) {
    Stream(method, [=, this, path = PathOf(method)](const rpc::CallInfo& info) {
      return std::make_shared<rpc::UnaryCall<Request, Reply>>(
          [=, this, caller = CallerOf(info)](const Request& request, const auto& call) {
            if (peers_ != nullptr && !caller.is_forwarded) {
              for (const Peer& peer : peers_->Others()) {
                if (peer.name != name_of(request)) continue;
                return Forward(peer.client_address, path, request, caller, call);
              }
            }
            answer(request, call);
          });
    });
  }

  /// Answered by all frontends, each for its part, on the pool: the replies become one, as `merge`
  /// says, and `arrange` has the last word, also that it is an error. `miss`: see Gathering. What
  /// is about one queue, as `queue_of` says, is only asked of the frontend that serves it.
  template <typename Request, typename Reply>
  void Gathered(std::string_view method, Part<Request, Reply> part, PoolFor<Request> pool_for,
                typename Gathering<Reply>::Merge merge = {},
                std::function<Status(const Request&, Reply& all)> arrange = {},
                typename Gathering<Reply>::Miss miss = {}, QueueOf<Request> queue_of = {}) {
    using Call = rpc::UnaryCall<Request, Reply>;
    Stream(method, [=, this, path = PathOf(method)](const rpc::CallInfo& info) {
      const auto gather = [=, this, caller = CallerOf(info)](const Request& request,
                                                             const auto& call) {
        const auto answer = [=, is_part = caller.is_forwarded](Result<Reply> reply) {
          Status status = reply.status();
          if (status.ok() && arrange && !is_part) status = arrange(request, *reply);
          status.ok() ? call->Answer(std::move(reply)) : call->Answer(status);
        };
        if (peers_ == nullptr || caller.is_forwarded) return part(request, answer);
        if (const std::string queue = queue_of ? queue_of(request) : ""; !queue.empty()) {
          return peers_->Find(queue, caller.epoch, [=, this](const Result<Peers::Place>& place) {
            if (!place.ok()) return call->Fail(place.status());
            if (place->address.empty()) return part(request, answer);
            Forward(place->address, path, request, caller, call);
          });
        }
        part(request, [=, this](Result<Reply> own) {
          Gather<Request, Reply>(*peers_, path, request, caller, std::move(own), merge, miss,
                                 answer);
        });
      };
      return std::make_shared<Call>(Posted<Request, Reply>(gather, pool_for));
    });
  }

  /// `open` and what it returns are called on threads of the pool.
  template <typename Request, typename Message>
  void Pull(std::string_view method,
            std::function<Result<NextMessage<Message>>(const Request&)> open) {
    Stream(method, [this, open = std::move(open)](auto&) {
      return std::make_shared<PulledCall<Request, Message>>(readers_, open);
    });
  }

  /// `make(info)` returns a shared pointer to a new rpc::ServerStream.
  template <typename Make>
  void Stream(std::string_view method, Make make) {
    Serve(method,
          [this, make, refusal = refusal_](
              const rpc::CallInfo& info) -> Result<std::shared_ptr<rpc::ByteStream>> {
            auto place = calls_.Enter(info.host);
            if (!place.ok()) return place.status();
            if (!refusal.ok()) return refusal;
            const auto call = make(info);
            call->Hold(
                calls_.Open(*std::move(place), [weak = std::weak_ptr(call)](const Status& why) {
                  if (const auto open = weak.lock()) open->Close(why);
                }));
            return call;
          });
  }

  /// What the first message of a stream says of where it belongs.
  struct Wanted {
    std::string queue;        ///< empty: this frontend answers
    std::uint64_t epoch = 0;  ///< see Directory::Await
  };

  /// As Stream, for one that belongs where a queue is served. `make(can_follow)`: whether
  /// the caller can be told where to go. `address` is where callers of this kind are served.
  template <typename Request, typename Make>
  void OwnerStream(std::string_view method, std::string Peers::Place::*address,
                   std::function<Wanted(const Request&)> wanted_of, Make make) {
    Stream(method, [=, this, path = PathOf(method)](const rpc::CallInfo& info) {
      const Caller caller = CallerOf(info);
      const auto stream = make(!relays_ && !caller.is_forwarded);
      if (!relays_ || caller.is_forwarded) return stream;
      stream->SetDivert([=, this, stream = stream.get()](const Request& first) {
        const Wanted wanted = wanted_of(first);
        if (wanted.queue.empty() || peers_->IsHere(wanted.queue)) return false;
        const auto self = std::static_pointer_cast<std::remove_pointer_t<decltype(stream)>>(
            stream->shared_from_this());
        peers_->Find(wanted.queue, wanted.epoch, [=, this](Result<Peers::Place> place) {
          if (place.ok() && place->address.empty()) place = ServedHereNow(wanted.queue);
          if (!place.ok()) return self->Close(place.status());
          self->PassOn(peers_->Relay((*place).*address, path, caller));
        });
        return true;
      });
      return stream;
    });
  }

  /// nullptr: this frontend is alone.
  [[nodiscard]] Peers* peers() const { return peers_; }

 private:
  /// Who answers a call about a queue, and what is said to that one.
  struct Owning {
    std::string address = {};  ///< empty: this frontend
    Caller caller = {};
  };

  /// Now or later. No queue: this frontend. Errors: kUnavailable: nobody serves it.
  void FindOwner(const std::string& queue, const Caller& caller,
                 std::function<void(const Result<Owning>&)> done) {
    if (peers_ == nullptr || queue.empty()) return done(Owning());
    peers_->Find(queue, caller.epoch, [=](const Result<Peers::Place>& place) {
      if (!place.ok()) return done(place.status());
      // Whoever has been sent around is told the truth: it is served elsewhere.
      if (caller.hops >= Peers::kMostHops) return done(Owning());
      Owning owner{place->address, caller};
      ++owner.caller.hops;
      owner.caller.epoch = place->epoch;
      done(owner);
    });
  }

  /// A handler that answers on the pool for the request.
  template <typename Request, typename Reply>
  auto Posted(typename rpc::UnaryCall<Request, Reply>::Handler answer, PoolFor<Request> pool_for) {
    using Call = rpc::UnaryCall<Request, Reply>;
    return [this, answer = std::move(answer), pool_for = std::move(pool_for)](
               const Request& request, const std::shared_ptr<Call>& call) {
      ReaderPool* const pool = pool_for ? pool_for(request) : &readers_;
      if (pool == nullptr) return answer(request, call);
      const bool posted = pool->Post([answer, request, call] { answer(request, call); });
      if (!posted) call->Fail(ReaderPool::Refusal());
    };
  }

  /// This frontend and all others, each for what it has itself.
  template <typename Request, typename Reply>
  void AskAll(const std::string& path, const Request& request, Caller caller,
              const std::shared_ptr<FirstFound<Reply>>& first, const Part<Request, Reply>& part) {
    part(request, [first](Result<Reply> reply) { first->Add(std::move(reply)); });
    caller.hops = Peers::kMostHops;
    for (const Peer& peer : peers_->Others()) {
      peers_->Call(
          peer.client_address, path, request, caller,
          [first](const Result<std::string>& bytes) { first->Add(ReplyOf<Reply>(bytes)); });
    }
  }

  /// A caller that goes away ends the call there, too.
  template <typename Request, typename Reply>
  void Forward(const std::string& address, const std::string& path, const Request& request,
               const Caller& caller, const std::shared_ptr<rpc::UnaryCall<Request, Reply>>& call) {
    call->WhenCancelled(peers_->Call(
        address, path, request, caller,
        [call](const Result<std::string>& bytes) { call->Answer(ReplyOf<Reply>(bytes)); }));
  }

  static Status ServedHereNow(const std::string& queue) {
    return absl::UnavailableError(
        absl::StrCat("queue ", queue, " has just come to this frontend; try again"));
  }

  [[nodiscard]] std::string PathOf(std::string_view method) const {
    return "/" + name() + "/" + std::string(method);
  }

  Peers* peers_ = nullptr;  // nullptr: this frontend is alone
  bool relays_ = false;
  OpenCalls& calls_;
  ReaderPool& readers_;
  Status refusal_;  // to calls of the methods that come; OK: none
};

}  // namespace twofold::frontend
