#include "kubernetes/operator/frontend_crd.h"

#include <absl/strings/str_cat.h>

#include <cstdint>
#include <utility>

#include "kubernetes/operator/crd.h"
#include "kubernetes/operator/frontend_kind.h"
#include "kubernetes/operator/structural.h"

namespace twofold::benchmarks {
namespace {

// So that a policy can look at all of it within what an API server allows it to cost.
constexpr std::int64_t kMostNamespaces = 1000;
constexpr std::int64_t kMostListed = 100;     // of a list
constexpr std::int64_t kLongestListed = 253;  // bytes
constexpr std::int64_t kLongestSpace = 63;

Schema FrontendMap(Schema properties) {
  return {{"type", "object"}, {"properties", std::move(properties)}};
}

Schema FrontendText(const char* help, std::int64_t longest = kLongestListed) {
  return {{"type", "string"}, {"minLength", 1}, {"maxLength", longest}, {"description", help}};
}

Schema FrontendFlag(const char* help) { return {{"type", "boolean"}, {"description", help}}; }

Schema FrontendList(const char* help) {
  return {{"type", "array"},
          {"maxItems", kMostListed},
          {"items", {{"type", "string"}, {"minLength", 1}, {"maxLength", kLongestListed}}},
          {"x-kubernetes-list-type", "atomic"},
          {"description", help}};
}

Schema NamespacesSchema() {
  Schema grant = FrontendMap(
      {{"name", FrontendText("of the namespace", kLongestSpace)},
       {"kinds",
        FrontendList("what it may run: Fio, LoadTest, WorkerPool and so on, or *; a set is of "
                     "the kind of its template")},
       {"queues",
        FrontendList("that spec.queue may name, or *; benchmarks that name none run on those "
                     "named like their suites")},
       {"nodes", FrontendList("by what it may choose nodes, or *: names, patterns and labels "
                              "(NAME=VALUE), as they are written there")},
       {"hostNetwork", FrontendFlag("true: it may ask for the network of hosts")}});
  grant["required"] = {"name", "kinds"};
  return {{"type", "array"},
          {"maxItems", kMostNamespaces},
          {"items", std::move(grant)},
          {"x-kubernetes-list-type", "map"},
          {"x-kubernetes-list-map-keys", {"name"}},
          {"description", "whose objects it runs; each has a token of its own there"}};
}

Schema FrontendSpec() {
  Schema address = FrontendText(
      "HOST:PORT for clients, as the operator and pods of these namespaces "
      "reach it; else what the operator's command line says");
  address["pattern"] = R"(^[^/@\s]+:[0-9]+$)";
  Schema schema = FrontendMap(
      {{"address", std::move(address)},
       {"tls",
        FrontendFlag("of the address; false: plain text, which shows the tokens to the network")},
       {"serverName", FrontendText("in its certificate, if that is not the host of the address")},
       {"namespaces", NamespacesSchema()}});
  schema["required"] = {"namespaces"};
  schema["x-kubernetes-validations"] = Schema::array(
      {{{"rule", "has(self.address) || (!has(self.tls) && !has(self.serverName))"},
        {"message", "tls and serverName are about an address"}},
       {{"rule",
         "has(self.address) == has(oldSelf.address) && (!has(self.address) || "
         "self.address == oldSelf.address)"},
        {"message", "address cannot be changed, as runs are there: create another Frontend"}}});
  return schema;
}

Schema FrontendVersion() {
  Schema schema = FrontendMap({{"apiVersion", {{"type", "string"}}},
                               {"kind", {{"type", "string"}}},
                               {"metadata", {{"type", "object"}}},
                               {"spec", FrontendSpec()}});
  schema["required"] = {"spec"};
  schema["description"] = "A frontend, and which namespaces may run what there.";
  return {{"name", kVersion},
          {"served", true},
          {"storage", true},
          {"schema", {{"openAPIV3Schema", std::move(schema)}}},
          {"additionalPrinterColumns",
           {Column("Address", "string", ".spec.address"),
            Column("Namespaces", "string", ".spec.namespaces[*].name"),
            Column("Age", "date", ".metadata.creationTimestamp")}}};
}

}  // namespace

yaml::Json FrontendDefinition() {
  return {{"apiVersion", "apiextensions.k8s.io/v1"},
          {"kind", "CustomResourceDefinition"},
          {"metadata",
           {{"name", absl::StrCat(kFrontends.plural, ".", kGroup)},
            {"labels", BenchmarkDefinition()["metadata"]["labels"]}}},
          {"spec",
           {{"group", kGroup},
            {"scope", "Cluster"},
            {"names",
             {{"kind", kFrontends.kind},
              {"listKind", kFrontends.kind + "List"},
              {"plural", kFrontends.plural},
              {"singular", "frontend"}}},
            {"versions", Schema::array({FrontendVersion()})}}}};
}

}  // namespace twofold::benchmarks
