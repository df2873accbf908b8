// Workers that go to another shard of their queue, which needs them more.

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "frontend/queues/queue_host.h"
#include "frontend/queues/queue_state.h"
#include "frontend/queues/shards.h"
#include "lib/queue/placement.h"

namespace twofold::frontend {

std::uint64_t QueueHost::Turn::Lend(const Loan& loan) {
  // A worker that goes when all is on disk would do nothing until then.
  const auto& journal = state_.tenure.journal;
  const bool is_stuck = state_.suspended || (journal != nullptr && !journal->writable());
  if (!state_.served || is_stuck) return 0;
  Loan left = loan;
  for (std::size_t i = 0; i < state_.workers.size(); ++i) {
    const auto* const known = state_.core.core().FindProcess(static_cast<queue::ProcessId>(i));
    if (known == nullptr || state_.workers[i].lent_to != loan.to) continue;
    left.slots -= std::min<std::uint64_t>(left.slots, known->slots);
  }
  const std::uint64_t spare = LoadOf(state_.core.core().Stats()).spare();
  left.slots -= std::min(left.slots, LendTo(left, spare, false));
  if (loan.pressing) left.slots -= std::min(left.slots, LendTo(left, 0, true));
  return loan.slots - left.slots;
}

/// Workers that are busy, or those that are not: these go at once.
std::uint64_t QueueHost::Turn::LendTo(const Loan& loan, std::uint64_t spare, bool busy) {
  std::uint64_t lent = 0;
  for (std::size_t i = 0; i < state_.workers.size() && lent < loan.slots; ++i) {
    const queue::ProcessId process{static_cast<std::uint32_t>(i)};
    if (!MayGo(process, loan)) continue;
    const queue::Process& known = *state_.core.core().FindProcess(process);
    const bool is_wanted = !loan.pressing && known.slots > spare;
    if ((known.busy() > 0) != busy || is_wanted) continue;
    spare -= std::min<std::uint64_t>(spare, known.slots);
    lent += known.slots;
    state_.workers[i].lent_to = loan.to;
    state_.core.Step(now_, queue::input::WorkerDraining{process}, state_);
    SendIfFree(process);
  }
  return lent;
}

/// A slot that is held for a gang stays.
bool QueueHost::Turn::MayGo(queue::ProcessId process, const Loan& loan) const {
  const queue::Process* const known = state_.core.core().FindProcess(process);
  if (known == nullptr || !known->able() || known->reserved > 0) return false;
  const State::Worker& worker = state_.workers[static_cast<std::size_t>(process)];
  const auto suits = [&](const std::string& placement) {
    return queue::Suits(placement, known->labels, worker.identity.node);
  };
  if (now_ < state_.kept_until && suits(state_.kept_placement)) return false;
  return worker.endpoint != nullptr && now_ - worker.joined >= kShortestStay &&
         suits(loan.placement);
}

void QueueHost::Turn::Keep(const std::string& placement, Instant until) {
  state_.kept_placement = placement;
  state_.kept_until = until;
}

/// What it has done is on disk first, and it knows: it goes without anything of this queue.
void QueueHost::Turn::SendIfFree(queue::ProcessId process) {
  State::Worker& worker = state_.WorkerAt(process);
  if (worker.lent_to.empty() || worker.endpoint == nullptr) return;
  const queue::Process* const known = state_.core.core().FindProcess(process);
  if (known == nullptr || known->busy() > 0) return;
  const auto tell = [endpoint = worker.endpoint,
                     to = std::exchange(worker.lent_to, {})](FlushList& list) {
    endpoint->OnMoved(to);
    list.Add(endpoint);
  };
  if (state_.tenure.journal != nullptr) return state_.commit.Then(tell);
  tell(state_.to_flush);
}

}  // namespace twofold::frontend
