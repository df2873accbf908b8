#include "frontend/streams/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace twofold::frontend {
namespace {

using ::testing::HasSubstr;

std::string Why(const Status& status) { return std::string(status.message()); }

TEST(Checks, LabelsOfHelloHaveALineEach) {
  v1::Hello hello;
  (*hello.mutable_labels())["a"] = "b";
  EXPECT_TRUE(CheckLines(hello).ok());
  (*hello.mutable_labels())["a"] = "b\nc=d";
  EXPECT_THAT(Why(CheckLines(hello)), HasSubstr("hello.labels has one of more than one line"));
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
