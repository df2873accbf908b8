#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "lib/common/program.h"

namespace twofold {
namespace {

using ::testing::HasSubstr;

TEST(ReadyFile, HoldsPidAndAddressesAndLeavesNothingElse) {
  const auto folder =
      std::filesystem::path(::testing::TempDir()) / ("ready_file_test." + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  ASSERT_TRUE(WriteReadyFile(folder / "ready", {{"http", "[::1]:80"}}).ok());
  std::ostringstream text;
  text << std::ifstream(folder / "ready").rdbuf();
  EXPECT_EQ(text.str(), "{\"pid\": " + std::to_string(getpid()) + ", \"http\": \"[::1]:80\"}\n");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  std::filesystem::remove_all(folder);
}

TEST(ReadyFile, ErrorNamesPathAndReason) {
  const Status status = WriteReadyFile("/nonexistent/ready", {});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("/nonexistent/ready"), HasSubstr("No such file")));
}

}  // namespace
}  // namespace twofold
