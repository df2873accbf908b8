#include "kubernetes/nodes/model/fleet.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "kubernetes/nodes/model/names.h"

namespace twofold::nodes {

Result<PlannedLoss> ParseLoss(const std::string& text) {
  const std::size_t at = text.find('@');
  const std::size_t plus = text.find('+');
  PlannedLoss loss;
  if (at == std::string::npos || plus == std::string::npos || plus < at ||
      !absl::SimpleAtoi(text.substr(0, at), &loss.count) || loss.count == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' is not COUNT@AT+TIME, such as 5@60s+2m"));
  }
  const auto when = ParseTime(text.substr(at + 1, plus - at - 1));
  if (!when.ok()) return when.status();
  const auto time = ParseTime(text.substr(plus + 1));
  if (!time.ok()) return time.status();
  loss.at = *when;
  loss.time = *time;
  return loss;
}

Fleet::Fleet(NodeTemplate nodes, Losses losses, Clocks clocks,
             const std::vector<std::uint32_t>& existing, Instant now)
    : nodes_(std::move(nodes)),
      losses_(std::move(losses)),
      clocks_(clocks),
      begun_(now),
      draws_(losses_.seed, nodes_.run),
      all_(nodes_.count) {
  for (std::uint32_t index = 0; index < nodes_.count; ++index) Plan(index, State::kMissing, now);
  for (const std::uint32_t index : existing) Plan(index, State::kFinding, now);
  for (std::size_t i = 0; i < losses_.planned.size(); ++i) {
    timers_.Set(nodes_.count + i, now + losses_.planned[i].at);
  }
}

void Fleet::Plan(std::uint32_t index, State state, Instant due) {
  all_[index].state = state;
  all_[index].planned = due;
  Arm(index, due);
}

// A node may be lost before its next call is due.
void Fleet::Arm(std::uint32_t index, Instant due) {
  timers_.Set(index, std::min(due, all_[index].lost_at));
}

// The renewals of all nodes are spread over the period by their number, however they came up.
Instant Fleet::NextRenewal(std::uint32_t index, Instant now) const {
  const Instant first = begun_ + kLeasePeriod * index / nodes_.count;
  if (first > now) return first;
  return first + kLeasePeriod * ((now - first) / kLeasePeriod + 1);
}

kube::Call Fleet::CallOf(std::uint32_t index, Instant now) const {
  const std::string name = nodes_.NameOf(index);
  const Moment moment = clocks_(now);
  switch (all_[index].state) {
    case State::kMissing:
      return CreateNode(nodes_, index, moment);
    case State::kFinding:
    case State::kChecking:
      return kube::Get(kube::kNodes, {"", name});
    case State::kRefreshing:
    case State::kLost:
      return RefreshNode(nodes_, index, moment);
    case State::kNoLease:
      return CreateLease(nodes_.run, name, all_[index].uid, moment);
    case State::kTainted:
      return RemoveNotReady(name, *all_[index].not_ready);
    case State::kUp:
    case State::kGone:
      break;
  }
  return RenewLease(name, moment);
}

std::optional<Order> Fleet::Take(Instant now) {
  while (const auto key = timers_.Take(now)) {
    if (*key >= nodes_.count) {
      LoseSome(losses_.planned[*key - nodes_.count], now);
      continue;
    }
    const auto index = static_cast<std::uint32_t>(*key);
    Node& node = all_[index];
    if (node.lost_at <= now) {
      Lose(index, losses_.time.Draw(draws_), now);
      continue;
    }
    if (node.state == State::kLost) {
      --counts_.lost;
      node.state = State::kRefreshing;
    }
    // Nodes are made as fast as the server likes.
    const bool is_made = node.state == State::kMissing || node.state == State::kFinding;
    return Order{index, node.planned, CallOf(index, now), !is_made};
  }
  return std::nullopt;
}

void Fleet::Lose(std::uint32_t index, Duration time, Instant now) {
  Node& node = all_[index];
  if (node.state == State::kUp) --counts_.up;
  ++counts_.lost;
  ++counts_.losses;
  node.lost_at = Instant::max();
  node.back_at = now + time;
  Plan(index, State::kLost, node.back_at);
}

// Nodes that are up and have no call under way, evenly chosen; fewer if there are not so many.
void Fleet::LoseSome(const PlannedLoss& loss, Instant now) {
  std::vector<std::uint32_t> up;
  for (std::uint32_t index = 0; index < nodes_.count; ++index) {
    if (all_[index].state == State::kUp && timers_.Has(index)) up.push_back(index);
  }
  for (std::uint32_t i = 0; i < loss.count && !up.empty(); ++i) {
    const auto chosen = static_cast<std::size_t>(draws_.Share() * static_cast<double>(up.size()));
    Lose(up[chosen], loss.time, now);
    up[chosen] = up.back();
    up.pop_back();
  }
}

std::optional<Instant> Fleet::LostUntil(std::uint32_t index, Instant now) const {
  const Node& node = all_[index];
  if (node.state != State::kLost || node.back_at <= now) return std::nullopt;
  return node.back_at;
}

void Fleet::Leased(std::uint32_t index, Instant now) {
  if (all_[index].not_ready) {
    Plan(index, State::kTainted, now);
  } else {
    GoUp(index, now);
  }
}

void Fleet::GoUp(std::uint32_t index, Instant now) {
  Node& node = all_[index];
  ++counts_.up;
  CountSeen(node);
  if (losses_.after) node.lost_at = now + losses_.after->Draw(draws_);
  Plan(index, State::kUp, NextRenewal(index, now));
}

void Fleet::CountSeen(Node& node) {
  if (!std::exchange(node.is_seen, true)) ++counts_.seen;
}

Status Fleet::Done(std::uint64_t ticket, const Result<Json>& outcome, Instant now) {
  const auto index = static_cast<std::uint32_t>(ticket);
  Status status = outcome.status();
  if (status.ok()) status = Advance(index, *outcome, now);
  if (status.ok()) {
    all_[index].failures = 0;
    return status;
  }
  if (Redirect(index, status, now)) return absl::OkStatus();
  ++counts_.failures;
  Retry(index, now);
  return status;
}

Status Fleet::Advance(std::uint32_t index, const Json& object, Instant now) {
  Node& node = all_[index];
  switch (node.state) {
    case State::kMissing:
      node.uid = kube::TextAt(object, "/metadata/uid");
      node.not_ready = FindNotReady(object);
      Plan(index, State::kNoLease, now);
      break;
    case State::kFinding:
    case State::kChecking:
      return Found(index, object, now);
    case State::kRefreshing:
      node.not_ready = FindNotReady(object);
      Plan(index, State::kNoLease, now);
      break;
    case State::kNoLease:
      Leased(index, now);
      break;
    case State::kTainted:
      GoUp(index, now);
      break;
    case State::kUp:
      ++counts_.renewals;
      Plan(index, State::kUp, NextRenewal(index, now));
      break;
    case State::kLost:
    case State::kGone:
      break;  // have no calls
  }
  return absl::OkStatus();
}

Status Fleet::Found(std::uint32_t index, const Json& object, Instant now) {
  if (RunOf(object) != nodes_.run) {
    return absl::FailedPreconditionError(
        absl::StrCat("node ", nodes_.NameOf(index),
                     " exists and was not made by this `up`; delete it, or choose "
                     "another --run"));
  }
  all_[index].uid = kube::TextAt(object, "/metadata/uid");
  Plan(index, State::kRefreshing, now);
  return absl::OkStatus();
}

// Errors that tell what is there. True: the node goes on from that.
bool Fleet::Redirect(std::uint32_t index, const Status& status, Instant now) {
  const State state = all_[index].state;
  if (state == State::kTainted && absl::IsInvalidArgument(status)) {
    GoUp(index, now);  // it is no longer there: the controller manager came first
    return true;
  }
  if (absl::IsAlreadyExists(status)) {
    if (state == State::kMissing) Plan(index, State::kFinding, now);
    if (state == State::kNoLease) {
      Leased(index, now);
      // How old the lease is nobody knows.
      if (all_[index].state == State::kUp) Plan(index, State::kUp, now);
    }
    return state == State::kMissing || state == State::kNoLease;
  }
  if (!absl::IsNotFound(status)) return false;
  switch (state) {
    case State::kUp:  // its lease goes with it
      --counts_.up;
      Plan(index, State::kChecking, now);
      return true;
    case State::kFinding:
      Plan(index, State::kMissing, now);
      return true;
    case State::kChecking:
    case State::kRefreshing:
      ++counts_.gone;
      CountSeen(all_[index]);
      all_[index].state = State::kGone;
      return true;
    default:  // without the namespace of leases making one fails like this
      return false;
  }
}

void Fleet::Retry(std::uint32_t index, Instant now) {
  const Duration wait = WaitAfter(all_[index].failures++, draws_.Share());
  // A renewal that is late is still the one that was planned.
  Arm(index, now + wait);
}

}  // namespace twofold::nodes
