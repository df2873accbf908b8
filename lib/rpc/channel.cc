#include "lib/rpc/channel.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <thread>

#include "lib/common/contacts.h"
#include "lib/rpc/limits.h"

namespace twofold::rpc {
namespace {

constexpr std::chrono::seconds kSilence{20};  // before a ping
constexpr std::chrono::seconds kSignOfLife{10};
constexpr std::chrono::hours kNoPings{24 * 365};

Status Cancelled() { return absl::CancelledError("cancelled"); }

h2::Limits LimitsOf(const Channel::Options& options, const std::string& contacts) {
  h2::Limits limits{.message_bytes = kMaxMessageBytes, .sign_of_life = kSignOfLife};
  // All that the kernel knows of a proxy's server is that the proxy is there.
  const bool pings = options.liveness == Liveness::kPings ||
                     !options.security.ProxyTo(FirstContact(contacts)).empty();
  limits.silence = pings ? std::chrono::milliseconds(kSilence) : kNoPings;
  return limits;
}

}  // namespace

struct Channel::Line {
  std::optional<h2::Client> client;  // from the moment that there is a socket
  std::optional<h2::Timer> patience;
  std::string authority;
  std::string scheme = "http";
  std::vector<Waiting> waiting;  // for the client
  std::function<void()> watcher;
};

struct Channel::Attempt {
  Mutex mutex;
  LoopOwner* owner ABSL_GUARDED_BY(mutex) = nullptr;  // null: nobody waits any more
};

// ---- any thread

std::shared_ptr<Channel> Channel::Connect(LoopOwner& owner, const std::string& contacts,
                                          Options options) {
  std::shared_ptr<Channel> made(new Channel(owner, contacts, std::move(options)));
  made->Dial();
  return made;
}

Channel::Channel(LoopOwner& owner, std::string contacts, Options options)
    : owner_(owner),
      contacts_(std::move(contacts)),
      options_(std::move(options)),
      until_(Now() + options_.patience),
      line_(std::make_shared<Line>()),
      attempt_(std::make_shared<Attempt>()) {}

// A call on it may be what runs at this moment.
Channel::~Channel() {
  {
    const MutexLock lock(attempt_->mutex);
    attempt_->owner = nullptr;
  }
  owner_.Post([line = std::move(line_)] {});
}

void Channel::Dial() {
  const std::weak_ptr<Channel> weak = weak_from_this();
  {
    const MutexLock lock(attempt_->mutex);
    attempt_->owner = &owner_;
  }
  owner_.Post([weak] {
    if (const auto self = weak.lock()) self->LimitPatience();
  });
  auto reach = [weak, attempt = attempt_, contacts = contacts_, security = options_.security,
                until = until_] {
    auto reached = std::make_shared<Result<Reached>>(Reach(contacts, security, until));
    const MutexLock lock(attempt->mutex);
    if (attempt->owner == nullptr) return;
    attempt->owner->Post([weak, reached] {
      if (const auto self = weak.lock()) self->Arrive(std::move(*reached));
    });
  };
  try {
    std::thread(std::move(reach)).detach();
  } catch (const std::system_error& error) {  // there may be a limit of processes
    owner_.Post([weak, why = absl::StrCat("no thread to connect: ", error.what())] {
      if (const auto self = weak.lock()) self->Arrive(absl::UnavailableError(why));
    });
  }
}

Channel::State Channel::Await(Duration most) {
  const Instant end = Now() + most;
  const MutexLock lock(mutex_);
  while (state_ <= State::kGreeting && changed_.WaitUntil(mutex_, end)) {
  }
  return state_;
}

Status Channel::why() const {
  const MutexLock lock(mutex_);
  return why_;
}

void Channel::Begin(std::shared_ptr<OutgoingCall> call, h2::CallOptions options) {
  Waiting waiting{std::move(options), std::move(call)};
  if (owner_.IsHere()) return Take(std::move(waiting));
  owner_.Post([self = shared_from_this(), waiting = std::move(waiting)]() mutable {
    self->Take(std::move(waiting));
  });
}

h2::CallOptions CallTo(std::string method, const security::Client& security) {
  h2::CallOptions options{.path = std::move(method)};
  std::string token = security.Authorization();
  if (!token.empty()) options.metadata.emplace_back("authorization", std::move(token));
  return options;
}

// ---- the loop's thread

void Channel::Take(Waiting waiting) {
  if (state_ == State::kOver) return waiting.call->OnEnd(why(), {});
  if (waiting.call->taken_back_) return waiting.call->OnEnd(Cancelled(), {});
  if (!line_->client) return line_->waiting.push_back(std::move(waiting));
  Send(std::move(waiting));
}

/// One that is still on its way here is not taken when it comes.
void Channel::TakeBack(OutgoingCall& call) {
  const auto found =
      std::ranges::find(line_->waiting, &call, [](const Waiting& each) { return each.call.get(); });
  if (found == line_->waiting.end()) return;
  const Waiting taken = std::move(*found);
  line_->waiting.erase(found);
  taken.call->OnEnd(Cancelled(), {});
}

void Channel::Send(Waiting waiting) {
  waiting.options.authority = line_->authority;
  waiting.options.scheme = line_->scheme;
  const auto begun = line_->client->Call(waiting.options, waiting.call);
  if (!begun.ok()) return waiting.call->OnEnd(begun.status(), {});
  waiting.call->Begin(**begun);
}

void Channel::LimitPatience() {
  if (state_ != State::kConnecting) return;
  // Whoever hears of the end may drop the channel at once.
  line_->patience.emplace(owner_.loop(), [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->GiveUp();
  });
  line_->patience->Set(until_);
}

void Channel::Arrive(Result<Reached> reached) {
  if (state_ != State::kConnecting) return;
  if (!reached.ok()) return End(std::string(reached.status().message()));
  const std::weak_ptr<Channel> weak = weak_from_this();
  const auto on_news = [weak](h2::PeerNews news) {
    if (const auto self = weak.lock()) self->OnNews(news);
  };
  const auto explain = [weak](std::string_view why) {
    const auto self = weak.lock();
    return self == nullptr ? std::string(why) : self->Explain(why);
  };
  const auto on_closed = [weak](std::string_view why) {
    if (const auto self = weak.lock()) self->End(std::string(why));
  };
  line_->authority = reached->authority;
  line_->scheme = reached->tls == nullptr ? "http" : "https";
  line_->client.emplace(owner_.loop(), h2::Client::Options{.limits = LimitsOf(options_, contacts_),
                                                           .on_news = on_news,
                                                           .explain = explain,
                                                           .on_closed = on_closed});
  const Status made = line_->client->Connect(std::move(reached->socket), std::move(reached->host),
                                             std::move(reached->tls));
  if (!made.ok()) return End(std::string(made.message()));
  Become(State::kGreeting);
  for (Waiting& each : std::exchange(line_->waiting, {})) Take(std::move(each));
}

void Channel::OnNews(h2::PeerNews news) {
  if (line_->patience) line_->patience->Clear();
  if (state_ <= State::kReady) {
    Become(news == h2::PeerNews::kGreeted ? State::kReady : State::kDrains);
  }
}

/// Why this channel is over, when `why` is what ends it. Calls hear the same words as who asks the
/// channel.
std::string Channel::Explain(std::string_view why) const {
  const char* const what =
      state_ <= State::kGreeting ? "cannot connect to " : "lost the connection to ";
  return absl::StrCat(what, contacts_, ": ",
                      why.empty() ? "the server has ended it" : std::string(why));
}

void Channel::GiveUp() {
  if (state_ > State::kGreeting) return;
  const std::string why = absl::StrCat("no answer within ", ToSeconds(options_.patience), " s");
  if (!line_->client) return End(Explain(why));
  line_->client->Close(why);
}

void Channel::End(const std::string& why) {
  {
    const MutexLock lock(mutex_);
    why_ = absl::UnavailableError(why);
  }
  Become(State::kOver);
  if (line_->patience) line_->patience->Clear();
  for (const Waiting& each : std::exchange(line_->waiting, {})) each.call->OnEnd(this->why(), {});
}

void Channel::Watch(std::function<void()> told) { line_->watcher = std::move(told); }

void Channel::Become(State state) {
  if (state == State::kReady) was_ready_ = true;
  {
    const MutexLock lock(mutex_);
    state_ = state;
    changed_.NotifyAll();
  }
  if (line_->watcher) line_->watcher();
}

}  // namespace twofold::rpc
