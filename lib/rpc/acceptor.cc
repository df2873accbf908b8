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
using Talker = ConnectionTable::Talker;

constexpr Duration kLook = std::chrono::milliseconds(100);  // at the memory, and after an error
constexpr Duration kHurry = std::chrono::milliseconds(20);  // while memory is dear
constexpr Duration kSweep = std::chrono::milliseconds(100);
constexpr Duration kReturn = std::chrono::seconds(1);
constexpr Duration kSay = std::chrono::seconds(1);

// Of the memory that there is. What is left has to do for what comes between two looks, and for
// what gRPC has read already.
constexpr double kMemoryMark = 0.6;

// Of the mark. From here on one knows who sends how much, before it has to be known.
constexpr double kMeasureFrom = 0.75;

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
bool IsOfPeer(int error) { return error == EINTR || error == ECONNABORTED || error == EPROTO; }

std::uint64_t MarkOf(std::uint64_t memory) {
  return static_cast<std::uint64_t>(static_cast<double>(memory) * kMemoryMark);
}

}  // namespace

Acceptor::Acceptor(Listeners listeners, ConnectionLimits limits,
                   std::shared_ptr<security::Gate> gate, HandOver::Give give)
    : listeners_(std::move(listeners)),
      limits_(limits),
      memory_mark_(MarkOf(limits.memory == 0 ? MemoryLimit() : limits.memory)),
      measure_from_(static_cast<std::uint64_t>(static_cast<double>(memory_mark_) * kMeasureFrom)),
      gate_(std::move(gate)),
      wake_(eventfd(0, EFD_CLOEXEC)),
      hand_over_(std::move(give)),
      thread_([this] { Run(); }) {}

Acceptor::~Acceptor() {
  eventfd_write(wake_.get(), 1);
  thread_.join();
}

std::string Acceptor::trouble() const {
  const int error = accept_error_;
  return error == 0 ? "" : std::strerror(error);
}

void Acceptor::Run() {
  std::vector<pollfd> waited = {{wake_.get(), POLLIN, 0}};
  for (const Descriptor& listener : listeners_.sockets) waited.push_back({listener.get(), 0, 0});
  Instant looked = Now();
  while (true) {
    const bool paused = Now() < paused_until_ || hand_over_.IsFull();
    for (std::size_t i = 1; i < waited.size(); ++i) waited[i].events = paused ? 0 : POLLIN;
    const Duration look = resident_ > measure_from_ ? kHurry : kLook;
    poll(waited.data(), waited.size(), static_cast<int>(look / std::chrono::milliseconds(1)));
    if (waited[0].revents != 0) return;
    for (std::size_t i = 1; i < waited.size(); ++i) {
      if ((waited[i].revents & POLLIN) != 0) AcceptAll(waited[i].fd);
    }
    if (Now() - looked < look) continue;
    looked = Now();
    LookAtMemory(looked);
    if (hand_over_.BreakOffIfLate(looked)) {
      TurnAway(Reason::kNoRoom, "they sent without end from the beginning");
    }
  }
}

void Acceptor::AcceptAll(int listener) {
  // Not without end: the memory wants to be looked at.
  for (int taken = 0; taken < SOMAXCONN && !hand_over_.IsFull(); ++taken) {
    sockaddr_storage address{};
    socklen_t size = sizeof(address);
    Descriptor connection(accept4(listener, reinterpret_cast<sockaddr*>(&address), &size,
                                  SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (connection.get() < 0) {
      if (IsOfPeer(errno)) continue;
      return errno == EAGAIN ? void() : Pause(errno);
    }
    if (accept_error_.exchange(0) != 0) spdlog::info("connections are taken again");
    const std::string host = HostOf(address, size);
    if (!IsLetIn(host, Now())) continue;
    auto about = table_.Add(connection.get(), host);
    hand_over_.Add(listener, std::move(connection), std::move(about));
  }
}

bool Acceptor::IsLetIn(const std::string& host, Instant now) {
  if (resident_ > memory_mark_) {
    TurnAway(Reason::kNoRoom, "too much memory is in use");
    return false;
  }
  const std::size_t in_all = DescriptorLimit() / kReserved * (kReserved - 1);
  const auto host_full = [&] {
    return limits_.of_host != 0 && table_.OfHost(host) >= limits_.of_host;
  };
  const auto full = [&] { return table_.size() >= in_all; };
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

void Acceptor::LookAtMemory(Instant now) {
  const std::uint64_t before = std::exchange(resident_, ResidentBytes());
  if (resident_ > memory_mark_ && now - returned_ >= kReturn) {
    returned_ = now;
    ReturnFreeMemory();
    resident_ = ResidentBytes();
  }
  const bool measures = resident_ > measure_from_ && resident_ > before;
  if (measures) {
    std::vector<Talker> talkers = table_.Measure();
    if (measured_ && resident_ > memory_mark_) BreakOffBiggest(std::move(talkers));
  }
  measured_ = measures;
}

/// Those who together sent more than half of what came.
void Acceptor::BreakOffBiggest(std::vector<Talker> talkers) {
  std::sort(talkers.begin(), talkers.end(),
            [](const Talker& a, const Talker& b) { return a.received > b.received; });
  std::uint64_t all = 0;
  for (const Talker& talker : talkers) all += talker.received;
  std::uint64_t broken_off = 0;
  for (const Talker& talker : talkers) {
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

void Acceptor::Pause(int error) {
  paused_until_ = Now() + kLook;
  if (accept_error_.exchange(error) == error) return;
  spdlog::error("connections cannot be taken at port {}: {}; trying again", listeners_.port,
                std::strerror(error));
}

}  // namespace twofold::rpc
