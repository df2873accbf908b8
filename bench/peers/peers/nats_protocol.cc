#include "bench/peers/peers/nats_protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bench/peers/fail.h"
#include "bench/peers/text.h"

namespace twofold::bench {
namespace {

constexpr std::string_view kEnd = "\r\n";

// MSG subject sid [reply] bytes. Returns the number of fields.
std::size_t SplitFields(std::string_view line, std::array<std::string_view, 5>& fields) {
  std::size_t count = 0;
  while (!line.empty() && count < fields.size()) {
    const std::size_t space = std::min(line.find(' '), line.size());
    fields[count++] = line.substr(0, space);
    line.remove_prefix(std::min(space + 1, line.size()));
  }
  return count;
}

}  // namespace

void SendConnect(Connection& connection) {
  connection.Send("CONNECT {\"verbose\":false,\"pedantic\":false,\"tls_required\":false}\r\n");
}

void SendSubscribe(Connection& connection, std::string_view subject, std::string_view group) {
  connection.Print("SUB {}{}{} 1\r\n", subject, group.empty() ? "" : " ", group);
}

void SendPublish(Connection& connection, const NatsMessage& message) {
  connection.Print("PUB {}{}{} {}\r\n", message.subject, message.reply.empty() ? "" : " ",
                   message.reply, message.payload.size());
  connection.Send(message.payload);
  connection.Send(kEnd);
}

std::size_t ReadNats(Connection& connection, std::string_view bytes, NatsMessage& message) {
  message = {};
  const std::size_t line_end = bytes.find(kEnd);
  if (line_end == bytes.npos) return 0;
  const std::string_view line = bytes.substr(0, line_end);
  const std::size_t head_bytes = line_end + kEnd.size();
  if (line.starts_with("-ERR")) Fail(fmt::format("nats: {}", line));
  if (line == "PING") connection.Send("PONG\r\n");
  if (!line.starts_with("MSG ")) return head_bytes;
  std::array<std::string_view, 5> fields;
  const std::size_t count = SplitFields(line, fields);
  const auto parsed = ParseNumber<std::size_t>(fields[std::max<std::size_t>(count, 1) - 1]);
  if (count < 4 || !parsed) Fail("nats: not its protocol");
  const std::size_t size = *parsed;
  if (bytes.size() < head_bytes + size + kEnd.size()) return 0;
  message = {.subject = fields[1],
             .reply = count == 5 ? fields[3] : std::string_view(),
             .payload = bytes.substr(head_bytes, size)};
  return head_bytes + size + kEnd.size();
}

}  // namespace twofold::bench
