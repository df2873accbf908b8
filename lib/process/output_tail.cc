#include "lib/process/output_tail.h"

#include <algorithm>

namespace twofold::backend {

void OutputTail::Append(std::string_view bytes) {
  bytes.remove_prefix(bytes.size() - std::min(bytes.size(), limit_));
  kept_.append(bytes);
  if (kept_.size() > 2 * limit_) kept_.erase(0, kept_.size() - limit_);
}

std::string OutputTail::Last() const {
  return kept_.substr(kept_.size() - std::min(kept_.size(), limit_));
}

}  // namespace twofold::backend
