#include "lib/spec/shown.h"

#include <algorithm>

#include "lib/common/printable.h"

namespace twofold::spec {

std::string Shown(std::string_view text, std::size_t most) {
  std::string shown(text.substr(0, most));
  if (shown.size() < text.size()) {
    shown.resize(ValidUtf8(shown));
    shown += "...";
  }
  const auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; };
  std::replace_if(shown.begin(), shown.end(), is_control, '?');
  return shown;
}

}  // namespace twofold::spec
