#include "backend/benchmark/listening.h"

#include <charconv>
#include <fstream>
#include <iterator>
#include <string>

#include "lib/suite/text.h"

namespace twofold::backend {
namespace {

constexpr std::string_view kListen = "0A";  // TCP_LISTEN

// Of "  0: 0100007F:1451 00000000:0000 0A ...": address:port, peer, state.
struct Row {
  std::uint16_t port = 0;
  bool listens = false;
};

bool ReadRow(std::string_view line, Row& row) {
  const auto words = suite::Words(line);
  if (words.size() < 4 || !words[0].ends_with(':')) return false;
  const std::size_t colon = words[1].rfind(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view port = words[1].substr(colon + 1);
  const auto read = std::from_chars(port.data(), port.data() + port.size(), row.port, 16);
  row.listens = words[3] == kListen;
  return read.ec == std::errc();
}

std::string TextOf(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

bool ListensIn(std::string_view table, std::uint16_t port) {
  Row row;
  for (const std::string_view line : suite::Lines(table)) {
    if (ReadRow(line, row) && row.listens && row.port == port) return true;
  }
  return false;
}

bool Listens(std::uint16_t port) {
  return ListensIn(TextOf("/proc/net/tcp"), port) || ListensIn(TextOf("/proc/net/tcp6"), port);
}

}  // namespace twofold::backend
