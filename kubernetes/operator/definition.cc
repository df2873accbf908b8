#include "kubernetes/operator/definition.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "kubernetes/operator/perftest_crds.h"
#include "lib/spec/field.h"
#include "lib/spec/schema.h"
#include "lib/yaml/node.h"
#include "suites/table/table.h"

namespace twofold::benchmarks {
namespace {

using kube::Json;

constexpr std::size_t kLongestName = 60;  // bytes of a run's id that are the object's name

/// Fields of a Benchmark that are not those of a set.
constexpr std::array kOurs = {"suspend", "activeDeadlineSeconds", "ttlSecondsAfterFinished",
                              "queue"};

/// `value` as a file would have it. What stands in the object as the text "0.5" is a number in a
/// file, as Kubernetes has no floats in specs.
Json AsWritten(const spec::Field* field, const Json& value) {
  if (value.is_array()) {
    Json list = Json::array();
    for (const Json& each : value) list.push_back(AsWritten(field, each));
    return list;
  }
  if (!value.is_string() || field == nullptr || spec::IsText(field->type)) return value;
  const auto scalar = yaml::PlainScalar(value.get<std::string>());
  if (const auto* whole = std::get_if<std::int64_t>(&scalar)) return *whole;
  if (const auto* real = std::get_if<double>(&scalar)) return *real;
  return value;
}

Json FieldsAsWritten(std::span<const spec::Field> fields, const Json& map) {
  if (!map.is_object()) return map;
  Json written = Json::object();
  for (const auto& [name, value] : map.items()) {
    written[name] = AsWritten(spec::Find(fields, name), value);
  }
  return written;
}

std::span<const spec::Field> FieldsOf(const std::string& kind) {
  for (const spec::Kind& each : suite::Kinds()) {
    if (each.name == kind) return each.fields;
  }
  return {};
}

/// The spec of a set.
Json SetSpec(const Json& spec) {
  Json set = spec.is_object() ? spec : Json::object();
  for (const char* field : kOurs) set.erase(field);
  const auto fields = FieldsOf(kube::TextAt(set, "/template/kind"));
  if (kube::At(set, "/template/spec") != nullptr) {
    Json& base = set["template"]["spec"];
    base = FieldsAsWritten(fields, base);
  }
  if (kube::At(set, "/permutations/product") != nullptr) {
    Json& product = set["permutations"]["product"];
    product = FieldsAsWritten(fields, product);
  }
  if (const Json* listed = kube::At(set, "/permutations/explicit");
      listed != nullptr && listed->is_array()) {
    for (Json& one : set["permutations"]["explicit"]) one = FieldsAsWritten(fields, one);
  }
  return set;
}

const Json& SpecOf(const Json& benchmark) {
  static const Json kNone = Json::object();
  const Json* spec = kube::At(benchmark, "/spec");
  return spec == nullptr ? kNone : *spec;
}

/// A default of the definition stands in each object, and nobody has asked for it. A worker of ours
/// may have its image from any registry.
Json WithoutDefaultImage(const std::string& kind, Json spec) {
  if (spec.is_object() && kube::TextAt(spec, "/image") == PerftestImage(kind)) spec.erase("image");
  return spec;
}

/// One of kube-perftest is a file already.
Json FileOf(const Json& benchmark) {
  Json metadata = {{"name", kube::NameOf(benchmark).name}};
  const std::string version = kube::TextAt(benchmark, "/apiVersion");
  if (version == spec::kApiVersions[1]) {
    const std::string kind = kube::TextAt(benchmark, "/kind");
    return {{"apiVersion", version},
            {"kind", kind},
            {"metadata", std::move(metadata)},
            {"spec", WithoutDefaultImage(kind, SpecOf(benchmark))}};
  }
  const std::string queue = kube::TextAt(benchmark, "/spec/queue");
  if (!queue.empty()) metadata["queue"] = queue;
  return {{"apiVersion", std::string(spec::kApiVersions[0])},
          {"kind", std::string(spec::kBenchmarkSet)},
          {"metadata", std::move(metadata)},
          {"spec", SetSpec(SpecOf(benchmark))}};
}

std::optional<Duration> SecondsAt(const Json& object, std::string_view path) {
  const Json* seconds = kube::At(object, path);
  if (seconds == nullptr || !seconds->is_number_integer()) return std::nullopt;
  return FromSeconds(seconds->get<double>());
}

}  // namespace

std::string RunIdOf(const Json& benchmark) {
  return absl::StrCat(kube::NameOf(benchmark).name.substr(0, kLongestName), "-",
                      kube::TextAt(benchmark, "/metadata/uid"));
}

std::string QueueOf(const Json& benchmark) {
  std::string queue = kube::TextAt(benchmark, "/spec/queue");
  if (!queue.empty()) return queue;
  const std::string kind = kube::TextAt(benchmark, "/kind");
  if (suite::FindSuite(kind) != nullptr) return std::string(suite::FindSuite(kind)->name);
  const suite::Suite* suite = suite::FindSuite(kube::TextAt(benchmark, "/spec/template/kind"));
  return suite == nullptr ? "" : std::string(suite->name);
}

RunOrder OrderOf(const Json& benchmark) {
  const kube::ObjectName name = kube::NameOf(benchmark);
  return {
      .id = RunIdOf(benchmark),
      .object = absl::StrCat(name.space, "/", name.name),
      .queue = QueueOf(benchmark),
      .definition = FileOf(benchmark).dump(2, ' ', false, Json::error_handler_t::replace) + "\n"};
}

Handling HandlingOf(const Json& benchmark) {
  const Json* suspend = kube::At(benchmark, "/spec/suspend");
  return {.suspend = suspend != nullptr && *suspend == true,
          .deadline = SecondsAt(benchmark, "/spec/activeDeadlineSeconds"),
          .keep = SecondsAt(benchmark, "/spec/ttlSecondsAfterFinished")};
}

}  // namespace twofold::benchmarks
