#pragma once

#include <string_view>

#include "bench/peers/event_loop.h"

/// The text protocol of NATS, as far as core messages and JetStream need it.
namespace twofold::bench {

struct NatsMessage {
  std::string_view subject;
  std::string_view reply;  ///< empty: none is wanted
  std::string_view payload;
};

void SendConnect(Connection& connection);

/// `group` empty: this subscriber gets all; else one of the group gets each message.
void SendSubscribe(Connection& connection, std::string_view subject, std::string_view group = {});

void SendPublish(Connection& connection, const NatsMessage& message);

/// Takes one message off the front of `bytes` (after lines that need no answer from the caller):
/// returns the bytes used, 0 if none is whole. `message.subject` is empty if it was no message.
/// Answers pings. Ends the process when the server complains.
std::size_t ReadNats(Connection& connection, std::string_view bytes, NatsMessage& message);

/// Calls on_message(NatsMessage) for each whole message; returns the bytes used.
template <typename OnMessage>
std::size_t ReadAllNats(Connection& connection, std::string_view bytes, OnMessage on_message) {
  std::size_t all = 0;
  NatsMessage message;
  while (const std::size_t used = ReadNats(connection, bytes.substr(all), message)) {
    if (!message.subject.empty()) on_message(message);
    all += used;
  }
  return all;
}

}  // namespace twofold::bench
