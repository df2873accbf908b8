#include "kubernetes/controller/controller.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <thread>

#include "kubernetes/controller/leadership.h"
#include "tests/fakes/kube_api.h"
#include "tests/support/program.h"

namespace twofold::controller {
namespace {

using fakes::KubeFault;
using std::chrono::milliseconds;
using testing::Await;

/// Notes what it was asked to look at.
class Looks {
 public:
  Result<Next> Note(const ObjectName& name, const Snapshot& object) {
    const MutexLock lock(mutex_);
    ++looks_[name.name];
    seen_[name.name] = object ? (*object)["data"].value("v", "") : "gone";
    if (fail_ > 0 && fail_-- > 0) return absl::UnavailableError("made to fail");
    return Next{};
  }
  std::string Seen(const std::string& name) {
    const MutexLock lock(mutex_);
    return seen_[name];
  }
  int looks(const std::string& name) {
    const MutexLock lock(mutex_);
    return looks_[name];
  }
  void Fail(int times) {
    const MutexLock lock(mutex_);
    fail_ = times;
  }

 private:
  Mutex mutex_;
  std::map<std::string, int> looks_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, std::string> seen_ ABSL_GUARDED_BY(mutex_);
  int fail_ ABSL_GUARDED_BY(mutex_) = 0;
};

class ControllerTest : public ::testing::Test {
 protected:
  static Json Map(const std::string& name, const std::string& value) {
    return {{"metadata", {{"name", name}, {"namespace", "a"}}}, {"data", {{"v", value}}}};
  }
  static ControllerOptions Options() {
    ControllerOptions options;
    options.name = "map";
    options.selection = {kube::kConfigMaps, "a"};
    options.workers = 2;
    options.watch.first_wait = milliseconds(1);
    return options;
  }
  std::unique_ptr<Controller> Start(Controller::Related related = nullptr) {
    auto controller = std::make_unique<Controller>(
        api_.access(), Options(),
        [this](const ObjectName& name, kube::Connection&) {
          return looks_.Note(name, controller_->Find(name));
        },
        std::move(related));
    controller_ = controller.get();
    controller->Watch();
    controller->Work();
    return controller;
  }

  fakes::KubeApi api_;
  Looks looks_;
  Controller* controller_ = nullptr;
};

TEST_F(ControllerTest, LooksAtWhatIsThereAndAtWhatChanges) {
  api_.Put(kube::kConfigMaps, Map("x", "1"));
  const auto controller = Start();
  EXPECT_TRUE(Await([&] { return looks_.Seen("x") == "1"; }));
  api_.Put(kube::kConfigMaps, Map("x", "2"));
  api_.Put(kube::kConfigMaps, Map("y", "1"));
  EXPECT_TRUE(Await([&] { return looks_.Seen("x") == "2" && looks_.Seen("y") == "1"; }));
  api_.Remove(kube::kConfigMaps, {"a", "x"});
  EXPECT_TRUE(Await([&] { return looks_.Seen("x") == "gone"; }));
  EXPECT_TRUE(controller->synced());
  EXPECT_EQ(controller->All().size(), 1U);
}

TEST_F(ControllerTest, TriesAgainAfterAFailure) {
  looks_.Fail(3);
  api_.Put(kube::kConfigMaps, Map("x", "1"));
  const auto controller = Start();
  EXPECT_TRUE(Await([&] { return looks_.looks("x") == 4; }));
  EXPECT_TRUE(Await([&] { return controller->counts().succeeded == 1; }));
  EXPECT_EQ(controller->counts().failed, 3U);
  EXPECT_EQ(controller->counts().queue.retries, 3U);
}

TEST_F(ControllerTest, LooksAtOthersThatAChangeIsAbout) {
  api_.Put(kube::kConfigMaps, Map("next", "1"));
  const auto controller = Start([](const ObjectName& name) {
    if (name.name == "next") return std::vector<ObjectName>();
    return std::vector<ObjectName>{{"a", "next"}};
  });
  EXPECT_TRUE(Await([&] { return looks_.looks("next") == 1; }));
  api_.Put(kube::kConfigMaps, Map("x", "1"));
  EXPECT_TRUE(Await([&] { return looks_.looks("next") == 2; }));
}

TEST_F(ControllerTest, AServerThatForgetsTheHistoryIsListedAgain) {
  api_.Put(kube::kConfigMaps, Map("x", "1"));
  const auto controller = Start();
  EXPECT_TRUE(Await([&] { return looks_.Seen("x") == "1"; }));
  KubeFault expired{.kind = KubeFault::Kind::kExpired, .verb = "watch"};
  api_.Add(expired);
  api_.EndWatches();
  api_.Remove(kube::kConfigMaps, {"a", "x"});
  api_.Put(kube::kConfigMaps, Map("y", "1"));
  EXPECT_TRUE(Await([&] { return looks_.Seen("x") == "gone" && looks_.Seen("y") == "1"; }));
}

/// Two processes that want to lead.
class LeadershipTest : public ::testing::Test {
 protected:
  std::unique_ptr<Leadership> Join(const std::string& identity) {
    ElectionOptions options{.lease = {"a", "lease"}, .identity = identity};
    options.lease_for = std::chrono::seconds(2);  // whole seconds are written
    options.renew_within = milliseconds(1500);
    options.retry = milliseconds(20);
    return std::make_unique<Leadership>(api_.access(), options, [this, identity](bool leads) {
      const MutexLock lock(mutex_);
      told_.push_back(identity + (leads ? "+" : "-"));
    });
  }
  std::vector<std::string> told() {
    const MutexLock lock(mutex_);
    return told_;
  }

  fakes::KubeApi api_;
  Mutex mutex_;
  std::vector<std::string> told_ ABSL_GUARDED_BY(mutex_);
};

TEST_F(LeadershipTest, OneLeadsAndAtItsEndTheOtherTakesOver) {
  auto a = Join("a");
  EXPECT_TRUE(Await([&] { return a->leads(); }));
  const auto b = Join("b");
  a.reset();
  EXPECT_TRUE(Await([&] { return told().size() == 3; }));
  EXPECT_TRUE(b->leads());
  EXPECT_EQ(told(), (std::vector<std::string>{"a+", "a-", "b+"}));
}

TEST_F(LeadershipTest, WhoCannotRenewIsToldBeforeTheLeaseIsOver) {
  const auto a = Join("a");
  EXPECT_TRUE(Await([&] { return a->leads(); }));
  api_.Change(kube::kLeases, {"a", "lease"},
              [](Json& lease) { lease["spec"]["holderIdentity"] = "somebody"; });
  EXPECT_TRUE(Await([&] { return told().size() == 2; }));
  EXPECT_FALSE(a->leads());
}

TEST_F(LeadershipTest, NoTwoProcessesHaveOneIdentity) { EXPECT_NE(MakeIdentity(), MakeIdentity()); }

}  // namespace
}  // namespace twofold::controller
