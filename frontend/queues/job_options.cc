#include "frontend/queues/job_options.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

#include "frontend/queues/convert.h"
#include "lib/common/printable.h"
#include "lib/queue/placement.h"
#include "lib/rpc/limits.h"

namespace twofold::frontend {
namespace {

Duration FromNs(std::uint64_t ns) { return Duration(static_cast<Duration::rep>(ns)); }

Status Invalid(const std::string& message) { return absl::InvalidArgumentError(message); }

Status CheckTime(const char* field, std::uint64_t ns, const char* none) {
  if (ns <= std::uint64_t{std::numeric_limits<Duration::rep>::max()}) return absl::OkStatus();
  return Invalid(absl::StrCat(field, " is ", ns, ", more than 292 years; 0 means ", none));
}

Status CheckAtMost(const char* field, std::uint32_t value, std::uint32_t most) {
  if (value <= most) return absl::OkStatus();
  return Invalid(absl::StrCat(field, " is ", value, "; at most ", most, " is allowed"));
}

Status CheckPriority(std::int32_t priority) {
  if (priority >= queue::kLowestPriority && priority <= queue::kHighestPriority) {
    return absl::OkStatus();
  }
  return Invalid(absl::StrCat("priority is ", priority, "; allowed are ", queue::kLowestPriority,
                              " to ", queue::kHighestPriority));
}

// As the core has it (lib/queue/placement.h).
std::string PlacementText(const v1::Placement& placement) {
  std::string text;
  const auto add = [&text](std::string_view word, const std::string& rest) {
    text.append(word).append(rest).append("\n");
  };
  for (const std::string& label : placement.labels()) add(queue::kPlacementLabel, label);
  for (const std::string& node : placement.nodes()) add(queue::kPlacementNode, node);
  return text;
}

v1::Placement PlacementOf(std::string_view text) {
  v1::Placement placement;
  while (!text.empty()) {
    const std::string_view line = queue::TakeLine(text);
    const bool is_label = line.starts_with(queue::kPlacementLabel);
    const std::string_view word = is_label ? queue::kPlacementLabel : queue::kPlacementNode;
    std::string& rest = is_label ? *placement.add_labels() : *placement.add_nodes();
    rest = line.substr(word.size());
  }
  return placement;
}

Status CheckPlacement(const v1::Placement& placement) {
  for (const std::string& label : placement.labels()) {
    if (label.find('=') == std::string::npos) {
      return Invalid(absl::StrCat("placement.labels has '", Printable(label, rpc::kMaxQuotedBytes),
                                  "', which is not KEY=VALUE"));
    }
  }
  const std::string text = PlacementText(placement);
  const auto lines = std::count(text.begin(), text.end(), '\n');
  if (lines == placement.labels_size() + placement.nodes_size()) return absl::OkStatus();
  return Invalid("placement has a label or node of more than one line");
}

Status CheckSpread(v1::Spread spread) {
  if (v1::Spread_IsValid(spread)) return absl::OkStatus();
  return Invalid(absl::StrCat("gang.spread has the unknown value ", static_cast<int>(spread)));
}

// The first that is wrong.
Status CheckOptions(const v1::JobOptions& options) {
  for (const Status& status :
       {CheckTime("limit_ns", options.limit_ns(), "no limit"),
        CheckTime("delay_ns", options.delay_ns(), "no delay"),
        CheckTime("deadline_ns", options.deadline_ns(), "no deadline"),
        CheckTime("gang.timeout_ns", options.gang().timeout_ns(), "30 s"),
        CheckPriority(options.priority()),
        CheckAtMost("fair_weight", options.fair_weight(), queue::kHighestWeight),
        CheckAtMost("gang.size", options.gang().size(), queue::kLargestGang),
        CheckSpread(options.gang().spread()), CheckPlacement(options.placement())}) {
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

queue::GangOptions FromProto(const v1::Gang& gang) {
  queue::GangOptions result;
  result.size = std::max(1U, gang.size());
  result.spread = gang.spread() == v1::SPREAD_NODE ? queue::Spread::kNode : queue::Spread::kAny;
  if (gang.timeout_ns() > 0) result.timeout = FromNs(gang.timeout_ns());
  return result;
}

v1::Gang ToProto(const queue::GangOptions& gang) {
  v1::Gang result;
  result.set_size(gang.size);
  result.set_spread(gang.spread == queue::Spread::kNode ? v1::SPREAD_NODE : v1::SPREAD_ANY);
  result.set_timeout_ns(Ns(gang.timeout));
  return result;
}

}  // namespace

Result<std::shared_ptr<const queue::JobOptions>> FromProto(const v1::JobOptions& options,
                                                           bool durable) {
  if (Status status = CheckOptions(options); !status.ok()) return status;
  auto result = std::make_shared<queue::JobOptions>();
  result->suite = options.suite();
  result->limit = FromNs(options.limit_ns());
  result->priority = options.priority();
  result->max_attempts = std::max(1U, options.max_attempts());
  if (options.has_gang()) result->gang = FromProto(options.gang());
  result->durable = durable || options.durable();
  result->run = options.run();
  result->dedup_key = options.dedup_key();
  result->delay = FromNs(options.delay_ns());
  result->deadline = FromNs(options.deadline_ns());
  result->fair_key = options.fair_key();
  result->weight = std::max(1U, options.fair_weight());
  result->limit_key = options.limit_key();
  result->key_limit = std::max(1U, options.key_limit());
  result->placement = PlacementText(options.placement());
  return result;
}

Status CheckSpec(const queue::JobOptions& options, std::size_t spec_bytes) {
  if (spec_bytes > rpc::kMaxSpecBytes) {
    return Invalid(absl::StrCat("spec has ", spec_bytes, " bytes; at most ", rpc::kMaxSpecBytes,
                                " are allowed"));
  }
  const queue::GangOptions& gang = options.gang;
  const bool may_meet = gang.size > 1 && gang.spread == queue::Spread::kAny;
  if (!may_meet || gang.size * spec_bytes <= rpc::kMaxGangSpecBytes) return absl::OkStatus();
  return Invalid(
      absl::StrCat("gang.size is ", gang.size, "; with a spec of ", spec_bytes, " bytes at most ",
                   rpc::kMaxGangSpecBytes / spec_bytes,
                   " members are allowed where one process may have several (gang.spread)"));
}

v1::JobOptions ToProto(const queue::JobOptions& options) {
  v1::JobOptions result;
  result.set_suite(options.suite);
  result.set_limit_ns(Ns(options.limit));
  result.set_priority(options.priority);
  result.set_max_attempts(options.max_attempts);
  if (options.gang.size > 1) *result.mutable_gang() = ToProto(options.gang);
  result.set_durable(options.durable);
  result.set_run(options.run);
  result.set_dedup_key(options.dedup_key);
  result.set_delay_ns(Ns(options.delay));
  result.set_deadline_ns(Ns(options.deadline));
  result.set_fair_key(options.fair_key);
  if (!options.fair_key.empty()) result.set_fair_weight(options.weight);
  result.set_limit_key(options.limit_key);
  if (!options.limit_key.empty()) result.set_key_limit(options.key_limit);
  if (!options.placement.empty()) *result.mutable_placement() = PlacementOf(options.placement);
  return result;
}

}  // namespace twofold::frontend
