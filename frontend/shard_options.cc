#include "frontend/shard_options.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lib/cluster/view.h"
#include "lib/common/shard_name.h"

namespace twofold::frontend {
namespace {

/// How many shards those queues have that have several.
using Shards = std::map<std::string, std::uint32_t>;

Status CheckShards(const Options& options) {
  if (options.shards.empty()) return absl::OkStatus();
  if (!options.storage.is_given()) {
    return absl::InvalidArgumentError("--shards needs a PostgreSQL store (--store, --store-file)");
  }
  if (options.security.token_file.empty() || !options.peers_token_file.empty()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "--shards: frontends that ask for tokens need --peers-token-file, to move workers between "
      "shards");
}

/// The queues with their shards, each of which is a queue to all that follows.
Result<std::vector<std::string>> Expanded(const std::vector<std::string>& queues,
                                          const Shards& shards) {
  std::vector<std::string> names;
  for (const std::string& queue : queues) {
    const auto several = shards.find(queue);
    const std::uint32_t count = several == shards.end() ? 1 : several->second;
    for (std::uint32_t i = 0; i < count; ++i) names.push_back(ShardName(queue, i));
  }
  if (names.size() <= cluster::kMostPartitions) return names;
  return absl::InvalidArgumentError(absl::StrCat("--shards: all queues together have ",
                                                 names.size(), " shards; at most ",
                                                 cluster::kMostPartitions, " are allowed"));
}

/// `--shards QUEUE=N`, by queue.
Result<Shards> ParseShards(const Options& options) {
  Shards shards;
  for (const std::string& text : options.shards) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string queue = text.substr(0, equals);
    const auto& queues = options.queues;
    if (std::find(queues.begin(), queues.end(), queue) == queues.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--shards: there is no queue '", queue, "' among QUEUE..."));
    }
    std::uint32_t count = 0;
    const bool is_number =
        equals < text.size() && absl::SimpleAtoi(text.substr(equals + 1), &count);
    if (!is_number || count < 2 || count > kMostShards) {
      return absl::InvalidArgumentError(
          absl::StrCat("--shards: '", text, "' is not QUEUE=N with N from 2 to ", kMostShards));
    }
    if (!shards.emplace(queue, count).second) {
      return absl::InvalidArgumentError(absl::StrCat("--shards: '", queue, "' is there twice"));
    }
  }
  return shards;
}

}  // namespace

Result<Options> WithShards(Options options) {
  if (Status status = CheckShards(options); !status.ok()) return status;
  const auto shards = ParseShards(options);
  if (!shards.ok()) return shards.status();
  for (auto* const names : {&options.queues, &options.durable, &options.strict}) {
    auto expanded = Expanded(*names, *shards);
    if (!expanded.ok()) return expanded.status();
    *names = *std::move(expanded);
  }
  return options;
}

}  // namespace twofold::frontend
