#include <gtest/gtest.h>

#include "cli/runs/jobs.h"

namespace twofold::run {
namespace {

TEST(JobKey, IsReadBackFromItsText) {
  for (const JobKey& key :
       {JobKey{1, 1, false}, JobKey{17, 2, true}, JobKey{1ULL << 62, 9, false}}) {
    EXPECT_EQ(ParseKey("a.b-1", KeyText("a.b-1", key)), key);
  }
  EXPECT_EQ(KeyText("r", {17, 2, false}), "r/17/2");
  EXPECT_EQ(KeyText("r", {17, 2, true}), "r/17/w2");
}

TEST(JobKey, OfAnotherRunOrOfSomethingElseIsNone) {
  for (const char* text :
       {"", "r", "r/", "r/1", "r/1/", "r/1/0", "r/0/1", "r/x/1", "r/1/x", "rr/1/1", "r/1/w",
        "r/1/2/3", "r/-1/2", "r/1/ 2", "r/99999999999999999999/1"}) {
    EXPECT_EQ(ParseKey("r", text), std::nullopt) << text;
  }
}

TEST(RunId, IsFitForFilesAndKeys) {
  EXPECT_TRUE(CheckRunId("fio-quick.20261122-0_1").ok());
  EXPECT_TRUE(CheckRunId(std::string(100, 'a')).ok());
  for (const std::string& id :
       {std::string(), std::string("a/b"), std::string(".."), std::string("a b"),
        std::string(101, 'a'), std::string("\xc3\xa4")}) {
    EXPECT_FALSE(CheckRunId(id).ok()) << id;
  }
}

}  // namespace
}  // namespace twofold::run
