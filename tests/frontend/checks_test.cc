#include "frontend/streams/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace twofold::frontend {
namespace {

using ::testing::HasSubstr;

std::string Why(const Status& status) { return std::string(status.message()); }

v1::Hello GoodHello() {
  v1::Hello hello;
  hello.set_process_key(1);
  hello.set_slots(1);
  return hello;
}

TEST(Checks, HelloHasAKeyAndSlots) {
  EXPECT_TRUE(CheckHello(GoodHello()).ok());
  v1::Hello hello = GoodHello();
  hello.set_process_key(0);
  EXPECT_THAT(Why(CheckHello(hello)), HasSubstr("hello.process_key is 0"));
  for (const std::uint32_t bad : {0U, 100'001U}) {
    hello = GoodHello();
    hello.set_slots(bad);
    EXPECT_THAT(Why(CheckHello(hello)), HasSubstr("hello.slots is")) << bad;
  }
}

TEST(Checks, HeldJobsOfHelloHaveAnAttemptEach) {
  v1::Hello hello = GoodHello();
  hello.add_held_jobs(1);
  EXPECT_THAT(Why(CheckHello(hello)), HasSubstr("hello.held_attempts has 0 entries for 1"));
  hello.add_held_attempts(1);
  EXPECT_TRUE(CheckHello(hello).ok());
}

TEST(Checks, PortOfHelloIsOne) {
  v1::Hello hello = GoodHello();
  hello.set_peers_port(65'536);
  EXPECT_THAT(Why(CheckHello(hello)), HasSubstr("hello.peers_port is 65536"));
}

TEST(Checks, LabelsOfHelloHaveALineEach) {
  v1::Hello hello = GoodHello();
  (*hello.mutable_labels())["a"] = "b";
  EXPECT_TRUE(CheckHello(hello).ok());
  (*hello.mutable_labels())["a"] = "b\nc=d";
  EXPECT_THAT(Why(CheckHello(hello)), HasSubstr("hello.labels has one of more than one line"));
}

TEST(Checks, ProgressIsAFraction) {
  v1::WorkerMessage message;
  v1::Progress& progress = *message.add_progress();
  progress.set_fraction(1);
  EXPECT_TRUE(CheckProgress(message).ok());
  for (const float bad : {-0.1F, 1.1F, std::numeric_limits<float>::quiet_NaN()}) {
    progress.set_fraction(bad);
    EXPECT_THAT(Why(CheckProgress(message)), HasSubstr("progress.fraction")) << bad;
  }
}

}  // namespace
}  // namespace twofold::frontend
