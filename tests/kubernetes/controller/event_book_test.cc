#include "kubernetes/controller/event_book.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/fakes/kube_api.h"

namespace twofold::controller {
namespace {

using kube::Json;
using std::chrono::minutes;
using std::chrono::seconds;

class EventBookTest : public ::testing::Test {
 protected:
  static Json Object(const std::string& name = "x") {
    return {{"apiVersion", "twofold.dev/v1alpha1"},
            {"kind", "Benchmark"},
            {"metadata", {{"name", name}, {"namespace", "a"}, {"uid", "uid-of-" + name}}}};
  }
  /// Whether it was told, and the server took it.
  bool Tell(EventBook& book, const std::string& note, const Json& object = Object()) {
    const auto call = book.Tell(object, {false, "RunBegun", "Begin", note}, now_, wall_);
    if (!call) return false;
    const auto answer = connection_.Do(*call);
    EXPECT_TRUE(answer.ok() || absl::IsAlreadyExists(answer.status())) << answer.status();
    return true;
  }
  std::vector<Json> Events() { return api_.All(kube::kEvents); }

  fakes::KubeApi api_;
  kube::Connection connection_{api_.access()};
  Instant now_ = Instant() + minutes(1000);
  kube::UnixTime wall_{seconds(1'790'000'000)};
  EventBook book_{{.controller = "twofold.dev/operator", .instance = "pod-1"}};
};

TEST_F(EventBookTest, AnEventSaysWhatHappenedToWhom) {
  EXPECT_TRUE(Tell(book_, "run x begins"));
  ASSERT_EQ(Events().size(), 1U);
  const Json event = Events().front();
  EXPECT_EQ(event["reason"], "RunBegun");
  EXPECT_EQ(event["note"], "run x begins");
  EXPECT_EQ(event["type"], "Normal");
  EXPECT_EQ(event["regarding"]["uid"], "uid-of-x");
  EXPECT_EQ(event["reportingController"], "twofold.dev/operator");
  EXPECT_EQ(event["metadata"]["namespace"], "a");
}

TEST_F(EventBookTest, TheSameAgainIsCountedInTheEventThatIsThere) {
  Tell(book_, "same");
  now_ += minutes(5);
  Tell(book_, "same");
  now_ += minutes(5);
  Tell(book_, "same");
  Tell(book_, "other");
  ASSERT_EQ(Events().size(), 2U);
  std::set<int> counts;
  for (const Json& event : Events()) {
    counts.insert(event.contains("series") ? event["series"]["count"].get<int>() : 1);
  }
  EXPECT_EQ(counts, (std::set<int>{1, 3}));
}

TEST_F(EventBookTest, ARestartedProcessDoublesNoEvent) {
  Tell(book_, "same");
  EventBook restarted({.controller = "twofold.dev/operator", .instance = "pod-2"});
  Tell(restarted, "same");
  EXPECT_EQ(Events().size(), 1U);
}

TEST_F(EventBookTest, AnObjectWithTooMuchToTellIsSilentForAWhile) {
  for (int i = 0; i < 25; ++i) EXPECT_TRUE(Tell(book_, std::to_string(i))) << i;
  EXPECT_FALSE(Tell(book_, "25"));
  EXPECT_EQ(book_.suppressed(), 1U);
  EXPECT_TRUE(Tell(book_, "of another object", Object("y")));
  now_ += minutes(5);
  EXPECT_TRUE(Tell(book_, "26"));
  EXPECT_FALSE(Tell(book_, "27"));
}

TEST_F(EventBookTest, RemembersNoMoreThanItMay) {
  EventBook book({.controller = "c", .instance = "i", .most_known = 10});
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(book.Tell(Object(std::to_string(i)), {false, "R", "A", "n"}, now_, wall_));
  }
  // The oldest is forgotten: it is created anew, and not patched.
  EXPECT_EQ(book.Tell(Object("0"), {false, "R", "A", "n"}, now_, wall_)->method, "POST");
  EXPECT_EQ(book.Tell(Object("99"), {false, "R", "A", "n"}, now_, wall_)->method, "PATCH");
}

}  // namespace
}  // namespace twofold::controller
