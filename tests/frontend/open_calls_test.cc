#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "frontend/services/claims.h"
#include "frontend/services/service.h"
#include "lib/common/address.h"
#include "lib/rpc/listen.h"
#include "tests/fakes/caller.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::frontend {
namespace {

class OpenCallsTest : public ::testing::Test {
 protected:
  /// A call that remembers what ended it.
  OpenCalls::Place Open(std::optional<Status>& ended) {
    return calls_.Open(*calls_.Enter("host"), [&ended](const Status& why) {
      EXPECT_FALSE(ended) << "it is ended once";
      ended = why;
    });
  }

  security::Gate gate_{"test", nullptr};
  OpenCalls calls_{0, gate_};
  const Status why_ = absl::UnavailableError("this frontend ends");
};

TEST_F(OpenCallsTest, EndAllEndsTheOpenOnes) {
  std::optional<Status> ended;
  const auto place = Open(ended);
  calls_.EndAll(why_);
  EXPECT_EQ(ended, why_);
}

// EndAll comes from another thread than calls do.
TEST_F(OpenCallsTest, CallThatHasEnteredBeforeTheEndIsEndedWhenItOpens) {
  auto place = calls_.Enter("host");
  calls_.EndAll(why_);
  std::optional<Status> ended;
  const auto open = calls_.Open(*std::move(place), [&ended](const Status& why) { ended = why; });
  EXPECT_EQ(ended, why_);
}

TEST_F(OpenCallsTest, CallsThatComeAfterAnEndInOrderAreEndedInOrder) {
  calls_.EndAll(absl::OkStatus());
  std::optional<Status> ended;
  const auto place = Open(ended);
  EXPECT_EQ(ended, absl::OkStatus());
}

/// With a method that answers what it is asked.
class EchoService final : public Service {
 public:
  EchoService(OpenCalls& calls, ReaderPool& readers) : Service("test.Echo", calls, readers) {
    Local<v1::Job, v1::Job>("Unary", {.read = [](const v1::Job& job) { return job; }});
  }
};

TEST_F(OpenCallsTest, CallerThatComesAfterTheEndIsToldWhy) {
  ReaderPool readers;
  EchoService service(calls_, readers);
  auto server = rpc::Listen("127.0.0.1:0", {&service});
  ASSERT_TRUE(server.ok()) << server.status();
  calls_.EndAll(why_);
  twofold::testing::Caller caller(ToString((*server)->address()));
  EXPECT_EQ(caller.CallWithBytes("/test.Echo/Unary", "").status(), why_);
  calls_.AwaitNone(std::chrono::seconds(30));
}

}  // namespace
}  // namespace twofold::frontend
