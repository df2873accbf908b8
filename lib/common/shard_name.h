#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

/// How the shards of a queue are called where a queue is named: shard 0 of `sleep` is `sleep`, the
/// others are `sleep/1`, `sleep/2` and so on. Names of queues have no `/`, so each name has one
/// meaning.
namespace twofold {

/// A queue has so many shards at most: 0..255 are their numbers.
inline constexpr std::uint32_t kMostShards = 256;

/// A queue, and which one of its shards.
struct QueueShard {
  std::string_view queue;  ///< a part of the name that was read
  std::uint32_t number = 0;

  friend bool operator==(const QueueShard&, const QueueShard&) = default;
};

/// "sleep", "sleep/1"
inline std::string ShardName(std::string_view queue, std::uint32_t number) {
  std::string name(queue);
  if (number > 0) name.append("/").append(std::to_string(number));
  return name;
}

/// The queue of a shard: "sleep" of both "sleep" and "sleep/1".
inline std::string_view QueueOfShard(std::string_view name) {
  return name.substr(0, name.find('/'));
}

/// "sleep/0": the first shard alone, where the name of the queue means all its shards.
inline std::string FirstShardAlone(std::string_view queue) { return std::string(queue) + "/0"; }

/// Reads what FirstShardAlone writes. Other names stay as they are.
inline std::string_view WithoutAlone(std::string_view name) {
  if (name.ends_with("/0")) name.remove_suffix(2);
  return name;
}

/// Reads what ShardName writes. nullopt: no shard is called so, as `sleep/0`, `sleep/01`,
/// `sleep/256` or `/1`. Whether the queue's own name is a good one is not looked at.
inline std::optional<QueueShard> ParseShardName(std::string_view name) {
  QueueShard shard{.queue = QueueOfShard(name)};
  if (shard.queue.empty()) return std::nullopt;
  if (shard.queue == name) return shard;
  const std::string_view digits = name.substr(shard.queue.size() + 1);
  if (digits.starts_with('0')) return std::nullopt;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, shard.number);
  if (error != std::errc() || stop != end || shard.number >= kMostShards) return std::nullopt;
  return shard;
}

}  // namespace twofold
