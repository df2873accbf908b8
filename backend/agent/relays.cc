#include "backend/agent/relays.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "backend/workload/after.h"

namespace twofold::backend {
namespace {

constexpr std::chrono::milliseconds kRetry{20};  // to see whether a busy stream has got on

}  // namespace

void ProgressRelay::Update(const AttemptId& id, process::ProgressLine line) {
  news_.insert_or_assign(id, std::move(line));
  if (!armed_) SendNews();
}

void ProgressRelay::SendNews() {
  if (news_.empty()) return;
  for (const auto& [id, line] : news_) send_(id, line);
  news_.clear();
  armed_ = true;
  After(timer_, kPeriod, [this] {
    armed_ = false;
    SendNews();
  });
}

void OutputBacklog::Append(std::string_view bytes) {
  const std::size_t skipped = bytes.size() - std::min(bytes.size(), limit_);
  bytes.remove_prefix(skipped);
  const std::size_t total = waiting_.size() + bytes.size();
  const std::size_t dropped = total - std::min(total, limit_);
  waiting_.erase(0, dropped);
  waiting_.append(bytes);
  missed_ += skipped + dropped;
}

OutputBacklog::Chunk OutputBacklog::Take(std::size_t most) {
  Chunk chunk{std::exchange(missed_, 0), waiting_.substr(0, most)};
  waiting_.erase(0, most);
  return chunk;
}

void OutputRelay::Append(const AttemptId& id, std::string_view bytes) {
  const auto found = backlogs_.find(id);
  if (found == backlogs_.end()) return;
  found->second.Append(bytes);
  if (!armed_) Pump();
}

void OutputRelay::Finish(const AttemptId& id) {
  if (backlogs_.empty()) return;  // nearly always
  const auto found = backlogs_.find(id);
  if (found == backlogs_.end()) return;
  while (!found->second.empty()) sink_.send(id, found->second.Take(kChunkBytes));
  backlogs_.erase(found);
}

void OutputRelay::Pump() {
  while (SendRound()) {
  }
  const bool all_sent = std::all_of(backlogs_.begin(), backlogs_.end(),
                                    [](const auto& entry) { return entry.second.empty(); });
  if (all_sent) return;
  armed_ = true;
  After(timer_, kRetry, [this] {
    armed_ = false;
    Pump();
  });
}

// A chunk of each attempt, so that one that prints a lot does not keep the others from being heard.
// False: there is nothing more to send, or nothing more can be sent now.
bool OutputRelay::SendRound() {
  bool sent = false;
  for (auto& [id, backlog] : backlogs_) {
    if (backlog.empty()) continue;
    if (!sink_.ready()) return false;
    sink_.send(id, backlog.Take(kChunkBytes));
    sent = true;
  }
  return sent;
}

}  // namespace twofold::backend
