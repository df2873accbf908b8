#include "kubernetes/aggregated/label_selector.h"

#include <gtest/gtest.h>

namespace twofold::aggregated {
namespace {

bool Fits(const std::string& selector, const Labels& labels) {
  const auto read = ReadLabelSelector(selector);
  EXPECT_TRUE(read.ok()) << read.status();
  return read.ok() && Matches(*read, labels);
}

TEST(LabelSelector, MatchesAsKubernetesDoes) {
  const Labels labels = {{"queue", "sleep"}, {"tier", ""}};
  for (const char* yes :
       {"", " ", "queue=sleep", "queue==sleep", " queue = sleep ", "queue!=media", "other!=x",
        "queue in (media, sleep)", "queue notin (media)", "other notin (x)", "queue", "!other",
        "! other", "tier=", "queue=sleep,tier", "queue in (sleep),!other"}) {
    EXPECT_TRUE(Fits(yes, labels)) << yes;
  }
  for (const char* no : {"queue=media", "queue!=sleep", "queue in (media)", "queue notin (sleep)",
                         "other", "!queue", "other=", "queue=sleep,other"}) {
    EXPECT_FALSE(Fits(no, labels)) << no;
  }
}

TEST(LabelSelector, RefusesWhatIsNone) {
  for (const char* wrong :
       {"=a", "queue>3", "queue<3", "queue in", "queue in (a", "queue of (a)", "queue=a b", ",",
        "queue=sleep,", "queue in (a))", "a=b=c", "!", "que ue"}) {
    EXPECT_FALSE(ReadLabelSelector(wrong).ok()) << wrong;
  }
}

}  // namespace
}  // namespace twofold::aggregated
