#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kubernetes/controller/object_cache.h"

/// Whose turn it is: the Benchmarks of one queue run one after the other, as two at a time would
/// measure each other. Those of kube-perftest that make pods do so over all queues of a frontend,
/// and after runs that have begun with workers of their own: each wants nodes without the others,
/// and of two that have got a part each none would begin. Pure.
namespace twofold::benchmarks {

/// Succeeded, Failed, or being deleted: it needs its queue no more.
bool IsOver(const kube::Json& benchmark);

/// Whether its status says which pods it makes, by which its place in line goes, too.
bool KnowsItsPods(const kube::Json& benchmark);

/// Who goes before `benchmark` in its queue; nullopt: it is its turn. Those that have begun go
/// first, then the older ones. Who is suspended lets others pass once none of its jobs runs.
std::optional<kube::ObjectName> Before(const kube::Json& benchmark,
                                       std::span<const controller::Snapshot> all);

/// Of each queue the one whose turn it is and that has not begun: to be looked at when something
/// has ended.
std::vector<controller::Snapshot> NextInLine(std::span<const controller::Snapshot> all);

}  // namespace twofold::benchmarks
