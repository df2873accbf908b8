#include "backend/agent/output_backlog.h"

#include <algorithm>
#include <utility>

namespace twofold::backend {

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

}  // namespace twofold::backend
