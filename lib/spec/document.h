#pragma once

#include <string>

#include "lib/spec/limits.h"
#include "lib/spec/node.h"

namespace twofold::spec {

/// Reads one YAML document into a tree that keeps the order of keys and the place of every node.
/// JSON is YAML, so this reads JSON, too.
///
/// Anchors, aliases and the merge key (`<<: *base`, as kubectl understands it) work. Refused: text
/// that is not UTF-8, more than one document, none, a key that is written twice or is no scalar,
/// tags other than !!str.
///
/// Threads  Any; no state is shared.
/// Errors   kInvalidArgument "LINE:COLUMN: what", also for what exceeds a limit.
/// Cost     O(size of the document); an alias costs nothing until it is used.
Result<NodeRef> ParseDocument(const std::string& text, const Limits& limits = {});

}  // namespace twofold::spec
