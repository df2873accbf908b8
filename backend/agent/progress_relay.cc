#include "backend/agent/progress_relay.h"

#include <utility>

namespace twofold::backend {

void ProgressRelay::Update(const AttemptId& id, process::ProgressLine line) {
  news_.insert_or_assign(id, std::move(line));
  if (!armed_) SendNews();
}

void ProgressRelay::SendNews() {
  if (news_.empty()) return;
  for (const auto& [id, line] : news_) send_(id, line);
  news_.clear();
  armed_ = true;
  timer_.expires_after(kPeriod);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    armed_ = false;
    SendNews();
  });
}

}  // namespace twofold::backend
