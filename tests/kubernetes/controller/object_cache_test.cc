#include "kubernetes/controller/object_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace twofold::controller {
namespace {

using Kind = kube::WatchEvent::Kind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Json Object(const std::string& name, int version, const std::string& uid = "u") {
  return {{"metadata",
           {{"name", name},
            {"namespace", "a"},
            {"uid", uid},
            {"resourceVersion", std::to_string(version)}}}};
}

class ObjectCacheTest : public ::testing::Test {
 protected:
  std::vector<std::string> Tell(Kind kind, Json object = nullptr) {
    kube::WatchEvent event;
    event.kind = kind;
    event.object = std::move(object);
    std::vector<std::string> names;
    for (const ObjectName& name : cache_.Take(event)) names.push_back(name.name);
    return names;
  }
  void List(const std::vector<Json>& objects) {
    Tell(Kind::kListing);
    for (const Json& each : objects) Tell(Kind::kListed, each);
    Tell(Kind::kSynced);
  }
  std::string VersionOf(const std::string& name) {
    const Snapshot object = cache_.Find({"a", name});
    return object ? kube::TextAt(*object, "/metadata/resourceVersion") : "";
  }

  ObjectCache cache_{1 << 20};
};

TEST_F(ObjectCacheTest, IsSyncedOnceAWholeListHasCome) {
  Tell(Kind::kListing);
  EXPECT_THAT(Tell(Kind::kListed, Object("x", 5)), ElementsAre("x"));
  EXPECT_FALSE(cache_.synced());
  Tell(Kind::kSynced);
  EXPECT_TRUE(cache_.synced());
  EXPECT_EQ(VersionOf("x"), "5");
}

TEST_F(ObjectCacheTest, WhatANewListLacksIsGone) {
  List({Object("x", 5), Object("y", 6)});
  Tell(Kind::kListing);
  Tell(Kind::kListed, Object("y", 6));
  EXPECT_EQ(VersionOf("x"), "5") << "the list has not ended";
  EXPECT_THAT(Tell(Kind::kSynced), ElementsAre("x"));
  EXPECT_EQ(cache_.counts().objects, 1U);
}

TEST_F(ObjectCacheTest, AListThatDidNotEndSaysNothingOfWhatIsGone) {
  List({Object("x", 5), Object("y", 6)});
  Tell(Kind::kListing);
  Tell(Kind::kListed, Object("y", 6));
  Tell(Kind::kListing);
  Tell(Kind::kListed, Object("x", 5));
  EXPECT_THAT(Tell(Kind::kSynced), ElementsAre("y"));
}

TEST_F(ObjectCacheTest, AnAnswerToOurWriteIsNotUndoneByEventsFromBeforeIt) {
  List({Object("x", 5)});
  cache_.Note(Object("x", 9));
  EXPECT_THAT(Tell(Kind::kModified, Object("x", 7)), IsEmpty());
  EXPECT_EQ(VersionOf("x"), "9");
  EXPECT_EQ(cache_.counts().outdated, 1U);
  EXPECT_THAT(Tell(Kind::kModified, Object("x", 10)), ElementsAre("x"));
  EXPECT_EQ(VersionOf("x"), "10");
}

TEST_F(ObjectCacheTest, AnAnswerBringsBackNothingThatIsGone) {
  List({Object("x", 5)});
  Tell(Kind::kDeleted, Object("x", 8));
  cache_.Note(Object("x", 7));
  EXPECT_EQ(VersionOf("x"), "");
}

TEST_F(ObjectCacheTest, AnAnswerAboutAnObjectOfThatNameFromBeforeIsNoNews) {
  List({Object("x", 9, "second")});
  cache_.Note(Object("x", 10, "first"));
  EXPECT_EQ(VersionOf("x"), "9");
}

TEST_F(ObjectCacheTest, ANewObjectOfTheNameCountsWhateverItsVersion) {
  List({Object("x", 9, "first")});
  EXPECT_THAT(Tell(Kind::kAdded, Object("x", 3, "second")), ElementsAre("x"));
  EXPECT_EQ(VersionOf("x"), "3");
}

TEST_F(ObjectCacheTest, WhatThereIsNoRoomForIsLeftOutAndCounted) {
  ObjectCache small(2000);
  Json big = Object("big", 6);
  big["spec"]["text"] = std::string(3000, 'x');
  kube::WatchEvent event;
  event.kind = Kind::kAdded;
  event.object = Object("x", 5);
  small.Take(event);
  event.object = big;
  EXPECT_THAT(small.Take(event), IsEmpty());
  EXPECT_EQ(small.counts().objects, 1U);
  EXPECT_EQ(small.counts().left_out, 1U);
  EXPECT_LE(small.counts().bytes, 2000U);
}

TEST_F(ObjectCacheTest, OfEachObjectAPartIsKeptThatIsAskedFor) {
  ObjectCache small(2000, [](const Json& object) {
    return Json{{"metadata", object["metadata"]}};
  });
  kube::WatchEvent event;
  event.kind = Kind::kAdded;
  event.object = Object("x", 5);
  event.object["spec"]["text"] = std::string(3000, 'x');
  EXPECT_EQ(small.Take(event), std::vector<ObjectName>({{"a", "x"}}));
  EXPECT_FALSE(small.Find({"a", "x"})->contains("spec"));
}

TEST_F(ObjectCacheTest, BytesFollowWhatIsThere) {
  List({Object("x", 5)});
  const std::size_t one = cache_.counts().bytes;
  Tell(Kind::kModified, Object("x", 6));
  EXPECT_EQ(cache_.counts().bytes, one);
  Tell(Kind::kDeleted, Object("x", 7));
  EXPECT_EQ(cache_.counts().bytes, 0U);
}

TEST_F(ObjectCacheTest, KeepsNotWhatOnlyWritersNeed) {
  Json object = Object("x", 5);
  object["metadata"]["managedFields"] = {{{"manager", "m"}}};
  object["metadata"]["annotations"] = {{"kubectl.kubernetes.io/last-applied-configuration", "{}"},
                                       {"mine", "1"}};
  List({object});
  const Snapshot kept = cache_.Find({"a", "x"});
  EXPECT_EQ(kube::At(*kept, "/metadata/managedFields"), nullptr);
  EXPECT_EQ((*kept)["metadata"]["annotations"], Json({{"mine", "1"}}));
}

TEST_F(ObjectCacheTest, ASnapshotStaysAsItWas) {
  List({Object("x", 5)});
  const Snapshot before = cache_.Find({"a", "x"});
  Tell(Kind::kModified, Object("x", 6));
  EXPECT_EQ(kube::TextAt(*before, "/metadata/resourceVersion"), "5");
}

}  // namespace
}  // namespace twofold::controller
