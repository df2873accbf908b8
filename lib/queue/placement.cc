#include "lib/queue/placement.h"

#include <algorithm>
#include <cstddef>

namespace twofold::queue {
namespace {

bool HasLine(std::string_view text, std::string_view line) {
  while (!text.empty()) {
    if (TakeLine(text) == line) return true;
  }
  return false;
}

}  // namespace

std::string_view TakeLine(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

bool Suits(std::string_view placement, std::string_view labels, std::string_view node) {
  bool names_nodes = false;
  bool on_one = false;
  while (!placement.empty()) {
    const std::string_view line = TakeLine(placement);
    if (line.starts_with(kPlacementLabel)) {
      if (!HasLine(labels, line.substr(kPlacementLabel.size()))) return false;
    } else if (line.starts_with(kPlacementNode)) {
      names_nodes = true;
      on_one = on_one || line.substr(kPlacementNode.size()) == node;
    }
  }
  return on_one || !names_nodes;
}

}  // namespace twofold::queue
