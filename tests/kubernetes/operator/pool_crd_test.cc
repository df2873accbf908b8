#include "kubernetes/operator/pool_crd.h"

#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

#include "tests/kubernetes/operator/manifest.h"

namespace twofold::benchmarks {
namespace {

yaml::Json Version() { return WorkerPoolDefinition()["spec"]["versions"][0]; }
yaml::Json PoolRoot() { return Version()["schema"]["openAPIV3Schema"]; }

/// The schema at such a path: ".spec.replicas".
yaml::Json SchemaAt(const std::string& path) {
  yaml::Json schema = PoolRoot();
  for (std::size_t begin = 1; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    schema = schema["properties"].value(path.substr(begin, end - begin), yaml::Json::object());
    begin = end + 1;
  }
  return schema;
}

TEST(WorkerPoolCrd, IsTheOneInTheManifests) {
  ExpectManifest("crds/workerpools.yaml", "twofold.dev", {WorkerPoolDefinition()});
}

TEST(WorkerPoolCrd, TellsAutoscalersWhereReplicasAndSelectorAre) {
  const yaml::Json scale = Version()["subresources"]["scale"];
  EXPECT_EQ(SchemaAt(scale["specReplicasPath"])["type"], "integer");
  EXPECT_EQ(SchemaAt(scale["specReplicasPath"])["default"], 1) << "the subresource knows no other";
  EXPECT_EQ(SchemaAt(scale["statusReplicasPath"])["type"], "integer");
  EXPECT_EQ(SchemaAt(scale["labelSelectorPath"])["type"], "string");
  EXPECT_TRUE(Version()["subresources"].contains("status"));
}

TEST(WorkerPoolCrd, KeepsAllOfATemplateThatItDoesNotKnow) {
  EXPECT_EQ(SchemaAt(".spec.template.spec")["x-kubernetes-preserve-unknown-fields"], true);
  EXPECT_EQ(SchemaAt(".spec.template.spec.restartPolicy")["enum"],
            yaml::Json::parse(R"(["OnFailure", "Never"])"));
}

TEST(WorkerPoolCrd, HasEachOfItsFieldsAndReasonsInTheDocumentation) {
  const std::string page = TextOfFile("docs/scaling-workers.md");
  for (const char* part : {"spec", "status"}) {
    for (const auto& [name, schema] : PoolRoot()["properties"][part]["properties"].items()) {
      EXPECT_NE(page.find(absl::StrCat("`", name, "`")), std::string::npos) << part << "." << name;
    }
  }
  const std::string text = TextOfFile("kubernetes/operator/pool_reconciler.cc") +
                           TextOfFile("kubernetes/operator/pool_status.cc");
  const std::regex word("\"([A-Z][a-z]+([A-Z][a-z]+)*)\"");
  int words = 0;
  for (std::sregex_iterator each(text.begin(), text.end(), word), end; each != end; ++each) {
    const std::string reason = (*each)[1];
    if (std::set<std::string>{"Drain", "Create", "Scale"}.contains(reason)) continue;
    EXPECT_NE(page.find(absl::StrCat("`", reason, "`")), std::string::npos) << reason;
    ++words;
  }
  EXPECT_GT(words, 20);
}

}  // namespace
}  // namespace twofold::benchmarks
