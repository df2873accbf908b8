#include "lib/rpc/acceptor.h"

#include <netdb.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "lib/common/memory.h"

namespace twofold::rpc {
namespace {

using security::Reason;

constexpr Duration kPause = std::chrono::milliseconds(100);  // after an error
constexpr Duration kHurry = std::chrono::milliseconds(20);   // between looks at dear memory
constexpr Duration kLongestLook = std::chrono::seconds(1);   // between looks at any
// Callers make memory grow by no more than so many bytes a millisecond.
constexpr std::uint64_t kFastest = 1 << 20;
// gRPC takes far less than a millisecond over a connection, on a busy machine some.
constexpr Duration kPatience = std::chrono::seconds(1);
constexpr Duration kSweep = std::chrono::milliseconds(100);
constexpr Duration kReturn = std::chrono::seconds(1);
constexpr Duration kSay = std::chrono::seconds(1);

// Of the memory that there is. What is left has to do for what comes between two looks, and for
// what gRPC has read already.
constexpr std::uint64_t kMemoryTenths = 6;

// Of the mark. From here on one knows who sends how much, before it has to be known.
constexpr std::uint64_t kMeasureQuarters = 3;

// Whoever sent less since the look before is not to blame.
constexpr std::uint64_t kLeastBytes = 64 << 10;

// One in so many descriptors is for files, HTTP, and connections to others.
constexpr std::size_t kReserved = 8;

std::string HostOf(const sockaddr_storage& address, socklen_t size) {
  char host[NI_MAXHOST] = {};
  getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, host, sizeof(host), nullptr, 0,
              NI_NUMERICHOST);
  return host;
}

// The peer tried to connect, and gave up or failed: that says nothing about us.
bool IsOfPeer(int error) {
  return error == EINTR || error == EAGAIN || error == ECONNABORTED || error == EPROTO;
}

}  // namespace

Acceptor::Acceptor(Listeners listeners, ConnectionLimits limits,
                   std::shared_ptr<security::Gate> gate, Give give)
    : listeners_(std::move(listeners)),
      limits_(limits),
      memory_mark_((limits.memory == 0 ? MemoryLimit() : limits.memory) / 10 * kMemoryTenths),
      measure_from_(memory_mark_ / 4 * kMeasureQuarters),
      gate_(std::move(gate)),
      give_(std::move(give)),
      wake_(eventfd(0, EFD_CLOEXEC)),
      taker_([this] { Take(); }),
      watcher_([this] { Watch(); }) {}

Acceptor::~Acceptor() {
  {
    const MutexLock lock(mutex_);
    ending_ = true;
    if (current_) ConnectionTable::BreakOff(current_->connection);
  }
  eventfd_write(wake_.get(), 1);
  taker_.join();
  watcher_.join();
}

std::string Acceptor::trouble() const {
  const int error = accept_error_;
  return error == 0 ? "" : std::strerror(error);
}

// ---- who takes connections

void Acceptor::Take() {
  std::vector<pollfd> waited = {{wake_.get(), POLLIN, 0}};
  for (const Descriptor& listener : listeners_.sockets) {
    waited.push_back({listener.get(), POLLIN, 0});
  }
  for (;;) {
    poll(waited.data(), waited.size(), -1);
    if (waited[0].revents != 0) return;
    for (std::size_t i = 1; i < waited.size(); ++i) {
      if ((waited[i].revents & POLLIN) != 0) TakeOne(waited[i].fd);
    }
  }
}

void Acceptor::TakeOne(int listener) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  Descriptor connection(accept4(listener, reinterpret_cast<sockaddr*>(&address), &size,
                                SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (connection.get() < 0) {
    if (!IsOfPeer(errno)) Pause(errno);
    return;
  }
  if (accept_error_.exchange(0) != 0) spdlog::info("connections are taken again");
  HandOver(std::move(connection), HostOf(address, size));
}

void Acceptor::HandOver(Descriptor connection, const std::string& host) {
  {
    const MutexLock lock(mutex_);
    if (ending_ || !IsLetIn(host, Now())) return;
    current_ = {table_.Add(connection.get(), host), Now()};
  }
  give_(connection.Release());
  const MutexLock lock(mutex_);
  current_.reset();
}

void Acceptor::Pause(int error) {
  if (accept_error_.exchange(error) != error) {
    spdlog::error("connections cannot be taken at port {}: {}; trying again", listeners_.port,
                  std::strerror(error));
  }
  pollfd wake = {wake_.get(), POLLIN, 0};
  poll(&wake, 1, kPause / std::chrono::milliseconds(1));
}

// ---- who watches

void Acceptor::Watch() {
  pollfd wake = {wake_.get(), POLLIN, 0};
  Duration look = kHurry;
  for (;;) {
    poll(&wake, 1, static_cast<int>(look / std::chrono::milliseconds(1)));
    if (wake.revents != 0) return;
    const MutexLock lock(mutex_);
    const Instant now = Now();
    LookAtMemory(now);
    BreakOffIfLate(now);
    look = UntilLook();
  }
}

/// In so long memory does not grow by half of what is left before it is dear: a process that has
/// enough of it and nothing to do hardly wakes up.
Duration Acceptor::UntilLook() const {
  if (resident_ > measure_from_) return kHurry;
  const std::chrono::milliseconds half_way((memory_mark_ - resident_) / 2 / kFastest);
  return std::clamp<Duration>(half_way, kHurry, kLongestLook);
}

void Acceptor::BreakOffIfLate(Instant now) {
  if (!current_ || now - current_->since < kPatience) return;
  ConnectionTable::BreakOff(current_->connection);
  TurnAway(Reason::kNoRoom, "they sent without end from the beginning");
}

void Acceptor::LookAtMemory(Instant now) {
  const std::uint64_t before = std::exchange(resident_, ResidentBytes());
  if (resident_ > memory_mark_ && now - returned_ >= kReturn) {
    returned_ = now;
    ReturnFreeMemory();
    resident_ = ResidentBytes();
  }
  const bool measures = resident_ > measure_from_ && resident_ > before;
  if (measures) {
    std::vector<Connection> talkers = table_.Measure();
    if (measured_ && resident_ > memory_mark_) BreakOffBiggest(std::move(talkers));
  }
  measured_ = measures;
}

/// Those who together sent more than half of what came.
void Acceptor::BreakOffBiggest(std::vector<Connection> talkers) {
  std::sort(talkers.begin(), talkers.end(),
            [](const Connection& a, const Connection& b) { return a.received > b.received; });
  std::uint64_t all = 0;
  for (const Connection& talker : talkers) all += talker.received;
  std::uint64_t broken_off = 0;
  for (const Connection& talker : talkers) {
    if (talker.received < kLeastBytes || 2 * broken_off > all) return;
    broken_off += talker.received;
    if (gate_ != nullptr) gate_->Count(Reason::kNoRoom);
    table_.BreakOff(talker);
    spdlog::warn(
        "memory is nearly used up ({} MiB): broke off a connection of {}, which sent {} KiB "
        "in the last moment",
        resident_ >> 20, talker.host, talker.received >> 10);
  }
}

// ---- with the lock held by either

bool Acceptor::IsLetIn(const std::string& host, Instant now) {
  if (resident_ > memory_mark_) {
    TurnAway(Reason::kNoRoom, "too much memory is in use");
    return false;
  }
  const std::size_t in_all = DescriptorLimit() / kReserved * (kReserved - 1);
  const auto host_full = [&] {
    mutex_.AssertHeld();
    return limits_.of_host != 0 && table_.OfHost(host) >= limits_.of_host;
  };
  const auto full = [&] {
    mutex_.AssertHeld();
    return table_.size() >= in_all;
  };
  if ((full() || host_full()) && now - swept_ >= kSweep) {
    swept_ = now;
    table_.Sweep();
  }
  if (host_full()) {
    TurnAway(Reason::kTooMany, "their host has as many as it may");
    return false;
  }
  if (full()) {
    TurnAway(Reason::kNoRoom, "there are as many as there are descriptors for");
    return false;
  }
  return true;
}

void Acceptor::TurnAway(Reason reason, const char* why) {
  if (gate_ != nullptr) gate_->Count(reason);
  ++turned_away_;
  const Instant now = Now();
  if (now - said_ < kSay) return;
  said_ = now;
  spdlog::warn("turned away {} connections at port {}: {}", std::exchange(turned_away_, 0),
               listeners_.port, why);
}

}  // namespace twofold::rpc
