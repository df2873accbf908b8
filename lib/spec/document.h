#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "lib/spec/node.h"

namespace twofold::spec {

/// How much a document may ask for. Files come from people and from programs that went wrong: each
/// limit is checked before the memory is used, and its error says which one it was.
struct Limits {
  std::size_t bytes = 1 << 20;           ///< of the document
  std::size_t depth = 64;                ///< lists and maps inside each other
  std::size_t nodes = 200'000;           ///< of the document, each alias written out in full
  std::size_t keys = 256;                ///< of one map
  std::uint64_t permutations = 100'000;  ///< of a sweep, after sampling
  std::uint64_t jobs = 1'000'000;        ///< permutations times repetitions
  std::size_t spec_bytes = 256 << 20;    ///< the specs of all permutations together
};

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
