#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lib/common/result.h"

namespace twofold::yaml {

/// Where in a document something is written; lines and columns count from 1, columns in characters.
struct Place {
  int line = 0;
  int column = 0;

  friend bool operator==(const Place&, const Place&) = default;
};

struct Node;
struct Entry;

/// Nodes never change once made, so an alias, and every permutation that does not touch a node,
/// shares it.
using NodeRef = std::shared_ptr<const Node>;
using List = std::vector<NodeRef>;
using Map = std::vector<Entry>;  ///< in the order written; no key twice

/// One value of a document, and where it stands.
struct Node {
  std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Map> value;
  Place place;
  std::size_t size = 1;   ///< nodes in it and itself; what is shared counts as often as it is seen
  std::string written{};  ///< of a number or flag: its own text, such as "1.10"; else empty
};

struct Entry {
  std::string key;
  Place place;  ///< of the key
  NodeRef value;
};

inline bool IsNull(const Node& node) { return std::holds_alternative<std::monostate>(node.value); }
inline const Map* AsMap(const Node& node) { return std::get_if<Map>(&node.value); }
inline const List* AsList(const Node& node) { return std::get_if<List>(&node.value); }

/// What a YAML scalar without quotes stands for, by the core schema of YAML 1.2 (section 10.3.2):
/// null, true or false, a whole number, a number, else text. Three things stay text so that none is
/// misread: what other YAML readers take for octal or for minutes (010, 0o10, 1:30), and .inf and
/// .nan, which JSON cannot say. A whole number beyond 64 bits becomes a number.
decltype(Node::value) PlainScalar(std::string_view text);

/// "text", "a whole number", "a map" ... for messages.
std::string_view TypeName(const Node& node);

/// The entry of `map` with this key; nullptr if there is none. Cost: O(keys), of which
/// Limits::keys allows few.
const Entry* Find(const Map& map, std::string_view key);

/// What is written under `key` of a map, if it is of type T; else nullptr, also for null, which
/// means "not given" everywhere.
template <typename T>
const T* Get(const Node& map, std::string_view key) {
  const Map* entries = AsMap(map);
  const Entry* entry = entries == nullptr ? nullptr : Find(*entries, key);
  return entry == nullptr ? nullptr : std::get_if<T>(&entry->value->value);
}

/// The error "LINE:COLUMN: FIELD: WHAT", kInvalidArgument. An empty `field` is left out. Both may
/// hold what a document says: long texts are cut off, and control characters replaced.
Status Fault(Place place, std::string_view field, std::string_view what);

/// `status`, its message begun with "FILE:".
Status InFile(std::string_view file, const Status& status);

/// `over` laid over `base`, as kube-perftest lays a permutation over its template: maps merge key
/// by key, new keys last; lists are joined, `base` first; null keeps `base`; all else replaces it.
NodeRef Merge(const NodeRef& base, const NodeRef& over);

using Json = nlohmann::ordered_json;

/// The tree as JSON, keys in their order. What is null in a map is left out: it means "not given".
Json ToJson(const Node& node);

/// The same where text is wanted: what JSON would write otherwise than the document does, as 1.10,
/// 1e3 and 0e1234, is the text that stands there.
Json ToJsonAsWritten(const Node& node);

/// A scalar as it was written; empty for null, a list and a map.
std::string TextOf(const Node& node);

/// JSON without blanks.
std::string ToText(const Json& json);

/// `text` of a document, fit for one line of a terminal (Printable), with "..." after it if it is
/// longer than `most` bytes and therefore cut off.
std::string Shown(std::string_view text, std::size_t most);

/// How much a document may ask for. Files come from people and from programs that went wrong: each
/// limit is checked before the memory is used, and its error says which one it was.
struct Limits {
  std::size_t bytes = 1 << 20;  ///< of the document
  std::size_t depth = 64;       ///< lists and maps inside each other
  std::size_t nodes = 200'000;  ///< of the document, each alias written out in full
  std::size_t keys = 256;       ///< of one map
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

}  // namespace twofold::yaml
