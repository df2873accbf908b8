#include "kubernetes/api/call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace twofold::kube {
namespace {

using ::testing::HasSubstr;

Json Pod(const std::string& space = "default") {
  return {
      {"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", {{"name", "x"}, {"namespace", space}}}};
}

std::string FaultOf(const Call& call) { return std::string(call.fault.message()); }

constexpr const char* kWritten = "?fieldManager=twofold&fieldValidation=Strict";

TEST(KubeCall, CreatePostsToTheCollectionOfTheObject) {
  const Call call = Create(kPods, Pod());
  EXPECT_TRUE(call.fault.ok()) << call.fault;
  EXPECT_EQ(call.method, "POST");
  EXPECT_EQ(call.target, std::string("/api/v1/namespaces/default/pods") + kWritten);
  EXPECT_EQ(Json::parse(call.body), Pod());
  EXPECT_EQ(call.content_type, "application/json");
  EXPECT_EQ(call.what, "create pod default/x");
  EXPECT_EQ(call.repeat, Repeat::kMayFind);
}

TEST(KubeCall, WritesCanBeTriedWithoutBeingStored) {
  WriteOptions options;
  options.dry_run = true;
  options.validation = "Warn";
  options.field_manager = "me & you";
  EXPECT_EQ(Create(kPods, Pod(), options).target,
            "/api/v1/namespaces/default/pods?dryRun=All&fieldManager=me%20%26%20you&"
            "fieldValidation=Warn");
}

TEST(KubeCall, AGeneratedNameIsNotSentTwice) {
  Json pod = Pod();
  pod["metadata"] = {{"generateName", "x-"}, {"namespace", "default"}};
  const Call call = Create(kPods, pod);
  EXPECT_TRUE(call.fault.ok()) << call.fault;
  EXPECT_EQ(call.repeat, Repeat::kNo);
  EXPECT_EQ(call.what, "create pod default/x-*");
}

TEST(KubeCall, GroupsAndKindsWithoutNamespaceHaveTheirPaths) {
  EXPECT_EQ(Get(kJobs, {"a", "b"}).target, "/apis/batch/v1/namespaces/a/jobs/b");
  EXPECT_EQ(Get(kNodes, {"", "n"}).target, "/api/v1/nodes/n");
  EXPECT_EQ(Get(kNodes, {"", "n"}, "status").target, "/api/v1/nodes/n/status");
  EXPECT_EQ(GetResources("batch/v1").target, "/apis/batch/v1");
  EXPECT_EQ(GetResources("v1").target, "/api/v1");
}

TEST(KubeCall, ApplyForcesOnlyWhenAsked) {
  const Call call = Apply(kPods, Pod(), false);
  EXPECT_EQ(call.method, "PATCH");
  EXPECT_EQ(call.content_type, "application/apply-patch+yaml");
  EXPECT_EQ(call.target, std::string("/api/v1/namespaces/default/pods/x") + kWritten);
  EXPECT_THAT(Apply(kPods, Pod(), true).target, HasSubstr("&force=true"));
}

TEST(KubeCall, EachPatchHasItsMediaType) {
  const Json patch = {{"status", {{"phase", "Running"}}}};
  const auto type = [&](PatchKind kind) {
    return Patch(kPods, {"a", "x"}, kind, patch, {}, "status").content_type;
  };
  EXPECT_EQ(type(PatchKind::kMerge), "application/merge-patch+json");
  EXPECT_EQ(type(PatchKind::kStrategic), "application/strategic-merge-patch+json");
  EXPECT_EQ(type(PatchKind::kJson), "application/json-patch+json");
  EXPECT_THAT(Patch(kPods, {"a", "x"}, PatchKind::kMerge, patch, {}, "status").target,
              HasSubstr("/pods/x/status?"));
  EXPECT_EQ(Patch(kPods, {"a", "x"}, PatchKind::kJson, patch).repeat, Repeat::kNo);
}

TEST(KubeCall, DeleteSaysWhichObjectAndHow) {
  DeleteOptions options;
  options.grace_s = 0;
  options.propagation = Propagation::kForeground;
  options.uid = "u";
  options.resource_version = "7";
  const Call call = Delete(kPods, {"a", "x"}, options);
  EXPECT_EQ(call.method, "DELETE");
  EXPECT_EQ(Json::parse(call.body),
            Json::parse(R"({"apiVersion":"v1","kind":"DeleteOptions","gracePeriodSeconds":0,
                            "propagationPolicy":"Foreground",
                            "preconditions":{"uid":"u","resourceVersion":"7"}})"));
  EXPECT_FALSE(Json::parse(Delete(kPods, {"a", "x"}).body).contains("gracePeriodSeconds"));
}

TEST(KubeCall, WithoutANameNothingIsDeleted) {
  EXPECT_THAT(FaultOf(Delete(kPods, {"a", ""})), HasSubstr("metadata.name is missing"));
  EXPECT_THAT(FaultOf(Delete(kPods, {"", "x"})), HasSubstr("metadata.namespace is missing"));
  for (const char* name : {".", "..", "a/b", "a%2fb"}) {
    EXPECT_THAT(FaultOf(Delete(kPods, {"a", name})), HasSubstr("cannot be a name")) << name;
  }
}

TEST(KubeCall, FaultsNameTheField) {
  EXPECT_THAT(FaultOf(Create(kNodes, Pod())), HasSubstr("apiVersion: v1 and kind: Node"));
  EXPECT_THAT(FaultOf(Get(kNodes, {"a", "x"})), HasSubstr("a Node has none"));
  Json pod = Pod();
  pod["metadata"]["annotations"] = {{"a", "\xff"}};
  EXPECT_THAT(FaultOf(Create(kPods, pod)), HasSubstr("not UTF-8"));
  EXPECT_THAT(FaultOf(Create(kPods, Json("text"))), HasSubstr("create pod"));
}

TEST(KubeCall, ListsAndWatchesSelect) {
  const Selection selection{kPods, "", "a=b,c in (d,e)", "spec.nodeName!="};
  const std::string selected =
      "/api/v1/pods?labelSelector=a%3Db%2Cc%20in%20%28d%2Ce%29&fieldSelector=spec.nodeName%21%3D";
  EXPECT_EQ(ListPage(selection, {500, "t"}).target, selected + "&limit=500&continue=t");
  EXPECT_EQ(ListPage(selection, {0, ""}).target, selected);
  EXPECT_EQ(Watch(selection, {"5", false, 300}).target,
            selected + "&watch=1&allowWatchBookmarks=true&timeoutSeconds=300&resourceVersion=5");
  EXPECT_EQ(Watch({kJobs, "a"}, {"", true, 300}).target,
            "/apis/batch/v1/namespaces/a/jobs?watch=1&allowWatchBookmarks=true&timeoutSeconds=300&"
            "sendInitialEvents=true&resourceVersionMatch=NotOlderThan");
  EXPECT_EQ(Watch({kJobs, "a"}, {}).what, "watch jobs in a");
}

TEST(KubeCall, ProgramsAndLogsAreReachedThroughTheirPaths) {
  EXPECT_EQ(GetThrough(kServices, {"ns", "x"}, 9996, "/look?a=1,2").target,
            "/api/v1/namespaces/ns/services/x:9996/proxy/look?a=1,2");
  EXPECT_EQ(GetLog({"ns", "x"}, {}).target, "/api/v1/namespaces/ns/pods/x/log");
  EXPECT_EQ(GetLog({"ns", "x"}, {.container = "c", .previous = true, .lines = 5}).target,
            "/api/v1/namespaces/ns/pods/x/log?container=c&previous=true&tailLines=5");
  EXPECT_FALSE(GetThrough(kServices, {"ns", ".."}, 1, "/").fault.ok());
}

TEST(KubeCall, AKindIsFoundAmongTheServersResources) {
  const Json list = Json::parse(R"({"resources":[
      {"name":"jobsets/status","kind":"JobSet","namespaced":true},
      {"name":"jobsets","kind":"JobSet","namespaced":true}]})");
  const auto found = FindResource(list, "jobset.x-k8s.io/v1alpha2", "JobSet");
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(*found, (Resource{"jobset.x-k8s.io", "v1alpha2", "jobsets", "JobSet", true}));
  const auto missing = FindResource(list, "jobset.x-k8s.io/v1alpha2", "Set");
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(missing.status().message()), HasSubstr("install its definition (CRD)"));
  EXPECT_FALSE(FindResource(Json(), "v1", "Pod").ok());
}

TEST(KubeCall, PathsReadWhatIsThere) {
  const Json object = Json::parse(R"({"a":{"b":"c","n":1},"l":[1]})");
  EXPECT_EQ(TextAt(object, "/a/b"), "c");
  EXPECT_EQ(TextAt(object, "/a/n"), "");
  EXPECT_EQ(At(object, "/a/x"), nullptr);
  EXPECT_EQ(At(object, "/a/b/c"), nullptr);
  EXPECT_EQ(*At(object, "/l/0"), 1);
  for (const char* path : {"/l/1", "/l/-1", "/l/x", "/l/0/y"}) EXPECT_EQ(At(object, path), nullptr);
  EXPECT_EQ(NameOf(Json()), ObjectName());
}

}  // namespace
}  // namespace twofold::kube
