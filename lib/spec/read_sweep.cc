#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <utility>

#include "lib/spec/document.h"
#include "lib/spec/nearest.h"
#include "lib/spec/read_options.h"
#include "lib/spec/set_fields.h"
#include "lib/spec/sweep.h"

namespace twofold::spec {
namespace {

const Entry& EntryOf(const Node& map, std::string_view key) { return *Find(*AsMap(map), key); }

Status CheckVersion(const Node& object, const std::string& path) {
  const auto* version = Get<std::string>(object, "apiVersion");
  if (version == nullptr) return absl::OkStatus();
  if (std::find(kApiVersions.begin(), kApiVersions.end(), *version) != kApiVersions.end()) {
    return absl::OkStatus();
  }
  return Fault(EntryOf(object, "apiVersion").value->place, Join(path, "apiVersion"),
               fmt::format("'{}' is not known, only {}", *version, fmt::join(kApiVersions, ", ")));
}

// `also`: what else may stand there, for the hint.
Result<const Kind*> KindOf(std::span<const Kind> kinds, const Node& object, const std::string& path,
                           std::string_view also = {}) {
  const auto kind = FindKind(kinds, *Get<std::string>(object, "kind"), also);
  if (kind.ok()) return kind;
  return Fault(EntryOf(object, "kind").value->place, Join(path, "kind"),
               std::string(kind.status().message()));
}

Result<std::string> NameOf(const Node& object) {
  const Node& metadata = *EntryOf(object, "metadata").value;
  const Entry* entry = Find(*AsMap(metadata), "name");
  const auto* name = Get<std::string>(metadata, "name");
  if (name == nullptr) {
    return Fault(entry == nullptr ? metadata.place : entry->value->place, "metadata.name",
                 entry == nullptr ? "is missing" : "must be text");
  }
  if (name->empty() || name->size() > kLongestName ||
      name->find_first_not_of(kNameCharacters) != std::string::npos) {
    return Fault(entry->value->place, "metadata.name",
                 "must be 1 to 253 letters, digits, '-', '_' and '.'");
  }
  return *name;
}

NodeRef SpecOf(const Node& object) {
  const Entry* entry = Find(*AsMap(object), "spec");
  if (entry != nullptr && !IsNull(*entry->value)) return entry->value;
  return std::make_shared<const Node>(Node{Map(), object.place});
}

Status ReadSet(std::span<const Kind> kinds, const NodeRef& spec, Sweep& sweep) {
  if (Status status = CheckFields(*spec, SetFields(), "spec"); !status.ok()) return status;
  const Node& benchmark = *EntryOf(*spec, "template").value;
  if (Status status = CheckVersion(benchmark, "spec.template"); !status.ok()) return status;
  auto kind = KindOf(kinds, benchmark, "spec.template");
  if (!kind.ok()) return kind.status();
  sweep.kind = *kind;
  sweep.spec = SpecOf(benchmark);
  sweep.place = spec->place;
  Status status = CheckKeys(*sweep.kind, *AsMap(*sweep.spec), "spec.template.spec");
  if (!status.ok()) return status;
  return ReadOptions(*spec, sweep);
}

Status ReadOne(std::span<const Kind> kinds, const NodeRef& object, Sweep& sweep) {
  auto kind = KindOf(kinds, *object, "", kBenchmarkSet);
  if (!kind.ok()) return kind.status();
  sweep.kind = *kind;
  sweep.spec = SpecOf(*object);
  sweep.place = object->place;
  return CheckKeys(*sweep.kind, *AsMap(*sweep.spec), "spec");
}

Status ReadFile(const std::string& text, std::span<const Kind> kinds, const Limits& limits,
                Sweep& sweep) {
  const auto root = ParseDocument(text, limits);
  if (!root.ok()) return root.status();
  if (Status status = CheckFields(**root, ObjectFields(), ""); !status.ok()) return status;
  if (Status status = CheckVersion(**root, ""); !status.ok()) return status;
  const auto name = NameOf(**root);
  if (!name.ok()) return name.status();
  sweep.name = *name;
  const bool set = *Get<std::string>(**root, "kind") == kBenchmarkSet;
  return set ? ReadSet(kinds, SpecOf(**root), sweep) : ReadOne(kinds, *root, sweep);
}

}  // namespace

Result<Sweep> ReadSweep(const std::string& file, const std::string& text,
                        std::span<const Kind> kinds, const Limits& limits) {
  Sweep sweep;
  sweep.file = file;
  if (Status status = ReadFile(text, kinds, limits, sweep); !status.ok())
    return InFile(file, status);
  return sweep;
}

}  // namespace twofold::spec
