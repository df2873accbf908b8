#include "kubernetes/aggregated/attributes.h"

#include <gtest/gtest.h>

namespace twofold::aggregated {
namespace {

using kube::Json;

/// "verb resource/subresource name@namespace" of a path below /apis/g/v1.
std::string Asks(const std::string& path) {
  const auto parts = PartsOf("/apis/g/v1/" + path);
  EXPECT_TRUE(parts.ok()) << parts.status();
  const Attributes asked = AttributesOf(*parts);
  EXPECT_EQ(asked.group, "g");
  EXPECT_EQ(asked.version, "v1");
  return asked.verb + " " + asked.resource + "/" + asked.subresource + " " + asked.name + "@" +
         asked.space;
}

TEST(AggregatedAttributes, AreThoseThatRolesAreWrittenFor) {
  EXPECT_EQ(Asks("namespaces/ns/q"), "list q/ @ns") << "an external metric";
  EXPECT_EQ(Asks("namespaces/ns/services/fe/q"), "get services/q fe@ns");
  EXPECT_EQ(Asks("namespaces/ns/pods/*/q"), "get pods/q *@ns");
  EXPECT_EQ(Asks("namespaces/ns/metrics/q"), "get metrics/ q@ns") << "of the namespace itself";
  EXPECT_EQ(Asks("nodes/n1/q"), "get nodes/q n1@");
  EXPECT_EQ(Asks("namespaces/ns"), "get namespaces/ ns@ns");
  EXPECT_EQ(Asks("namespaces/ns/status"), "get namespaces/status ns@ns");
  EXPECT_EQ(Asks("namespaces"), "list namespaces/ @");
}

TEST(AggregatedAttributes, PartsOfAPathAreDecodedAndNotEmpty) {
  EXPECT_EQ(*PartsOf("/apis/a%20b/"), (std::vector<std::string>{"apis", "a b"}));
  EXPECT_FALSE(PartsOf("/apis//b").ok());
  EXPECT_FALSE(PartsOf("/").ok());
}

TEST(AggregatedAttributes, AReviewAsksForTheCallerWithAllThatIsKnownOfHim) {
  const Caller caller{"u", "7", {"a, b", "c"}, {{"scopes", {"x", "y"}}}};
  const kube::Call call = Review(caller, AttributesOf(*PartsOf("/apis/g/v1/namespaces/ns/q")));
  EXPECT_EQ(call.method, "POST");
  EXPECT_EQ(call.target, "/apis/authorization.k8s.io/v1/subjectaccessreviews");
  EXPECT_EQ(Json::parse(call.body), Json::parse(R"({"apiVersion": "authorization.k8s.io/v1",
      "kind": "SubjectAccessReview", "spec": {"user": "u", "uid": "7", "groups": ["a, b", "c"],
      "extra": {"scopes": ["x", "y"]}, "resourceAttributes": {"verb": "list", "group": "g",
      "version": "v1", "namespace": "ns", "resource": "q", "name": "", "subresource": ""}}})"));
}

}  // namespace
}  // namespace twofold::aggregated
