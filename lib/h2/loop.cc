#include "lib/h2/loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace twofold::h2 {
namespace {

constexpr std::size_t kEvents = 256;           // in one look at epoll; of each kind that is due
constexpr std::size_t kReadBytes = 256 << 10;  // of one socket at once
constexpr std::size_t kKeptBytes = 1 << 20;    // of a buffer between turns
constexpr Duration kLongest = std::chrono::minutes(1);

int WaitForEvents(int epoll, epoll_event* events, Duration time) {
  constexpr Duration::rep kSecond = 1'000'000'000;
  const timespec timeout{.tv_sec = time.count() / kSecond, .tv_nsec = time.count() % kSecond};
  const int ready = epoll_pwait2(epoll, events, kEvents, &timeout, nullptr);
  if (ready >= 0 || errno != ENOSYS) return ready;
  // Kernels before 5.11, and sandboxes.
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(time).count();
  return epoll_wait(epoll, events, kEvents, static_cast<int>(milliseconds));
}

void Shrink(std::string& buffer) {
  buffer.clear();
  if (buffer.capacity() > kKeptBytes) std::string().swap(buffer);
}

}  // namespace

Loop::Loop(std::function<void(const Done&)> on_turn)
    : on_turn_(std::move(on_turn)),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  buffers_.in.resize(kReadBytes);
  epoll_event event{.events = EPOLLIN, .data = {.ptr = nullptr}};
  epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event);
}

// A task that is destroyed may be the last one to hold what posts another one when it goes.
Loop::~Loop() {
  std::vector<std::function<void()>> tasks;
  do {
    tasks.clear();
    const MutexLock lock(mutex_);
    tasks.swap(posted_);
  } while (!tasks.empty());
}

void Loop::Post(std::function<void()> task) {
  bool first = false;
  {
    const MutexLock lock(mutex_);
    first = posted_.empty();
    posted_.push_back(std::move(task));
  }
  if (first) eventfd_write(wake_.get(), 1);
}

void Loop::Stop() {
  Post([this] { stopped_ = true; });
}

bool Loop::Add(Source& source, int descriptor, std::uint32_t events) {
  epoll_event event{.events = events, .data = {.ptr = &source}};
  return epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void Loop::Change(Source& source, int descriptor, std::uint32_t events) {
  epoll_event event{.events = events, .data = {.ptr = &source}};
  epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, descriptor, &event);
}

void Loop::Remove(Source& source, int descriptor) {
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr);
  removed_.insert(&source);
  if (std::exchange(source.dirty_, false))
    std::replace(dirty_.begin(), dirty_.end(), &source, static_cast<Source*>(nullptr));
}

void Loop::MarkDirty(Source& source) {
  if (!std::exchange(source.dirty_, true)) dirty_.push_back(&source);
}

void Loop::Run() {
  while (!stopped_) Turn(kLongest);
  stopped_ = false;
}

void Loop::Turn(Duration most) {
  Done done;
  if (!dirty_.empty()) {  // between turns, or again in the last one
    const Instant begun = Now();
    Flush();
    done.sending = Now() - begun;
  }
  const bool posted = Wait(most, done);
  const Instant served = Now();
  if (posted) RunPosted();
  RunDue();
  const Instant ran = Now();
  Flush();
  retired_.clear();
  removed_.clear();
  Shrink(buffers_.out.bytes);
  Shrink(buffers_.out.spare);
  if (!on_turn_) return;
  done.serving = served - now_;
  done.running = ran - served;
  done.sending += Now() - ran;
  on_turn_(done);
}

/// Waits, and reads. Whether something was posted.
bool Loop::Wait(Duration most, Done& done) {
  std::array<epoll_event, kEvents> events;
  Duration time = std::clamp<Duration>(most, Duration(0), kLongest);
  if (const Instant due = NextDue(); due != Instant::max()) {
    time = std::clamp<Duration>(due - Now(), Duration(0), time);
  }
  const int ready = WaitForEvents(epoll_.get(), events.data(), time);
  now_ = Now();
  bool woken = false;
  for (int i = 0; i < ready; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    auto* const source = static_cast<Source*>(event.data.ptr);
    if (source == nullptr) {
      woken = true;
    } else if (!removed_.contains(source)) {
      ++done.sockets;
      source->OnReady(event.events);
    }
  }
  return woken;
}

void Loop::RunPosted() {
  eventfd_t count = 0;
  eventfd_read(wake_.get(), &count);
  std::vector<std::function<void()>> tasks;
  {
    const MutexLock lock(mutex_);
    tasks.swap(posted_);
  }
  for (const auto& task : tasks) task();
}

Instant Loop::NextDue() const {
  if (!dirty_.empty()) return now_;
  const Instant timer = timers_.empty() ? Instant::max() : timers_.begin()->first;
  return delayed_.empty() ? timer : std::min(timer, delayed_.begin()->first);
}

void Loop::RunDue() {
  // In parts: thousands of silent peers are asked for a sign of life at one time.
  for (std::size_t i = 0; i < kEvents && !delayed_.empty() && delayed_.begin()->first <= now_;
       ++i) {
    const auto task = std::move(delayed_.begin()->second);
    delayed_.erase(delayed_.begin());
    task();
  }
  for (std::size_t i = 0; i < kEvents && !timers_.empty() && timers_.begin()->first <= now_; ++i) {
    Timer& timer = *timers_.begin()->second;
    timer.Clear();
    timer.action_();
  }
}

void Loop::Flush() {
  ++flushes_;
  std::size_t again = 0;  // of dirty_, from the front
  // A flush may make others dirty.
  for (std::size_t i = 0; i < dirty_.size(); ++i) {
    Source* const source = dirty_[i];
    if (source == nullptr) continue;
    if (std::exchange(source->flushed_, flushes_) == flushes_) {
      dirty_[again++] = source;
      continue;
    }
    source->dirty_ = false;
    source->OnFlush();
  }
  dirty_.resize(again);
}

void Timer::Set(Instant when) {
  if (when_ != Instant::max()) loop_.timers_.erase({when_, this});
  when_ = when;
  if (when_ != Instant::max()) loop_.timers_.emplace(when_, this);
}

}  // namespace twofold::h2
