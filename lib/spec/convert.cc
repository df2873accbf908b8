#include "lib/spec/convert.h"

#include <absl/strings/ascii.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <utility>

#include "lib/spec/field.h"
#include "lib/spec/metric_set.h"
#include "lib/spec/object.h"
#include "lib/spec/schema.h"
#include "lib/spec/sweep.h"

namespace twofold::spec {
namespace {

/// Fields of metadata that a file and an object have both.
constexpr std::array kKept = {"namespace", "labels", "annotations"};

/// As a text that kDecimal of the definition takes: without an exponent.
std::string DecimalText(double value) {
  std::array<char, 400> digits{};
  const auto [end, error] =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed);
  return error == std::errc() ? std::string(digits.data(), end) : fmt::format("{}", value);
}

Json NumberAsText(Json value) {
  if (value.is_number_float()) return DecimalText(value.get<double>());
  return value;
}

Result<Json> AsObjects(std::span<const Field> fields, const Node& map, const std::string& path);

Result<Json> AsObjects(const Field& field, const Node& value, const std::string& path) {
  if (IsFree(field.type)) return yaml::ToJson(value);
  if (AsMap(value) != nullptr) return AsObjects(FieldsIn(field.type), value, path);
  if (AsList(value) == nullptr) {
    return IsFlag(field.type) ? Json(IsTrue(value)) : NumberAsText(yaml::ToJson(value));
  }
  Json list = Json::array();
  for (const NodeRef& item : *AsList(value)) {
    if (IsNull(*item)) {
      return Fault(item->place, path, "null in a list cannot be said in Kubernetes: leave it out");
    }
    auto read = AsObjects(field, *item, path);
    if (!read.ok()) return read;
    list.push_back(*std::move(read));
  }
  return list;
}

Result<Json> AsObjects(std::span<const Field> fields, const Node& map, const std::string& path) {
  if (AsMap(map) == nullptr) return yaml::ToJson(map);
  Json object = Json::object();
  for (const Entry& entry : *AsMap(map)) {
    if (IsNull(*entry.value)) continue;
    const Field* field = Find(fields, entry.key);
    auto value = field == nullptr ? Result<Json>(yaml::ToJson(*entry.value))
                                  : AsObjects(*field, *entry.value, Join(path, entry.key));
    if (!value.ok()) return value;
    object[entry.key] = *std::move(value);
  }
  return object;
}

/// A node with `entries` of `sweep`'s: the values to try.
Result<Json> PermutationsOf(const Sweep& sweep) {
  const std::string path = "spec.permutations";
  Json permutations = Json::object();
  for (const Axis& axis : sweep.product) {
    auto values = AsObjects(*Find(sweep.kind->fields, axis.field.key), *axis.field.value,
                            fmt::format("{}.product.{}", path, axis.field.key));
    if (!values.ok()) return values;
    permutations["product"][axis.field.key] = *std::move(values);
  }
  for (const NodeRef& listed : sweep.listed) {
    auto values = AsObjects(sweep.kind->fields, *listed, path + ".explicit");
    if (!values.ok()) return values;
    permutations["explicit"].push_back(*std::move(values));
  }
  return permutations;
}

NodeRef ValueOf(const Node& map, std::string_view key) {
  const Map* entries = AsMap(map);
  const Entry* entry = entries == nullptr ? nullptr : Find(*entries, key);
  return entry == nullptr || IsNull(*entry->value) ? nullptr : entry->value;
}

/// What a set says beside its template and its permutations.
Result<Json> OptionsOf(const Node& document) {
  const NodeRef spec = ValueOf(document, "spec");
  const bool is_set = *Get<std::string>(document, "kind") == kBenchmarkSet;
  if (!is_set || spec == nullptr) return Json::object();
  auto options = AsObjects(SetFields(), *spec, "spec");
  if (!options.ok()) return options;
  options->erase("template");
  options->erase("permutations");
  return options;
}

Result<Json> SpecAsObject(const Node& document, const Sweep& sweep) {
  auto base = AsObjects(sweep.kind->fields, *sweep.spec, "spec");
  if (!base.ok()) return base;
  Json spec = {{"template", {{"kind", sweep.kind->name}}}};
  if (!base->empty()) spec["template"]["spec"] = *std::move(base);
  auto permutations = PermutationsOf(sweep);
  if (!permutations.ok()) return permutations;
  if (!permutations->empty()) spec["permutations"] = *std::move(permutations);
  auto options = OptionsOf(document);
  if (!options.ok()) return options;
  spec.update(*options);
  if (!sweep.queue.empty()) spec[kQueueField] = sweep.queue;
  return spec;
}

/// A run's id says which run it is; of objects the name does.
std::string NameOfRun(const Sweep& sweep) {
  return sweep.run_id.empty() ? sweep.name : fmt::format("{}-{}", sweep.name, sweep.run_id);
}

Json MetadataAsObject(const Node& document, const Sweep& sweep, std::vector<std::string>& notes) {
  const NodeRef written = ValueOf(document, "metadata");
  const std::string wanted = NameOfRun(sweep);
  const std::string name = ObjectName(wanted);
  if (name != wanted) notes.push_back(fmt::format("'{}' is named '{}'", wanted, name));
  const bool is_generated = ValueOf(*written, "name") == nullptr && sweep.run_id.empty();
  Json metadata = Json::object();
  metadata[is_generated ? "generateName" : "name"] = is_generated ? name + "-" : name;
  for (const char* key : kKept) {
    const NodeRef value = ValueOf(*written, key);
    if (value != nullptr) metadata[key] = yaml::ToJson(*value);
  }
  return metadata;
}

void NoteOrder(const Sweep& sweep, std::vector<std::string>& notes) {
  const auto by_name = [](const Axis& a, const Axis& b) { return a.field.key < b.field.key; };
  if (std::is_sorted(sweep.product.begin(), sweep.product.end(), by_name)) return;
  notes.emplace_back(
      "Kubernetes keeps no order of fields: those of permutations.product are taken by their "
      "names");
}

Result<Converted> ToBenchmark(const NodeRef& document, const Sweep& sweep) {
  Converted converted;
  auto spec = SpecAsObject(*document, sweep);
  if (!spec.ok()) return spec.status();
  NoteOrder(sweep, converted.notes);
  converted.object = {{"apiVersion", kObjectVersion},
                      {"kind", kBenchmark},
                      {"metadata", MetadataAsObject(*document, sweep, converted.notes)},
                      {"spec", *std::move(spec)}};
  return converted;
}

Result<std::vector<Converted>> Convert(const std::string& file, const std::string& text,
                                       const NodeRef& document, std::span<const Kind> kinds) {
  if (IsMetricSet(*document)) {
    auto converted = FromMetricSet(*document);
    return converted.ok() ? converted : yaml::InFile(file, converted.status());
  }
  if (IsObject(*document)) {
    return yaml::InFile(
        file, Fault(document->place, "apiVersion", "it is an object of a cluster already"));
  }
  const auto sweep = ReadSweep(file, text, kinds);
  if (!sweep.ok()) return sweep.status();
  auto converted = ToBenchmark(document, *sweep);
  if (!converted.ok()) return yaml::InFile(file, converted.status());
  return std::vector<Converted>{*std::move(converted)};
}

}  // namespace

std::string ObjectName(std::string_view name) {
  std::string object;
  for (const char c : name) {
    const bool is_kept = absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.';
    object += is_kept ? absl::ascii_tolower(static_cast<unsigned char>(c)) : '-';
  }
  const std::size_t first = object.find_first_not_of("-.");
  if (first == std::string::npos) return "benchmark";
  object = object.substr(first, kLongestName);
  return object.substr(0, object.find_last_not_of("-.") + 1);
}

Result<std::vector<Converted>> ToBenchmarks(const std::string& file, const std::string& text,
                                            std::span<const Kind> kinds) {
  const auto document = yaml::ParseDocument(text);
  if (!document.ok()) return yaml::InFile(file, document.status());
  auto converted = Convert(file, text, *document, kinds);
  if (!converted.ok()) return converted;
  for (const Converted& each : *converted) {
    // What is handed out is taken: the same reader has read it.
    const auto sweep = ReadSweep(file, each.object.dump(), kinds);
    if (!sweep.ok()) return sweep.status();
  }
  return converted;
}

}  // namespace twofold::spec
