#include "lib/http/events.h"

#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace twofold::http {
namespace {

constexpr int kShare = 10;  // of the time that making takes, until it is made again

class TopicsSource final : public EventSource {
 public:
  explicit TopicsSource(std::vector<std::shared_ptr<Topic>> topics) {
    for (auto& topic : topics) topics_.push_back({std::move(topic)});
  }

  std::vector<EventBytes> Next(Instant now) override {
    std::vector<EventBytes> events;
    for (Read& read : topics_) {
      auto [version, bytes] = read.topic->Look(now);
      if (version != std::exchange(read.version, version)) events.push_back(std::move(bytes));
    }
    return events;
  }

 private:
  struct Read {
    std::shared_ptr<Topic> topic;
    std::uint64_t version = 0;  // the last that the reader got
  };
  std::vector<Read> topics_;
};

}  // namespace

Topic::Event Topic::Look(Instant now) {
  {
    const MutexLock lock(mutex_);
    if (making_ || now < next_) return newest_;
    making_ = true;
  }
  const auto task = [self = shared_from_this(), now] { self->Refresh(now); };
  if (!run_) {
    task();
  } else if (!run_(task)) {
    Take(now + kEventPeriod, std::nullopt);
  }
  const MutexLock lock(mutex_);
  return newest_;
}

void Topic::Refresh(Instant now) {
  const Instant begun = Now();
  std::optional<std::string> data;
  try {
    data = make_(now);
  } catch (const std::exception& error) {
    spdlog::error("cannot make the event '{}': {}", name_, error.what());
  }
  // A little early, so that a reader who comes each kEventPeriod finds a new one each time.
  const Duration pause = std::max<Duration>(kEventPeriod * 9 / 10, kShare * (Now() - begun));
  Take(now + pause, std::move(data));
}

void Topic::Take(Instant next, std::optional<std::string> data) {
  EventBytes bytes;
  if (data) {
    bytes = std::make_shared<const std::string>(
        absl::StrCat("event: ", name_, "\ndata: ", *data, "\n\n"));
  }
  const MutexLock lock(mutex_);
  making_ = false;
  next_ = next;
  if (!bytes || (newest_.bytes && *newest_.bytes == *bytes)) return;
  newest_ = {newest_.version + 1, std::move(bytes)};
}

Response Events(std::shared_ptr<EventSource> source) {
  Response response{200, "text/event-stream", {}, {{"X-Accel-Buffering", "no"}}};
  response.events = std::move(source);
  return response;
}

Response Events(std::vector<std::shared_ptr<Topic>> topics) {
  return Events(std::make_shared<TopicsSource>(std::move(topics)));
}

}  // namespace twofold::http
