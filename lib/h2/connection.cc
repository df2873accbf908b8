#include "lib/h2/connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace twofold::h2 {

Result<std::unique_ptr<Connection>> Connection::Make(Loop& loop, Descriptor socket,
                                                     Options options) {
  std::unique_ptr<Connection> made(new Connection(loop, std::move(socket), std::move(options)));
  if (const Status started = made->Start(); !started.ok()) return started;
  return made;
}

Connection::Connection(Loop& loop, Descriptor socket, Options options)
    : loop_(loop),
      options_(std::move(options)),
      socket_(std::move(socket)),
      account_(std::in_place, options_.ledger, options_.peer,
               [this](std::string_view why) { Close(Cause::kMemory, why); }),
      timer_(loop, [this] { OnDue(); }),
      transport_(options_.tls == nullptr ? PlainTransport(socket_.get())
                                         : options_.tls->Over(socket_.get())) {
  if (options_.tls != nullptr) account_->Charge(options_.limits.tls_bytes);
  if (options_.age > Duration::zero()) age_due_ = Now() + options_.age;
}

Connection::~Connection() { Shut("the connection is closed"); }

Status Connection::Start() {
  const int one = 1;
  setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
  auto session = Session::Make({.limits = options_.limits,
                                .account = *account_,
                                .on_output = [this] { loop_.MarkDirty(*this); },
                                .serve = options_.serve,
                                .on_news = options_.on_news,
                                .keep_frames = options_.keep_frames},
                               Now());
  if (!session.ok()) return session.status();
  session_ = *std::move(session);
  // A socket that connects can be written when it is connected.
  watched_ = session_->serves() ? EPOLLIN : EPOLLOUT;
  if (!loop_.Add(*this, socket_.get(), watched_)) {
    return absl::ResourceExhaustedError(std::strerror(errno));
  }
  Arm();
  return absl::OkStatus();
}

void Connection::Close(Cause cause, std::string_view why) {
  if (!open()) return;
  // `why` may be the session's.
  const std::string reason = options_.explain ? options_.explain(why) : std::string(why);
  const std::string frames = cause == Cause::kInOrder ? "" : session_->last_frames();
  Shut(reason);
  if (options_.on_closed) options_.on_closed(*this, {cause, reason, frames});
}

void Connection::Shut(std::string_view why) {
  if (!open()) return;
  loop_.Remove(*this, socket_.get());
  socket_ = Descriptor();
  timer_.Clear();
  if (session_ != nullptr) session_->Close(why.empty() ? "the connection has ended" : why);
  account_->Release(rest_.size() + (options_.tls != nullptr ? options_.limits.tls_bytes : 0));
  // What they use may be gone before this object is.
  session_.reset();
  account_.reset();
}

void Connection::OnReady(std::uint32_t events) {
  if (!ready_ && !Shake()) return;
  if (!rest_.empty()) WriteRest();
  if (open() && (events & ~std::uint32_t{EPOLLOUT}) != 0) Read();
  if (!open()) return;
  Watch();
  options_.ledger.Settle();  // may close this one, too
}

/// Goes on with the handshake. Whether that is done.
bool Connection::Shake() {
  if (options_.may_shake && !options_.may_shake()) return false;  // in the next turn
  const Moved moved = transport_->Handshake();
  ready_ = moved.state == Moved::State::kDone;
  if (ready_) {
    if (options_.on_ready) options_.on_ready(*this);
    loop_.MarkDirty(*this);
    return true;
  }
  must_write_ = moved.state == Moved::State::kMustWrite;
  Stop(moved);
  if (open()) Watch();
  return false;
}

/// What cannot go on ends the connection.
void Connection::Stop(const Moved& moved) {
  if (moved.state == Moved::State::kClosed) {
    return Close(CauseOf(moved), "the peer has closed the connection");
  }
  if (moved.state == Moved::State::kFailed) return Close(CauseOf(moved), moved.why);
}

/// Peers that need nothing any more, and probes that only connect, come and go all the time.
Cause Connection::CauseOf(const Moved& moved) const {
  if (!ready_ && moved.state == Moved::State::kFailed && options_.tls != nullptr) {
    return Cause::kHandshake;
  }
  return session_->streams() > 0 ? Cause::kLost : Cause::kInOrder;
}

/// Has the loop wait for what this connection waits for.
void Connection::Watch() {
  std::uint32_t wanted = EPOLLIN;
  if (blocked_ || must_write_) wanted |= EPOLLOUT;
  if (std::exchange(watched_, wanted) != wanted) loop_.Change(*this, socket_.get(), wanted);
}

/// What one peer says in a turn delays the others: it is read in pieces that take less than `piece`
/// to serve, and a turn takes a few of them. Of one that has been of no use, less.
struct Connection::Share {
  int pieces;
  Duration piece;
  std::size_t shortest;  ///< piece, in bytes
};

const Connection::Share& Connection::share() const {
  static constexpr Share kOfUse = {4, std::chrono::milliseconds(1), 4 << 10};
  static constexpr Share kOfNoUse = {1, std::chrono::microseconds(25), 512};
  return !session_->serves() || account_->of_use() ? kOfUse : kOfNoUse;
}

void Connection::Read() {
  std::string& in = loop_.buffers().in;
  const Share& share = this->share();
  Instant begun = Now();
  bool goes_on = true;
  for (int i = 0; open(); ++i) {
    // What TLS holds already makes no socket readable.
    const std::size_t most =
        goes_on && i < share.pieces ? std::min(read_bytes_, in.size()) : transport_->pending();
    if (most == 0) break;
    const Moved moved = transport_->Read(in.data(), std::min(most, in.size()));
    must_write_ = moved.state == Moved::State::kMustWrite;
    if (moved.state != Moved::State::kDone) {
      Stop(moved);
      break;
    }
    if (!session_->Receive({in.data(), moved.bytes}, loop_.now()).ok()) break;  // see OnFlush
    const Instant served = Now();
    goes_on = Pace(served - begun, share);
    begun = served;
    if (moved.bytes < most && transport_->pending() == 0) break;
  }
  Arm();
}

/// How much is read next. False: nothing in this turn.
bool Connection::Pace(Duration took, const Share& share) {
  if (took > share.piece) {
    read_bytes_ = std::max(read_bytes_ / 2, share.shortest);
    return false;
  }
  if (took < share.piece / 4) read_bytes_ = std::min(read_bytes_ * 2, loop_.buffers().in.size());
  return true;
}

void Connection::OnFlush() {
  if (open() && ready_ && !blocked_) {
    Outgoing& out = loop_.buffers().out;
    out.bytes.clear();
    // There may be more for as long as the peer reads: others come first.
    const bool more = session_->Collect(out, loop_.now());
    if (Write(out.bytes) && more) loop_.MarkDirty(*this);
  }
  if (!open()) return;
  if (!session_->broken().ok()) {
    const auto why = session_->broken().message();
    return Close(session_->cause(), {why.data(), why.size()});
  }
  if (session_->over() && !blocked_) return Close(Cause::kInOrder, "");
  Arm();
  options_.ledger.Settle();
}

/// False: the rest waits, or the connection is closed.
bool Connection::Write(std::string_view bytes) {
  bool moved_any = false;
  while (!bytes.empty()) {
    const Moved moved = transport_->Write(bytes);
    if (moved.state == Moved::State::kDone) {
      bytes.remove_prefix(moved.bytes);
      moved_any = true;
      continue;
    }
    Stop(moved);
    if (!open()) return false;
    rest_ = bytes;
    account_->Charge(rest_.size());
    if (!std::exchange(blocked_, true) || moved_any) blocked_since_ = loop_.now();
    Watch();
    return false;
  }
  return true;
}

void Connection::WriteRest() {
  const std::string rest = std::exchange(rest_, {});
  account_->Release(rest.size());
  if (Write(rest)) blocked_ = false;
  loop_.MarkDirty(*this);
}

void Connection::OnDue() {
  if (blocked_ && blocked_since_ + options_.limits.unread <= loop_.now()) {
    return Close(Cause::kUnread, "the peer does not read");
  }
  if (age_due_ <= loop_.now()) OnAge();
  if (!open()) return;
  session_->OnDue(loop_.now());
  if (!session_->broken().ok()) loop_.MarkDirty(*this);
  Arm();
}

void Connection::OnAge() {
  if (std::exchange(aged_, true)) {
    if (session_->streams() == 0) return Close(Cause::kInOrder, "");
    return Close(Cause::kTooOld, "it was old, and its calls did not end in time");
  }
  session_->Drain(loop_.now());
  age_due_ = loop_.now() + options_.limits.age_patience;
}

/// A time that has moved away is noticed when the old one comes, so that receiving sets no timer.
void Connection::Arm() {
  if (!open()) return;
  Instant next = std::min(session_->NextDue(), age_due_);
  if (blocked_) next = std::min(next, blocked_since_ + options_.limits.unread);
  if (next < timer_.when()) timer_.Set(next);
}

}  // namespace twofold::h2
