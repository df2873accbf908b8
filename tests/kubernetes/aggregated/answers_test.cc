#include "kubernetes/aggregated/answers.h"

#include <gtest/gtest.h>

#include "kubernetes/aggregated/discovery.h"

namespace twofold::aggregated {
namespace {

using kube::Json;

TEST(AggregatedAnswers, NumbersAreWholeOrThousandthsRoundedUp) {
  EXPECT_EQ(Quantity(0), "0");
  EXPECT_EQ(Quantity(7), "7");
  EXPECT_EQ(Quantity(3.5), "3500m");
  EXPECT_EQ(Quantity(1.1), "1100m") << "arithmetic adds a little";
  EXPECT_EQ(Quantity(0.0001), "1m") << "what is there is not 0";
  EXPECT_EQ(Quantity(1e300), "9000000000000000") << "what 64 bits of thousandths hold";
}

TEST(AggregatedAnswers, ErrorsAreStatusObjects) {
  const http::Response refused = Refusal(absl::NotFoundError("no such metric"));
  EXPECT_EQ(refused.status, 404);
  EXPECT_EQ(refused.content_type, "application/json");
  EXPECT_EQ(Json::parse(refused.body), Json::parse(R"({"kind": "Status", "apiVersion": "v1",
      "metadata": {}, "status": "Failure", "message": "no such metric", "reason": "NotFound",
      "code": 404})"));
  EXPECT_EQ(Refusal(absl::InvalidArgumentError("")).status, 400);
  EXPECT_EQ(Refusal(absl::PermissionDeniedError("")).status, 403);
  EXPECT_EQ(Refusal(absl::UnavailableError("")).status, 503);
  EXPECT_EQ(Refusal(absl::InternalError("")).status, 503);
}

TEST(AggregatedAnswers, DiscoveryNamesThePreferredVersionFirst) {
  const ServedGroup group{"g.io", {{"v2", {{"pods/q", true, "QList"}}}, {"v1", {}}}};
  EXPECT_EQ(GroupList({group}), Json::parse(R"({"kind": "APIGroupList", "apiVersion": "v1",
      "groups": [{"name": "g.io",
        "versions": [{"groupVersion": "g.io/v2", "version": "v2"},
                     {"groupVersion": "g.io/v1", "version": "v1"}],
        "preferredVersion": {"groupVersion": "g.io/v2", "version": "v2"}}]})"));
  EXPECT_EQ(GroupDocument(group)["kind"], "APIGroup");
  EXPECT_EQ(GroupDocument(group)["preferredVersion"]["version"], "v2");
  EXPECT_EQ(ResourceList("g.io", group.versions[0]), Json::parse(R"({"kind": "APIResourceList",
      "apiVersion": "v1", "groupVersion": "g.io/v2", "resources": [{"name": "pods/q",
      "singularName": "", "namespaced": true, "kind": "QList", "verbs": ["get"]}]})"));
}

}  // namespace
}  // namespace twofold::aggregated
