#include "lib/http/bare_head.h"

namespace twofold::http {

bool BareHead::Begins(std::string_view received) {
  const std::size_t end = received.find('\n');
  return end != received.npos && (end == 0 || received[end - 1] != '\r');
}

std::size_t BareHead::Take(std::string_view received, std::string& head) {
  std::size_t taken = 0;
  while (!done_ && taken < received.size()) {
    const char c = received[taken++];
    if (c != '\n') {
      line_ += c;
      continue;
    }
    if (line_.ends_with('\r')) line_.pop_back();
    head.append(line_).append("\r\n");
    done_ = line_.empty();
    line_.clear();
  }
  return taken;
}

}  // namespace twofold::http
