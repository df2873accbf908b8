#include "frontend/queues/store_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace twofold::frontend {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kSecret = "postgresql://ann:geheim@db/jobs";

class StoreAddressTest : public ::testing::Test {
 protected:
  StoreAddressTest() {
    std::string folder = ::testing::TempDir() + "store-address-XXXXXX";
    EXPECT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
  }
  ~StoreAddressTest() override { std::filesystem::remove_all(folder_); }

  std::string File(const std::string& text, int mode) {
    const std::filesystem::path path = folder_ / "address";
    std::ofstream(path) << text;
    std::filesystem::permissions(path, static_cast<std::filesystem::perms>(mode));
    return path;
  }

  std::filesystem::path folder_;
};

TEST_F(StoreAddressTest, IsThatOfTheOptionOrOfTheFile) {
  EXPECT_EQ(*StoreAddress("", ""), "");
  EXPECT_EQ(*StoreAddress("sqlite:jobs.db", ""), "sqlite:jobs.db");
  EXPECT_EQ(*StoreAddress("postgresql://ann@db/jobs", ""), "postgresql://ann@db/jobs");
  EXPECT_EQ(*StoreAddress("", File(std::string(kSecret) + "\n", 0640)), kSecret);
}

TEST_F(StoreAddressTest, PasswordOnTheCommandLineIsRefusedAndNotQuoted) {
  const Status status = StoreAddress(kSecret, "").status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("--store-file"));
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("geheim")));
}

TEST_F(StoreAddressTest, FileThatOthersMayReadIsRefused) {
  for (const int mode : {0644, 0604, 0602}) {
    const Status status = StoreAddress("", File(kSecret, mode)).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << mode;
    EXPECT_THAT(std::string(status.message()), HasSubstr("others may read it"));
  }
}

TEST_F(StoreAddressTest, MissingAndEmptyFilesAndBothOptionsAreRefused) {
  EXPECT_TRUE(absl::IsInvalidArgument(StoreAddress("", folder_ / "none").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(StoreAddress("", File(" \n", 0600)).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(StoreAddress("sqlite:x", File(kSecret, 0600)).status()));
}

}  // namespace
}  // namespace twofold::frontend
