#include "kubernetes/operator/frontend_kind.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "kubernetes/operator/frontend_crd.h"
#include "tests/kubernetes/operator/manifest.h"

namespace twofold::benchmarks {
namespace {

using kube::Json;
using ::testing::HasSubstr;

yaml::Json SpecSchema() {
  const yaml::Json version = FrontendDefinition()["spec"]["versions"][0];
  return version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"];
}

TEST(FrontendCrd, IsTheOneInTheManifests) {
  ExpectManifest("crds/frontends.yaml", "twofold.dev", {FrontendDefinition()});
}

TEST(FrontendCrd, BelongsToTheClusterAndNotToANamespace) {
  EXPECT_EQ(FrontendDefinition()["spec"]["scope"], "Cluster");
}

TEST(FrontendCrd, HasEachOfItsFieldsInTheDocumentation) {
  const std::string page = TextOfFile("docs/operator.md");
  const auto expect_each = [&](const yaml::Json& fields, const std::string& inside) {
    for (const auto& [name, schema] : fields.items()) {
      const std::string row = absl::StrCat("| `", inside, name, "` |");
      EXPECT_NE(page.find(row), std::string::npos) << row;
    }
  };
  expect_each(SpecSchema(), "");
  expect_each(SpecSchema()["namespaces"]["items"]["properties"], "namespaces[].");
}

TEST(FrontendKind, AnObjectThatNamesNoFrontendWantsTheDefault) {
  EXPECT_EQ(FrontendOf({{"spec", {{"frontendRef", "disks"}}}}), "disks");
  EXPECT_EQ(FrontendOf({{"spec", Json::object()}}), "default");
  EXPECT_EQ(FrontendOf(Json::object()), "default");
}

/// The cases of a file that operator-on-cluster.sh has an API server decide, too.
TEST(FrontendKind, AllowsWhatTheCasesAllowAndSaysWhatItForbids) {
  const auto document =
      yaml::ParseDocument(TextOfFile("tests/kubernetes/operator/frontend_cases.yaml"));
  ASSERT_TRUE(document.ok()) << document.status();
  const yaml::Json file = yaml::ToJson(**document);
  std::map<std::string, Json> frontends;
  for (const yaml::Json& each : file["frontends"]) {
    frontends[each["metadata"]["name"]] = Json::parse(each.dump());
  }
  for (const yaml::Json& each : file["cases"]) {
    Json object = Json::parse(each.dump());
    object["metadata"] = {{"name", "x"}, {"namespace", "validation"}};
    const std::string why = WhyForbidden(frontends.at(FrontendOf(object)), object);
    if (each.contains("refused")) {
      EXPECT_THAT(why, HasSubstr(each["refused"].get<std::string>())) << each;
    } else {
      EXPECT_EQ(why, "") << each;
    }
  }
}

TEST(FrontendKind, ListsThatAreMissingAllowNothing) {
  const Json frontend = {
      {"metadata", {{"name", "x"}}},
      {"spec", {{"namespaces", Json::array({{{"name", "a"}}, {{"kinds", {"*"}}}})}}}};
  const Json object = {{"kind", "Benchmark"},
                       {"metadata", {{"name", "b"}, {"namespace", "a"}}},
                       {"spec", {{"template", {{"kind", "Fio"}}}}}};
  EXPECT_THAT(WhyForbidden(frontend, object), HasSubstr("may not run Fio"));
  EXPECT_THAT(WhyForbidden(Json::object(), object), HasSubstr("may not run anything"));
}

}  // namespace
}  // namespace twofold::benchmarks
