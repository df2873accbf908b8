#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <absl/strings/strip.h>

#include "frontend/queues/convert.h"
#include "frontend/services/lookup.h"
#include "lib/common/counted.h"

namespace twofold::frontend {
namespace {

std::string Text(const queue::Explanation& why, const queue::JobOptions& options) {
  switch (why.reason) {
    case queue::WaitReason::kNotWaiting:
      return "it runs";
    case queue::WaitReason::kDelayed:
      return absl::StrCat("delayed: its time comes in ", ToSeconds(why.in), " s");
    case queue::WaitReason::kKeyLimit:
      return absl::StrCat("key limit: of '", options.limit_key, "' ", options.key_limit,
                          " may run at once, and do");
    case queue::WaitReason::kKeyHeld:
      return absl::StrCat("the program of an ended job with dedup key '", options.dedup_key,
                          "' still runs");
    case queue::WaitReason::kHeld:
      return "the store cannot be written";
    case queue::WaitReason::kPaused:
      return "the queue is paused";
    case queue::WaitReason::kNoWorker:
      return "no worker is connected that takes jobs";
    case queue::WaitReason::kNoSuitableWorker:
      return absl::StrCat(
          "no worker that takes jobs is in its place: ",
          absl::StrReplaceAll(absl::StripSuffix(options.placement, "\n"), {{"\n", ", "}}));
    case queue::WaitReason::kGangShort:
      return absl::StrCat("gang of ", options.gang.size, " is short of ",
                          Counted(why.short_of, "worker"));
    case queue::WaitReason::kBehind:
      return why.ahead == 0 ? "next in line: waits for a free worker"
                            : absl::StrCat("behind ", Counted(why.ahead, "job"));
  }
  return {};
}

// "; gang 17 holds 3 workers until it has all of its own"
std::string HeldText(const queue::Explanation& why) {
  if (why.held == 0) return {};
  return absl::StrCat("; gang ", static_cast<std::uint64_t>(why.held_by), " holds ",
                      Counted(why.held, "free worker"), " until it has all of its own");
}

}  // namespace

Result<v1::Explanation> ExplainJob(const QueueSet& queues, std::uint64_t id) {
  v1::Explanation reply;
  const queue::JobId job{id};
  if (QueueHost* host = queues.Owner(job)) {
    const QueueHost::Turn turn(*host, Now());
    const auto why = turn.core().Explain(turn.now(), job);
    if (why) {
      const auto view = turn.core().Find(turn.now(), job);
      *reply.mutable_job() = Describe(turn, *host, *view);
      reply.set_reason(ToProto(why->reason));
      reply.set_text(Text(*why, *view->options) + HeldText(*why));
      reply.set_held_by(static_cast<std::uint64_t>(why->held_by));
      reply.set_held(static_cast<std::uint32_t>(why->held));
      reply.set_ahead(why->ahead);
      reply.set_in_ns(static_cast<std::uint64_t>(why->in.count()));
      reply.set_short_of(static_cast<std::uint32_t>(why->short_of));
      if (why->reason == queue::WaitReason::kKeyLimit) reply.set_key(view->options->limit_key);
      if (why->reason == queue::WaitReason::kKeyHeld) reply.set_key(view->options->dedup_key);
    }
  }
  if (!reply.has_job()) {
    QueueHost* const host = queues.Owner(job);
    if (Status status = host ? host->CheckServed() : absl::OkStatus(); !status.ok()) return status;
    Result<v1::Job> ended = FindJob(queues, id);
    if (!ended.ok()) return ended.status();
    *reply.mutable_job() = *std::move(ended);
    reply.set_reason(v1::WAIT_REASON_NOT_WAITING);
    reply.set_text("it has ended");
  } else if (reply.reason() != v1::WAIT_REASON_NOT_WAITING && reply.job().durable()) {
    const std::string trouble = StoreTrouble(queues.Owner(queue::JobId{id})->Look(Now()));
    if (!trouble.empty()) {
      reply.set_reason(v1::WAIT_REASON_STORE);
      reply.set_text(absl::StrCat("the store cannot be written: ", trouble));
    }
  }
  return reply;
}

}  // namespace twofold::frontend
