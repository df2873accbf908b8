#include "lib/load/engine/lanes.h"

#include <algorithm>
#include <utility>

namespace twofold::load {

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

Lanes::Others Lanes::Answered(Number number, const std::optional<Standing>& standing,
                              std::uint64_t others, Instant now) {
  Lane& lane = lanes_[number];
  lane.lost_before.reset();
  if (standing) lane.standing = standing;
  // An answer on a stream that was left knows less.
  const Others more{std::max(others, lane.others) - lane.others, lane.heard};
  lane.others += more.jobs;
  lane.heard = now;
  return more;
}

const std::shared_ptr<JobSink>& Lanes::any_sink() const {
  return std::find_if(lanes_.begin(), lanes_.end(),
                      [](const Lane& lane) { return lane.sink != nullptr; })
      ->sink;
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
    if (lane.sink) flushes.Add(lane.sink);
  }
}

}  // namespace twofold::load
