#include "lib/load/engine/lanes.h"

#include <algorithm>
#include <utility>

namespace twofold::load {
namespace {

// What comes from outside must not carry an instant over the end of the clock.
constexpr std::uint64_t kLongestWait = Duration(std::chrono::hours(24 * 365)).count();

}  // namespace

// ---- streams

void Lanes::Open(Number lane) {
  if (lane >= lanes_.size()) lanes_.resize(std::size_t{lane} + 1);
}

std::optional<Instant> Lanes::Connected(Number number, std::shared_ptr<JobSink> sink, Instant now) {
  Lane& lane = lanes_[number];
  if (!lane.sink) ++up_;
  lane.sink = std::move(sink);
  lane.link = Link::kConnected;
  lane.lost_before = std::exchange(lane.lost_since, std::nullopt);
  lane.standing.reset();
  lane.others = 0;
  lane.heard = now;
  return lane.lost_before;
}

void Lanes::Close(Number lane) {
  if (std::exchange(lanes_[lane].sink, nullptr)) --up_;
}

void Lanes::Moved(Number number) {
  Lane& lane = lanes_[number];
  lane.lost_since = std::exchange(lane.lost_before, std::nullopt);
  lane.link = lane.lost_since ? Link::kReconnecting : Link::kMoving;
}

bool Lanes::Lost(Number number, Instant now) {
  Lane& lane = lanes_[number];
  lane.link = Link::kReconnecting;
  if (lane.lost_since) return false;
  lane.lost_since = now;
  return true;
}

Lanes::Others Lanes::Answered(Number number, const v1::SubmitReply& reply, Instant now) {
  Lane& lane = lanes_[number];
  lane.lost_before.reset();
  if (reply.has_standing()) lane.standing = reply.standing();
  // An answer on a stream that was left knows less.
  const std::uint64_t others = std::max<std::uint64_t>(reply.others_started(), lane.others);
  const Others more{others - lane.others, lane.heard};
  lane.others = others;
  lane.heard = now;
  return more;
}

void Lanes::AddAtWork(Number lane, std::vector<Instant>& sent,
                      std::vector<Instant>& at_work) const {
  const std::optional<v1::Standing>& standing = lanes_[lane].standing;
  if (!standing) return void(at_work.insert(at_work.end(), sent.begin(), sent.end()));
  const std::uint64_t running = std::min(standing->running(), sent.size());
  const std::uint64_t most =
      standing->waiting() > 0 ? running : std::max(running, standing->most_running());
  const auto waited = sent.begin() + static_cast<std::ptrdiff_t>(running);
  const auto last = sent.begin() + static_cast<std::ptrdiff_t>(std::min(most, sent.size()));
  std::nth_element(sent.begin(), last, sent.end());
  std::nth_element(sent.begin(), waited, last);
  const std::uint64_t wait = running > 0 ? standing->waited_ns() / standing->running() : 0;
  for (auto job = sent.begin(); job != waited; ++job) {
    at_work.push_back(*job + Duration(std::min(wait, kLongestWait)));
  }
  at_work.insert(at_work.end(), waited, last);
}

// Of two links the one with the higher number is the worse.
Link Lanes::link() const {
  static_assert(Link::kConnecting < Link::kConnected && Link::kConnected < Link::kMoving &&
                Link::kMoving < Link::kReconnecting);
  Link worst = Link::kConnecting;
  for (const Lane& lane : lanes_) worst = std::max(worst, lane.link);
  return worst;
}

std::optional<Instant> Lanes::lost_since() const {
  std::optional<Instant> first;
  for (const Lane& lane : lanes_) {
    if (lane.lost_since) first = std::min(first.value_or(*lane.lost_since), *lane.lost_since);
  }
  return first;
}

// ---- jobs

Lanes::Number Lanes::FewestFrom(const LoadLoop& loop, Number preferred) const {
  std::optional<Number> fewest;
  const auto consider = [&](std::size_t lane) {
    const auto number = static_cast<Number>(lane);
    if (!lanes_[number].sink) return;
    if (!fewest || loop.outstanding(number) < loop.outstanding(*fewest)) fewest = number;
  };
  for (std::size_t lane = preferred; lane < lanes_.size(); ++lane) consider(lane);
  for (std::size_t lane = 0; lane < preferred; ++lane) consider(lane);
  return *fewest;
}

Lanes::Number Lanes::Turn() {
  turn_ = turn_ + 1 < lanes_.size() ? turn_ + 1 : 0;
  return static_cast<Number>(turn_);
}

void Lanes::HandOver(const Kinds& kinds, FlushList& flushes) {
  for (Lane& lane : lanes_) {
    if (!std::exchange(lane.has_jobs, false)) continue;
    for (std::size_t kind = 0; kind < lane.jobs.size(); ++kind) {
      if (lane.jobs[kind].empty()) continue;
      if (lane.sink) lane.sink->Add(lane.jobs[kind], kinds.job(kind));
      lane.jobs[kind].clear();
    }
    if (lane.sink) flushes.push_back(lane.sink);
  }
}

}  // namespace twofold::load
