#include "frontend/streams/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "lib/rpc/limits.h"

namespace twofold::frontend {
namespace {

using ::testing::HasSubstr;

std::string Why(const Status& status) { return std::string(status.message()); }

TEST(Checks, HelloMayHaveNamesUpToTheLimit) {
  v1::Hello hello;
  hello.set_address(std::string(rpc::kMaxNameBytes, 'a'));
  for (std::size_t i = 0; i < rpc::kMaxLabels; ++i) {
    (*hello.mutable_labels())[std::to_string(i)] = std::string(rpc::kMaxNameBytes, 'v');
  }
  EXPECT_TRUE(CheckNames(hello).ok()) << CheckNames(hello);
  (*hello.mutable_labels())["one more"] = "";
  EXPECT_EQ(Why(CheckNames(hello)), "hello.labels has 65 entries; at most 64 are allowed");
}

TEST(Checks, LongNamesInHelloAreNamed) {
  const std::string is_long(rpc::kMaxNameBytes + 1, 'x');
  v1::Hello hello;
  hello.set_node(is_long);
  EXPECT_EQ(Why(CheckNames(hello)), "hello.node has 254 bytes; at most 253 are allowed");
  hello.Clear();
  hello.set_pod(is_long);
  EXPECT_THAT(Why(CheckNames(hello)), HasSubstr("hello.pod"));
  hello.Clear();
  hello.set_device(is_long);
  EXPECT_THAT(Why(CheckNames(hello)), HasSubstr("hello.device"));
  hello.Clear();
  hello.set_address(is_long);
  EXPECT_THAT(Why(CheckNames(hello)), HasSubstr("hello.address"));
  hello.Clear();
  (*hello.mutable_labels())[is_long] = "";
  EXPECT_THAT(Why(CheckNames(hello)), HasSubstr("a name in hello.labels"));
  hello.Clear();
  (*hello.mutable_labels())["a"] = is_long;
  EXPECT_THAT(Why(CheckNames(hello)), HasSubstr("a value in hello.labels"));
  (*hello.mutable_labels())["a"] = "b\nc=d";
  EXPECT_THAT(Why(CheckNames(hello)), HasSubstr("hello.labels has one of more than one line"));
}

TEST(Checks, ProgressIsAFractionAndALine) {
  v1::WorkerMessage message;
  v1::Progress& progress = *message.add_progress();
  progress.set_fraction(1);
  progress.set_line(std::string(rpc::kMaxProgressBytes, 'x'));
  EXPECT_TRUE(CheckReports(message).ok());
  for (const float bad : {-0.1F, 1.1F, std::numeric_limits<float>::quiet_NaN()}) {
    progress.set_fraction(bad);
    EXPECT_THAT(Why(CheckReports(message)), HasSubstr("progress.fraction")) << bad;
  }
  progress.set_fraction(0);
  progress.set_line(std::string(rpc::kMaxProgressBytes + 1, 'x'));
  EXPECT_EQ(Why(CheckReports(message)), "progress.line has 201 bytes; at most 200 are allowed");
}

TEST(Checks, OutputComesInPieces) {
  v1::WorkerMessage message;
  v1::Output& output = *message.add_output();
  output.set_data(std::string(rpc::kMaxOutputBytes, 'x'));
  EXPECT_TRUE(CheckReports(message).ok());
  output.set_data(std::string(rpc::kMaxOutputBytes + 1, 'x'));
  EXPECT_EQ(Why(CheckReports(message)), "output.data has 65537 bytes; at most 65536 are allowed");
}

}  // namespace
}  // namespace twofold::frontend
