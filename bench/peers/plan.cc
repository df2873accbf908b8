#include "bench/peers/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/peers/text.h"

namespace twofold::bench {
namespace {

constexpr int kMostConnections = 1'000;
constexpr int kMostOutstanding = 100'000;

// What is worth measuring: takes beyond what is outstanding change nothing, and peers that push
// have none (0).
std::vector<int> TakesThatMatter(const SeriesPlan& plan, const Traits& peer, int most) {
  if (!peer.takes) return {0};
  std::vector<int> takes;
  for (const int take : plan.takes) {
    if (takes.empty() || take <= most) takes.push_back(std::min(take, most));
  }
  return takes;
}

void AddShape(const SeriesPlan& plan, const Traits& peer, const Shape& shape, int payload,
              std::vector<Cell>& cells) {
  for (const int take : TakesThatMatter(plan, peer, shape.outstanding)) {
    cells.push_back({.peer = std::string(peer.name),
                     .test = TestKind::kRoundTrips,
                     .connections = shape.connections,
                     .outstanding = shape.outstanding,
                     .payload = payload,
                     .take = take});
    if (payload != plan.payloads.front()) return;
  }
}

void AddRoundTrips(const SeriesPlan& plan, const Traits& peer, std::vector<Cell>& cells) {
  for (const Shape& shape : plan.shapes) {
    AddShape(plan, peer, shape, plan.payloads.front(), cells);
  }
  for (std::size_t i = 1; i < plan.payloads.size(); ++i) {
    AddShape(plan, peer, plan.shapes.back(), plan.payloads[i], cells);
  }
}

void AddOpenLoop(const SeriesPlan& plan, const Traits& peer, std::vector<Cell>& cells) {
  for (const int take : TakesThatMatter(plan, peer, plan.takes.back())) {
    cells.push_back({.peer = std::string(peer.name),
                     .test = TestKind::kOpenLoop,
                     .connections = plan.connections,
                     .outstanding = 0,
                     .payload = plan.payloads.front(),
                     .take = take,
                     .rate = plan.rate,
                     .run_seconds = plan.run_seconds});
  }
}

void AddEnqueue(const SeriesPlan& plan, const Traits& peer, std::vector<Cell>& cells) {
  if (!peer.enqueue) return;
  cells.push_back({.peer = std::string(peer.name),
                   .test = TestKind::kEnqueue,
                   .outstanding = 1024,
                   .payload = plan.payloads.front(),
                   .take = 0,
                   .count = plan.jobs});
}

void AddIdle(const SeriesPlan& plan, const Traits& peer, std::vector<Cell>& cells) {
  if (!peer.idle || (plan.slots > 1 && !peer.slots)) return;
  cells.push_back({.peer = std::string(peer.name),
                   .test = TestKind::kIdle,
                   .outstanding = 0,
                   .take = 0,
                   .count = plan.workers,
                   .slots = plan.slots});
}

}  // namespace

Result<Shape> ParseShape(std::string_view text) {
  const std::vector<std::string_view> parts = Split(text, ':');
  const auto connections = ParseNumber<int>(parts.front());
  const auto outstanding = ParseNumber<int>(parts.back());
  if (parts.size() == 2 && connections && outstanding && *connections >= 1 &&
      *connections <= kMostConnections && *outstanding >= 1 && *outstanding <= kMostOutstanding) {
    return Shape{*connections, *outstanding};
  }
  return absl::InvalidArgumentError(
      fmt::format("\"{}\" is no CONNECTIONS:OUTSTANDING, such as 8:1024 (at most {}:{})", text,
                  kMostConnections, kMostOutstanding));
}

std::vector<Cell> PlanCells(const SeriesPlan& plan, const Traits& peer) {
  using Add = void (*)(const SeriesPlan&, const Traits&, std::vector<Cell>&);
  constexpr Add kAdd[] = {AddRoundTrips, AddOpenLoop, AddEnqueue, AddIdle};  // by TestKind
  std::vector<Cell> cells;
  for (const TestKind test : plan.tests) kAdd[static_cast<int>(test)](plan, peer, cells);
  return cells;
}

}  // namespace twofold::bench
