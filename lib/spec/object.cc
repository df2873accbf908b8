#include "lib/spec/object.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/spec/field.h"
#include "lib/spec/schema.h"

namespace twofold::spec {
namespace {

constexpr std::string_view kObjectName = "abcdefghijklmnopqrstuvwxyz0123456789-.";

NodeRef TextNode(std::string text, Place place) {
  return std::make_shared<const Node>(Node{std::move(text), place});
}

template <typename Parts>
NodeRef WithParts(Parts parts, Place place) {
  std::size_t size = 1;
  for (const auto& part : parts) {
    if constexpr (std::is_same_v<Parts, Map>) {
      size += part.value->size;
    } else {
      size += part->size;
    }
  }
  return std::make_shared<const Node>(Node{std::move(parts), place, size});
}

NodeRef ValueAt(const Map& map, std::string_view key) {
  const Entry* entry = Find(map, key);
  return entry == nullptr ? nullptr : entry->value;
}

// ---- values as files have them

Result<NodeRef> AsFile(std::span<const Field> fields, const NodeRef& map, const std::string& path);

Result<NodeRef> AsFile(const Field& field, const NodeRef& value, const std::string& path);

Result<NodeRef> ListAsFile(const Field& field, const NodeRef& list, const std::string& path) {
  List items;
  for (const NodeRef& item : *AsList(*list)) {
    auto read = AsFile(field, item, fmt::format("{}[{}]", path, items.size()));
    if (!read.ok()) return read;
    items.push_back(*std::move(read));
  }
  return WithParts(std::move(items), list->place);
}

Result<NodeRef> AsFile(const Field& field, const NodeRef& value, const std::string& path) {
  if (IsFree(field.type)) return value;
  if (AsList(*value) != nullptr) return ListAsFile(field, value, path);
  if (AsMap(*value) != nullptr) return AsFile(FieldsIn(field.type), value, path);
  if (std::holds_alternative<double>(value->value)) {
    return Fault(value->place, path,
                 "must stand in quotes: Kubernetes has no numbers with a point in specs");
  }
  const auto* text = std::get_if<std::string>(&value->value);
  if (text == nullptr || !TakesFractions(field)) return value;
  auto number = yaml::PlainScalar(*text);
  const bool is_number =
      std::holds_alternative<double>(number) || std::holds_alternative<std::int64_t>(number);
  if (!is_number) return value;
  return std::make_shared<const Node>(Node{std::move(number), value->place, 1, *text});
}

/// Keys that no field has stay, for whoever reads the map next to refuse.
Result<NodeRef> AsFile(std::span<const Field> fields, const NodeRef& map, const std::string& path) {
  if (AsMap(*map) == nullptr) return map;
  Map entries;
  for (const Entry& entry : *AsMap(*map)) {
    const Field* field = Find(fields, entry.key);
    auto value = field == nullptr ? Result<NodeRef>(entry.value)
                                  : AsFile(*field, entry.value, Join(path, entry.key));
    if (!value.ok()) return value;
    entries.push_back({entry.key, entry.place, *std::move(value)});
  }
  return WithParts(std::move(entries), map->place);
}

/// The map with what `change` makes of the value under `key`, if there is one.
template <typename Change>
Result<NodeRef> Changed(const NodeRef& map, std::string_view key, const Change& change) {
  if (map == nullptr || AsMap(*map) == nullptr) return map;
  Map entries = *AsMap(*map);
  for (Entry& entry : entries) {
    if (entry.key != key) continue;
    Result<NodeRef> value = change(entry.value);
    if (!value.ok()) return value;
    entry.value = *std::move(value);
  }
  return WithParts(std::move(entries), map->place);
}

// ---- the parts of a spec

std::span<const Field> FieldsOf(std::span<const Kind> kinds, const Node& spec) {
  const auto* const base = Get<Map>(spec, "template");
  const NodeRef name = base == nullptr ? nullptr : ValueAt(*base, "kind");
  const auto* const text = name == nullptr ? nullptr : std::get_if<std::string>(&name->value);
  for (const Kind& kind : kinds) {
    if (text != nullptr && kind.name == *text) return kind.fields;
  }
  return {};
}

/// Kubernetes keeps no order of fields.
Result<NodeRef> ProductAsFile(std::span<const Field> fields, const NodeRef& product) {
  auto read = AsFile(fields, product, "spec.permutations.product");
  if (!read.ok() || AsMap(**read) == nullptr) return read;
  Map axes = *AsMap(**read);
  std::sort(axes.begin(), axes.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
  return WithParts(std::move(axes), product->place);
}

Result<NodeRef> ListedAsFile(std::span<const Field> fields, const NodeRef& listed) {
  if (AsList(*listed) == nullptr) return listed;
  List maps;
  for (const NodeRef& map : *AsList(*listed)) {
    auto read = AsFile(fields, map, fmt::format("spec.permutations.explicit[{}]", maps.size()));
    if (!read.ok()) return read;
    maps.push_back(*std::move(read));
  }
  return WithParts(std::move(maps), listed->place);
}

Result<NodeRef> PermutationsAsFile(std::span<const Field> fields, const NodeRef& permutations) {
  auto read = Changed(permutations, "product",
                      [&](const NodeRef& product) { return ProductAsFile(fields, product); });
  if (!read.ok()) return read;
  return Changed(*read, "explicit",
                 [&](const NodeRef& listed) { return ListedAsFile(fields, listed); });
}

Status CheckTemplate(const Node& base) {
  for (const char* key : {"apiVersion", "metadata"}) {
    const Entry* entry = Find(*AsMap(base), key);
    if (entry == nullptr) continue;
    return Fault(entry->place, Join("spec.template", key), "has no place in a Benchmark");
  }
  return absl::OkStatus();
}

/// What is about the run, and not about the object.
NodeRef WithoutHandling(const NodeRef& spec) {
  Map entries;
  for (const Entry& entry : *AsMap(*spec)) {
    if (Find(HandlingFields(), entry.key) == nullptr) entries.push_back(entry);
  }
  return WithParts(std::move(entries), spec->place);
}

Result<NodeRef> SpecAsFile(std::span<const Kind> kinds, const NodeRef& spec) {
  if (Status status = CheckFields(*spec, BenchmarkFields(), "spec"); !status.ok()) return status;
  auto read = AsFile(BenchmarkFields(), spec, "spec");
  if (!read.ok()) return read;
  const auto fields = FieldsOf(kinds, **read);
  read = Changed(WithoutHandling(*read), "permutations", [&](const NodeRef& permutations) {
    return PermutationsAsFile(fields, permutations);
  });
  if (!read.ok()) return read;
  return Changed(*read, "template", [&](const NodeRef& base) -> Result<NodeRef> {
    if (Status status = CheckTemplate(*base); !status.ok()) return status;
    return Changed(base, "spec", [&](const NodeRef& inner) {
      return AsFile(fields, inner, "spec.template.spec");
    });
  });
}

// ---- metadata

Status CheckName(const Map& metadata, const char* key, bool is_whole) {
  const NodeRef node = ValueAt(metadata, key);
  const auto* text = node == nullptr ? nullptr : std::get_if<std::string>(&node->value);
  if (text == nullptr || text->empty()) return absl::OkStatus();  // as of other files
  const auto is_edge = [](char c) { return c != '-' && c != '.'; };
  if (text->find_first_not_of(kObjectName) == std::string::npos && is_edge(text->front()) &&
      (!is_whole || is_edge(text->back()))) {
    return absl::OkStatus();
  }
  return Fault(node->place, Join("metadata", key),
               "must be lower-case letters and digits, with '-' and '.' among them, in Kubernetes");
}

Result<NodeRef> MetadataAsFile(const Node& object, const NodeRef& spec) {
  const NodeRef written = ValueAt(*AsMap(object), "metadata");
  const Map& metadata = *AsMap(*written);
  for (const auto& [key, where] :
       {std::pair("queue", "write spec.queue"), std::pair("runid", "an object is run once")}) {
    const Entry* entry = Find(metadata, key);
    if (entry != nullptr) {
      return Fault(entry->place, Join("metadata", key),
                   fmt::format("is no field of Kubernetes: {}", where));
    }
  }
  for (const auto& [key, is_whole] : {std::pair("name", true), std::pair("generateName", false)}) {
    if (Status status = CheckName(metadata, key, is_whole); !status.ok()) return status;
  }
  Map entries = metadata;
  if (const Entry* queue = Find(*AsMap(*spec), kQueueField)) entries.push_back(*queue);
  return WithParts(std::move(entries), written->place);
}

}  // namespace

bool IsObject(const Node& document) {
  const auto* version = Get<std::string>(document, "apiVersion");
  return version != nullptr && *version == kObjectVersion;
}

Result<NodeRef> SetOf(const NodeRef& object, std::span<const Kind> kinds) {
  const Map& written = *AsMap(*object);
  if (*Get<std::string>(*object, "kind") != kBenchmark) {
    return Fault(ValueAt(written, "kind")->place, "kind",
                 fmt::format("must be {}, the kind of {}", kBenchmark, kObjectVersion));
  }
  NodeRef spec = ValueAt(written, "spec");
  if (spec == nullptr || IsNull(*spec)) spec = WithParts(Map(), object->place);
  auto metadata = MetadataAsFile(*object, spec);
  if (!metadata.ok()) return metadata;
  auto set = SpecAsFile(kinds, spec);
  if (!set.ok()) return set;
  const Entry& version = *Find(written, "apiVersion");
  const Entry& kind = *Find(written, "kind");
  return WithParts(
      Map{{"apiVersion", version.place,
           TextNode(std::string(kApiVersions[0]), version.value->place)},
          {"kind", kind.place, TextNode(std::string(kBenchmarkSet), kind.value->place)},
          {"metadata", Find(written, "metadata")->place, *std::move(metadata)},
          {"spec", spec->place, *std::move(set)}},
      object->place);
}

double DeadlineOf(const Node& object) {
  const NodeRef spec = ValueAt(*AsMap(object), "spec");
  const auto* seconds =
      spec == nullptr ? nullptr : Get<std::int64_t>(*spec, "activeDeadlineSeconds");
  return seconds == nullptr ? 0 : static_cast<double>(*seconds);
}

}  // namespace twofold::spec
