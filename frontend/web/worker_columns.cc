#include "frontend/web/worker_columns.h"

#include <absl/hash/hash.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include "lib/show/table.h"

namespace twofold::frontend {
namespace {

char LetterOf(const queue::Process& process) {
  if (process.presence == queue::Presence::kAway) return 'a';
  if (process.presence == queue::Presence::kSilent) return 's';
  if (process.draining) return 'd';
  if (process.paused) return 'p';
  return process.busy() > 0 ? 'b' : 'i';
}

}  // namespace

std::optional<std::string> WorkerColumns::Names(Instant now) {
  Walk(nullptr);
  walked_at_ = now;
  const bool known = version_ > 0 && set_ == named_set_;
  if (known || (version_ > 0 && now - named_at_ < kNamesPeriod)) return std::nullopt;
  Identities names;
  Walk(&names);
  ++version_;
  named_set_ = set_;
  named_at_ = now;
  std::string line = show::Line({{"version", version_},
                                 {"left_out", left_out_},
                                 {"slow_rule", Stragglers::Rule()},
                                 {"queue", names.queue},
                                 {"node", names.node},
                                 {"pod", names.pod},
                                 {"device", names.device},
                                 {"slots", names.slots}});
  line.pop_back();
  return line;
}

std::optional<std::string> WorkerColumns::States(Instant now) {
  if (walked_at_ != now) Walk(nullptr);
  if (version_ == 0 || set_ != named_set_) return std::nullopt;
  const std::vector<bool>& straggles = stragglers_.Judge(now, set_, done_);
  for (std::size_t i = 0; i < letters_.size(); ++i) {
    if (straggles[i] && letters_[i] == 'b') letters_[i] = 'z';
  }
  return absl::StrCat(R"({"version":)", version_, R"(,"busy":[)", absl::StrJoin(busy_, ","),
                      R"(],"state":")", letters_, R"("})");
}

/// Looks at all, and gathers who they are if asked to. Its turns are short, so the set may change
/// between them: what one walk gathers belongs together.
void WorkerColumns::Walk(Identities* names) {
  set_ = left_out_ = 0;
  letters_.clear();
  busy_.clear();
  done_.clear();
  std::size_t queue = 0;
  for (const auto& host : queues_.all()) {
    const auto visit = [&](const QueueHost::Turn::WorkerView& worker) {
      if (letters_.size() == kMostWorkers) {
        ++left_out_;
        return;
      }
      LookAt(worker, queue);
      if (names == nullptr) return;
      names->queue.push_back(host->name());
      names->node.push_back(worker.identity.node);
      names->pod.push_back(worker.identity.pod);
      names->device.push_back(worker.identity.device);
      names->slots.push_back(worker.process.slots);
    };
    set_ = absl::HashOf(set_, letters_.size());
    std::size_t from = 0;
    do {
      const QueueHost::Turn turn(*host, Now());
      from = turn.ListWorkers({}, from, visit);
    } while (from != 0);
    ++queue;
  }
}

void WorkerColumns::LookAt(const QueueHost::Turn::WorkerView& worker, std::size_t queue) {
  const queue::Process& process = worker.process;
  letters_ += LetterOf(process);
  busy_.push_back(process.busy());
  done_.push_back({queue, process.slots, process.ended, process.busy() > 0});
  set_ = absl::HashOf(set_, process.key, process.slots);
}

}  // namespace twofold::frontend
