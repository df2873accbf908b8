#include "lib/spec/tree_builder.h"

#include <spdlog/fmt/fmt.h>

#include <memory>
#include <utility>

#include "lib/spec/merge.h"
#include "lib/spec/scalar.h"

namespace twofold::spec {
namespace {

// What yaml-cpp gives as the tag: of a scalar without quotes, of one in quotes, of !!str.
constexpr std::string_view kPlain = "?";
constexpr std::string_view kQuoted = "!";
constexpr std::string_view kText = "tag:yaml.org,2002:str";

constexpr std::string_view kMergeKey = "<<";

Place At(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

[[noreturn]] void Refuse(Place place, std::string_view field, std::string_view what) {
  throw TreeBuilder::Refused{Fault(place, field, what)};
}

// The maps that stand behind a merge key.
List Merged(const NodeRef& value) {
  const List* list = AsList(*value);
  List maps = list == nullptr ? List{value} : *list;
  for (const NodeRef& map : maps) {
    if (AsMap(*map) == nullptr) Refuse(value->place, kMergeKey, "takes a map or a list of maps");
  }
  return maps;
}

}  // namespace

void TreeBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  Add(std::make_shared<const Node>(Node{{}, At(mark)}), anchor, "");
}

void TreeBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end()) Refuse(At(mark), "", "an alias inside what it stands for");
  const auto* text = std::get_if<std::string>(&found->second->value);
  Add(found->second, 0, text == nullptr ? "" : *text);
}

void TreeBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& text) {
  if (tag != kPlain && tag != kQuoted && tag != kText && !tag.empty()) {
    Refuse(At(mark), "", fmt::format("tag {} is not supported", tag));
  }
  Node node{{}, At(mark)};
  if (tag == kPlain) {
    node.value = PlainScalar(text);
  } else {
    node.value = text;
  }
  Add(std::make_shared<const Node>(std::move(node)), anchor, text);
}

void TreeBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag,
                                  YAML::anchor_t anchor, YAML::EmitterStyle::value /*style*/) {
  Begin({List(), At(mark)}, tag, anchor);
}

void TreeBuilder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value /*style*/) {
  Begin({Map(), At(mark)}, tag, anchor);
}

void TreeBuilder::Begin(Node node, const std::string& tag, YAML::anchor_t anchor) {
  if (tag != kPlain && !tag.empty()) {
    Refuse(node.place, "", fmt::format("tag {} is not supported", tag));
  }
  if (open_.size() == limits_.depth) {
    Refuse(node.place, "",
           fmt::format("lists and maps inside each other: more than {}", limits_.depth));
  }
  open_.push_back({std::move(node), anchor});
}

void TreeBuilder::Close() {
  Open closed = std::move(open_.back());
  open_.pop_back();
  if (auto* map = std::get_if<Map>(&closed.node.value)) {
    for (const NodeRef& base : closed.merged) {
      const std::size_t known = map->size();
      AddMissing(*map, *AsMap(*base));
      for (std::size_t i = known; i < map->size(); ++i) Grow(closed, *(*map)[i].value);
      if (map->size() > limits_.keys) {
        Refuse(closed.node.place, "", fmt::format("a map with more than {} keys", limits_.keys));
      }
    }
  }
  Add(std::make_shared<const Node>(std::move(closed.node)), closed.anchor, "");
}

void TreeBuilder::Add(NodeRef node, YAML::anchor_t anchor, std::string_view as_key) {
  if (anchor != 0) anchors_[anchor] = node;
  if (open_.empty()) {
    root_ = std::move(node);
    return;
  }
  Open& open = open_.back();
  if (auto* list = std::get_if<List>(&open.node.value)) {
    Grow(open, *node);
    list->push_back(std::move(node));
  } else if (open.has_key) {
    AddEntry(open, std::move(node));
  } else {
    AddKey(open, *node, as_key);
  }
}

void TreeBuilder::AddKey(Open& map, const Node& node, std::string_view text) const {
  if (text.empty())
    Refuse(node.place, "", fmt::format("a key is text, this is {}", TypeName(node)));
  if (!map.keys.emplace(text).second) Refuse(node.place, text, "is there twice");
  if (map.keys.size() > limits_.keys) {
    Refuse(node.place, text, fmt::format("a map with more than {} keys", limits_.keys));
  }
  map.key = text;
  map.key_place = node.place;
  map.has_key = true;
}

void TreeBuilder::AddEntry(Open& map, NodeRef value) const {
  map.has_key = false;
  if (map.key == kMergeKey) {
    map.merged = Merged(value);
    return;
  }
  Grow(map, *value);
  std::get<Map>(map.node.value).push_back({map.key, map.key_place, std::move(value)});
}

void TreeBuilder::Grow(Open& open, const Node& part) const {
  open.node.size += part.size;
  if (open.node.size > limits_.nodes) {
    Refuse(part.place, "", fmt::format("more than {} values, aliases written out", limits_.nodes));
  }
}

}  // namespace twofold::spec
