#include "client/outside_text.h"

#include <algorithm>

namespace twofold::client {
namespace {

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

}  // namespace

std::string OneLine(std::string_view text, std::size_t max_bytes) {
  if (text.size() > max_bytes) {
    while (max_bytes > 0 && IsContinuation(text[max_bytes])) --max_bytes;
    text = text.substr(0, max_bytes);
  }
  std::string line(text);
  std::replace_if(line.begin(), line.end(), IsControl, ' ');
  return line;
}

}  // namespace twofold::client
