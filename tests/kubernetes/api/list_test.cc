#include "kubernetes/api/list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/kube_api.h"

namespace twofold::kube {
namespace {

using absl::StatusCode;
using fakes::KubeApi;
using fakes::KubeFault;

void Fill(KubeApi& api, int count) {
  for (int i = 0; i < count; ++i) {
    api.Put(kConfigMaps, {{"metadata",
                           {{"name", "c" + std::to_string(100 + i)},
                            {"namespace", i % 2 == 0 ? "even" : "odd"},
                            {"labels", {{"third", i % 3 == 0 ? "yes" : "no"}}}}}});
  }
}

TEST(KubeList, ComesInChunks) {
  KubeApi api;
  Fill(api, 25);
  Connection connection(api.access());
  int objects = 0;
  ListEvents events;
  events.object = [&](const Json& object, Instant) {
    EXPECT_EQ(TextAt(object, "/kind"), "ConfigMap");
    EXPECT_EQ(TextAt(object, "/apiVersion"), "v1");
    ++objects;
  };
  const auto end = List(connection, {kConfigMaps, ""}, events, {.page = 10});
  ASSERT_TRUE(end.ok()) << end.status();
  EXPECT_EQ(objects, 25);
  EXPECT_EQ(end->objects, 25U);
  EXPECT_EQ(end->restarts, 0);
  EXPECT_FALSE(end->resource_version.empty());
  EXPECT_EQ(api.requests().size(), 3U);
}

TEST(KubeList, SelectsByNamespaceLabelsAndFields) {
  KubeApi api;
  Fill(api, 24);
  Connection connection(api.access());
  const auto count = [&](const Selection& selection) {
    return ListAll(connection, selection).value().size();
  };
  EXPECT_EQ(count({kConfigMaps, "even"}), 12U);
  EXPECT_EQ(count({kConfigMaps, "", "third=yes"}), 8U);
  EXPECT_EQ(count({kConfigMaps, "", "third notin (yes)"}), 16U);
  EXPECT_EQ(count({kConfigMaps, "even", "third!=yes", "metadata.name=c102"}), 1U);
  EXPECT_EQ(count({kPods, ""}), 0U);
}

TEST(KubeList, BeginsAnewWhenTheChunksExpire) {
  KubeApi api;
  Fill(api, 25);
  Connection connection(api.access());
  int objects = 0;
  ListEvents events;
  events.object = [&](const Json&, Instant) {
    if (++objects == 20) api.Compact();
  };
  bool restarted = false;
  events.restart = [&] {
    if (!restarted) objects = 100;  // so that it expires once
    restarted = true;
  };
  const auto end = List(connection, {kConfigMaps, ""}, events, {.page = 10});
  ASSERT_TRUE(end.ok()) << end.status();
  EXPECT_EQ(end->restarts, 1);
  EXPECT_EQ(end->objects, 25U);
  EXPECT_EQ(objects, 125);
}

TEST(KubeList, GivesUpWhenTheyAlwaysExpire) {
  KubeApi api;
  Fill(api, 25);
  Connection connection(api.access());
  ListEvents events;
  events.object = [&](const Json&, Instant) { api.Compact(); };
  EXPECT_EQ(List(connection, {kConfigMaps, ""}, events, {.page = 10}).status().code(),
            StatusCode::kOutOfRange);
}

TEST(KubeList, MoreThanTheLimitsIsRefusedByName) {
  KubeApi api;
  Fill(api, 25);
  Connection connection(api.access());
  EXPECT_EQ(ListAll(connection, {kConfigMaps, ""}, {.page = 10, .pages = 3}).value().size(), 25U);
  const Status pages = ListAll(connection, {kConfigMaps, ""}, {.page = 10, .pages = 2}).status();
  EXPECT_EQ(pages.code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(
      std::string(pages.message()),
      "list configmaps: the list has more than 2 chunks; select fewer objects by namespace or "
      "labels");
  api.Put(kConfigMaps, {{"metadata", {{"name", "long"}, {"namespace", "even"}}},
                        {"data", {{"text", std::string(2 << 20, 'x')}}}});
  const Status bytes = ListAll(connection, {kConfigMaps, ""}, {.bytes = 2 << 20}).status();
  EXPECT_EQ(bytes.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(bytes.message()), ::testing::HasSubstr("more than 2 MiB"));
}

TEST(KubeList, AnAnswerWithoutItemsIsRefused) {
  KubeApi api;
  Connection connection(api.access());
  api.Add({.kind = KubeFault::Kind::kStatus, .status = 200, .body = R"({"kind":"Status"})"});
  EXPECT_EQ(ListAll(connection, {kPods, ""}).status().code(), StatusCode::kUnavailable);
}

}  // namespace
}  // namespace twofold::kube
