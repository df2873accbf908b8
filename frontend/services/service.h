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
#include "frontend/cluster/relayed_stream.h"
#include "frontend/services/claims.h"
#include "frontend/services/gathering.h"
#include "frontend/services/pulled_call.h"
#include "frontend/services/reader_pool.h"
#include "lib/common/result.h"
#include "lib/common/task.h"
#include "lib/queue/types.h"
#include "lib/rpc/parse.h"
#include "lib/rpc/service.h"

namespace twofold::frontend {

/// A service of the frontend. Its constructor is the table of its methods, and each row says who
/// answers, and how (Method): Serve at once, on the thread of a loop; Local this frontend, on a
/// thread of a pool; Routed the frontend that serves the queue; Spread all who serve a shard of it;
/// Gathered all frontends, each for its part; Pull by a stream of messages; Stream by an object of
/// its own. All but the first kind take a place among the open calls of their peer.
///
/// How each of them is answered can be read from top to bottom: the coroutines at the end.
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

  /// What a call asks.
  template <typename Request, typename Reply>
  struct Asked {
    Request request;
    Caller caller;
    typename rpc::UnaryCall<Request, Reply>::Pointer call;  ///< null in a part of a Spread one
  };

  /// How a method is answered. Rows leave out what theirs does not need.
  template <typename Request, typename Reply>
  struct Method {
    /// The answer of this frontend, of which it is `read`, or comes from `begin` now or later. Both
    /// may block, and take long.
    std::function<Result<Reply>(const Request&)> read = {};
    std::function<void(const Asked<Request, Reply>&, std::function<void(Result<Reply>)> done)>
        begin = {};
    /// The pool on whose threads that is; nullptr: it does not take long, and is done at once. No
    /// function: always the readers.
    std::function<ReaderPool*(const Request&)> pool = {};
    /// Which queue it is about; empty: this frontend answers. Called on the pool.
    std::function<std::string(const Request&)> queue = {};
    /// Which frontend it is about, by its name.
    std::function<std::string(const Request&)> name = {};
    /// A request for each shard that is meant, with the shard's name. Called on the pool.
    std::function<Result<std::vector<std::pair<std::string, Request>>>(const Request&)> shards = {};
    typename Gathering<Reply>::Merge merge = {};
    typename Gathering<Reply>::Miss miss = {};
    /// Has the last word on what several have answered, also that it is an error.
    std::function<Status(const Request&, Reply& all)> arrange = {};
    std::string path = {};  ///< filled by the declaration
  };

  /// By this frontend.
  template <typename Request, typename Reply>
  void Local(std::string_view method, Method<Request, Reply> how) {
    Unary(method, std::move(how), &Service::AnswerLocally<Request, Reply>);
  }

  /// By the frontend that serves the queue.
  template <typename Request, typename Reply>
  void Routed(std::string_view method, Method<Request, Reply> how) {
    Unary(method, std::move(how), &Service::AnswerRouted<Request, Reply>);
  }

  /// As Routed, of a request about a job, its `id`. A volatile job that the frontend does not know
  /// which serves the queue may be with another one: what ran when its queue went ends where it
  /// was.
  template <typename Request, typename Reply>
  void OfJob(std::string_view method, Method<Request, Reply> how) {
    Unary(method, std::move(how), &Service::AnswerOfJob<Request, Reply>);
  }

  /// By the frontends that serve the shards, each for its own: the replies become one, as `merge`
  /// says. Errors: the first one of a shard.
  template <typename Request, typename Reply>
  void Spread(std::string_view method, Method<Request, Reply> how) {
    Unary(method, std::move(how), &Service::AnswerSpread<Request, Reply>);
  }

  /// By all frontends, each for its part: the replies become one, as `merge` says. What is about
  /// one queue is only asked of the frontend that serves it. Errors: this one's own, before others
  /// are asked; theirs.
  template <typename Request, typename Reply>
  void Gathered(std::string_view method, Method<Request, Reply> how) {
    Unary(method, std::move(how), &Service::AnswerGathered<Request, Reply>);
  }

  /// By the frontend of this name; by this one if there is none.
  template <typename Request, typename Reply>
  void Named(std::string_view method, Method<Request, Reply> how) {
    Unary(method, std::move(how), &Service::AnswerNamed<Request, Reply>);
  }

  /// `open` and what it returns are called on threads of the pool.
  template <typename Request, typename Message>
  void Pull(std::string_view method,
            std::function<Result<NextMessage<Message>>(const Request&)> open) {
    Stream(method, [this, open = std::move(open)](auto&) {
      return std::make_shared<PulledCall<Request, Message>>(readers_, open);
    });
  }

  /// `make(info)` returns a shared pointer to a new rpc::ByteStream.
  template <typename Make>
  void Stream(std::string_view method, Make make) {
    Serve(method,
          [this, make, refusal = refusal_](
              const rpc::CallInfo& info) -> Result<std::shared_ptr<rpc::ByteStream>> {
            auto place = calls_.Enter(info.host);
            if (!place.ok()) return place.status();
            if (!refusal.ok()) return refusal;
            const std::shared_ptr<rpc::ByteStream> call = make(info);
            call->Hold(
                calls_.Open(*std::move(place), [weak = std::weak_ptr(call)](const Status& why) {
                  if (const auto open = weak.lock()) open->Finish(why);
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
  void OwnerStream(std::string_view method, std::string Peers::Answerer::*address,
                   std::function<Wanted(const Request&)> wanted_of, Make make) {
    Stream(method,
           [=, this,
            path = PathOf(method)](const rpc::CallInfo& info) -> std::shared_ptr<rpc::ByteStream> {
             const Caller caller = CallerOf(info);
             if (!relays_ || caller.is_forwarded) return make(!caller.is_forwarded);
             const auto find = [=, this](std::string first) {
               return FindThere(Meaning(wanted_of, first), address, path, caller);
             };
             return std::make_shared<RelayedStream>(find, [make] { return make(false); });
           });
  }

  /// nullptr: this frontend is alone.
  [[nodiscard]] Peers* peers() const { return peers_; }

 private:
  template <typename Request, typename Reply>
  using How = std::shared_ptr<const Method<Request, Reply>>;
  template <typename Request, typename Reply>
  using Question = std::shared_ptr<const Asked<Request, Reply>>;

  template <typename Request, typename Reply>
  void Unary(std::string_view method, Method<Request, Reply> how,
             Task<Result<Reply>> (Service::*answer)(How<Request, Reply>,
                                                    Question<Request, Reply>)) {
    how.path = PathOf(method);
    const auto row = std::make_shared<const Method<Request, Reply>>(std::move(how));
    Stream(method, [this, answer, row](const rpc::CallInfo& info) {
      return std::make_shared<rpc::UnaryCall<Request, Reply>>(
          [this, answer, row, caller = CallerOf(info)](const Request& request, const auto& call) {
            Question<Request, Reply> asked(new Asked<Request, Reply>{request, caller, call});
            Start((this->*answer)(row, std::move(asked)),
                  [call](Result<Reply> reply) { call->Answer(std::move(reply)); });
          });
    });
  }

  // ---- how calls are answered. After an error a coroutine uses nothing of the service: the error
  // may come while the service is destroyed. A request is let go when it has been passed on, as
  // those who wait are many.

  template <typename Request, typename Reply>
  Task<Result<Reply>> AnswerLocally(How<Request, Reply> how, Question<Request, Reply> asked) {
    const Status entered = co_await EnterPool(*how, asked->request);
    if (!entered.ok()) co_return entered;
    const Later<Reply> answer([&](auto done) {
      Begin(*how, *asked, std::move(done));
      asked.reset();
    });
    co_return co_await answer;
  }

  template <typename Request, typename Reply>
  Task<Result<Reply>> AnswerRouted(How<Request, Reply> how, Question<Request, Reply> asked) {
    Owning owner;
    if (peers_ != nullptr) {
      const Status entered = co_await EnterPool(*how, asked->request);
      if (!entered.ok()) co_return entered;
      const std::string queue = how->queue(asked->request);
      Result<Owning> found = co_await OwnerOf(queue, asked->caller);
      if (!found.ok()) co_return found.status();
      owner = *std::move(found);
    }
    if (!owner.address.empty()) {
      Task<Result<Reply>> answer = Forwarded(how, std::move(asked), std::move(owner));
      co_return co_await answer;
    }
    // Whoever found the owner has its own threads: this frontend enters the pool anew.
    Task<Result<Reply>> answer = AnswerLocally(how, std::move(asked));
    co_return co_await answer;
  }

  template <typename Request, typename Reply>
  Task<Result<Reply>> AnswerOfJob(How<Request, Reply> how, Question<Request, Reply> asked) {
    Result<Reply> reply = co_await AnswerRouted(how, asked);
    const bool may_be_elsewhere = absl::IsNotFound(reply.status()) && peers_ != nullptr &&
                                  !asked->caller.is_forwarded &&
                                  !IsDurable(queue::JobId{asked->request.id()});
    if (!may_be_elsewhere) co_return reply;
    const Later<Reply> of_all([&](auto done) {
      AskAll(*how, *asked, std::make_shared<FirstFound<Reply>>(reply.status(), std::move(done)));
    });
    co_return co_await of_all;
  }

  template <typename Request, typename Reply>
  Task<Result<Reply>> AnswerSpread(How<Request, Reply> how, Question<Request, Reply> asked) {
    const Status entered = co_await EnterPool(*how, asked->request);
    if (!entered.ok()) co_return entered;
    const auto shards = how->shards(asked->request);
    if (!shards.ok()) co_return shards.status();
    const Later<Reply> of_all([&](auto done) {
      const auto all = std::make_shared<Gathering<Reply>>(Reply(), how->merge, how->miss, done);
      for (const auto& [shard, request] : *shards) {
        AnswerShard<Request, Reply>(
            how, Question<Request, Reply>(new Asked<Request, Reply>{request, asked->caller, {}}),
            shard, all);
      }
    });
    co_return co_await of_all;
  }

  template <typename Request, typename Reply>
  Detached AnswerShard(How<Request, Reply> how, Question<Request, Reply> asked, std::string shard,
                       std::shared_ptr<Gathering<Reply>> all) {
    const Result<Owning> owner = co_await OwnerOf(shard, asked->caller);
    if (!owner.ok()) {
      all->Add(owner.status());
    } else if (owner->address.empty()) {
      Result<Reply> own = co_await OwnPart(*how, *asked);
      all->Add(std::move(own));
    } else {
      const Result<std::string> bytes =
          co_await PartOf(owner->address, owner->caller, *how, *asked);
      all->Add({"that serves " + shard, owner->address, {}}, bytes);
    }
  }

  template <typename Request, typename Reply>
  Task<Result<Reply>> AnswerGathered(How<Request, Reply> how, Question<Request, Reply> asked) {
    const Status entered = co_await EnterPool(*how, asked->request);
    if (!entered.ok()) co_return entered;
    Result<Reply> reply = co_await GatherParts(how, asked);
    if (!reply.ok() || !how->arrange || asked->caller.is_forwarded) co_return reply;
    const Status arranged = how->arrange(asked->request, *reply);
    if (!arranged.ok()) co_return arranged;
    co_return reply;
  }

  template <typename Request, typename Reply>
  Task<Result<Reply>> GatherParts(How<Request, Reply> how, Question<Request, Reply> asked) {
    const Caller& caller = asked->caller;
    const bool is_alone = peers_ == nullptr || caller.is_forwarded;
    const std::string queue = is_alone || !how->queue ? std::string() : how->queue(asked->request);
    const Result<Owning> owner = co_await OwnerOf(queue, caller);
    if (!owner.ok()) co_return owner.status();
    if (!owner->address.empty()) co_return co_await Forwarded(how, asked, *owner);
    Result<Reply> own = co_await OwnPart(*how, *asked);
    if (is_alone || !queue.empty() || !own.ok()) co_return own;
    const Later<Reply> of_all([&](auto done) {
      Gather<Request, Reply>(*peers_, how->path, asked->request, caller, std::move(own), how->merge,
                             how->miss, std::move(done));
    });
    co_return co_await of_all;
  }

  template <typename Request, typename Reply>
  Task<Result<Reply>> AnswerNamed(How<Request, Reply> how, Question<Request, Reply> asked) {
    const std::string address = AddressOf(how->name(asked->request), asked->caller);
    if (address.empty()) co_return co_await OwnPart(*how, *asked);
    const Owning other{address, asked->caller};
    co_return co_await Forwarded(how, asked, other);
  }

  /// Where a stream goes on that wants this. Null: here.
  Task<Result<RelayedStream::There>> FindThere(Wanted wanted, std::string Peers::Answerer::*address,
                                               std::string path, Caller caller) {
    if (wanted.queue.empty() || peers_->IsHere(wanted.queue)) co_return nullptr;
    const Later<Peers::Answerer> search = peers_->Find(wanted.queue, wanted.epoch);
    const Result<Peers::Answerer> answerer = co_await search;
    if (!answerer.ok()) co_return answerer.status();
    if (answerer->address.empty()) co_return ServedHereNow(wanted.queue);
    co_return peers_->Open((*answerer).*address, path, caller);
  }

  // ---- their steps

  /// What cannot be read wants nothing.
  template <typename Request>
  static Wanted Meaning(const std::function<Wanted(const Request&)>& wanted_of,
                        std::string_view first) {
    Request request;
    return rpc::Parse(first, request).ok() ? wanted_of(request) : Wanted();
  }

  template <typename Request, typename Reply>
  OnPool EnterPool(const Method<Request, Reply>& how, const Request& request) {
    return OnPool(how.pool ? how.pool(request) : &readers_);
  }

  /// Of the other frontend with this name; empty: this one answers.
  std::string AddressOf(const std::string& name, const Caller& caller) {
    if (peers_ == nullptr || caller.is_forwarded) return {};
    for (const Peer& peer : peers_->Others()) {
      if (peer.name == name) return peer.client_address;
    }
    return {};
  }

  template <typename Request, typename Reply>
  static void Begin(const Method<Request, Reply>& how, const Asked<Request, Reply>& asked,
                    std::function<void(Result<Reply>)> done) {
    how.read ? done(how.read(asked.request)) : how.begin(asked, std::move(done));
  }

  template <typename Request, typename Reply>
  static Later<Reply> OwnPart(const Method<Request, Reply>& how,
                              const Asked<Request, Reply>& asked) {
    return Later<Reply>([&](auto done) { Begin(how, asked, std::move(done)); });
  }

  /// Who answers a call about a queue, and what is said to that one.
  struct Owning {
    std::string address = {};  ///< empty: this frontend
    Caller caller = {};
  };

  /// No queue: this frontend. Errors: kUnavailable: nobody serves it.
  Task<Result<Owning>> OwnerOf(std::string queue, Caller caller) {
    if (peers_ == nullptr || queue.empty()) co_return Owning();
    const Later<Peers::Answerer> search = peers_->Find(queue, caller.epoch);
    const Result<Peers::Answerer> answerer = co_await search;
    if (!answerer.ok()) co_return answerer.status();
    // Whoever has been sent around is told the truth: it is served elsewhere.
    if (caller.hops >= Peers::kMostHops) co_return Owning();
    ++caller.hops;
    caller.epoch = answerer->epoch;
    co_return Owning{answerer->address, std::move(caller)};
  }

  /// The answer of another frontend. A caller that goes away ends the call there, too.
  template <typename Request, typename Reply>
  Task<Result<Reply>> Forwarded(How<Request, Reply> how, Question<Request, Reply> asked,
                                Owning owner) {
    const Later<std::string> answer([&](auto done) {
      asked->call->WhenCancelled(
          peers_->Call(owner.address, how->path, asked->request, owner.caller, std::move(done)));
      asked.reset();
    });
    const Result<std::string> bytes = co_await answer;
    co_return ReplyOf<Reply>(bytes);
  }

  /// The part of another frontend, which goes on if the caller leaves.
  template <typename Request, typename Reply>
  Later<std::string> PartOf(const std::string& address, const Caller& caller,
                            const Method<Request, Reply>& how, const Asked<Request, Reply>& asked) {
    return Later<std::string>([&, this](auto done) {
      peers_->Call(address, how.path, asked.request, caller, std::move(done));
    });
  }

  /// This frontend and all others, each for what it has itself.
  template <typename Request, typename Reply>
  void AskAll(const Method<Request, Reply>& how, const Asked<Request, Reply>& asked,
              const std::shared_ptr<FirstFound<Reply>>& first) {
    Begin<Request, Reply>(how, asked,
                          [first](Result<Reply> reply) { first->Add(std::move(reply)); });
    Caller caller = asked.caller;
    caller.hops = Peers::kMostHops;
    for (const Peer& peer : peers_->Others()) {
      peers_->Call(
          peer.client_address, how.path, asked.request, caller,
          [first](const Result<std::string>& bytes) { first->Add(ReplyOf<Reply>(bytes)); });
    }
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
