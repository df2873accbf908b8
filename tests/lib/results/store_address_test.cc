#include "lib/results/store_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace twofold::results {
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
  const std::string file = File(std::string(kSecret) + "\n", 0640);
  EXPECT_EQ(NameOf(*ParseStoreAddress({.store = "sqlite:jobs.db"})), "jobs.db");
  EXPECT_EQ(NameOf(*ParseStoreAddress({.store = "postgresql://ann@db/jobs"})),
            "postgresql://db/jobs");
  for (const StoreOptions& options :
       {StoreOptions{.file = file}, StoreOptions{.store = "file:" + file}}) {
    const auto address = ParseStoreAddress(options);
    ASSERT_TRUE(address.ok()) << address.status();
    EXPECT_EQ(std::get<postgres::Target>(*address).conninfo(), kSecret);
    EXPECT_EQ(NameOf(*address), "postgresql://db/jobs");
  }
}

TEST_F(StoreAddressTest, PathAloneIsAFileOnlyWhereThatIsSaid) {
  EXPECT_EQ(NameOf(*ParseStoreAddress({.store = "a/jobs.db"}, Bare::kPath)), "a/jobs.db");
  EXPECT_EQ(NameOf(*ParseStoreAddress({.store = "sqlite:jobs.db"}, Bare::kPath)), "jobs.db");
  for (const char* other : {"jobs.db", "host=db dbname=jobs", "sqlite:", "file:", ""}) {
    const Status status = ParseStoreAddress(other, "FROM").status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << other;
    EXPECT_THAT(std::string(status.message()), HasSubstr("FROM: the address is neither"));
  }
  for (const char* other : {"mysql://db/jobs", "sqlite:", ""}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParseStoreAddress(other, "FROM", Bare::kPath).status()))
        << other;
  }
  EXPECT_TRUE(absl::IsInvalidArgument(
      ParseStoreAddress({.file = File("jobs.db", 0600)}, Bare::kPath).status()))
      << "what a file has is an address in full";
}

TEST_F(StoreAddressTest, WhoCanOnlyWriteFilesRefusesADatabase) {
  EXPECT_EQ(*ParseStoreFile("jobs.db", "--store"), "jobs.db");
  EXPECT_EQ(*ParseStoreFile("sqlite:jobs.db", "--store"), "jobs.db");
  const Status status = ParseStoreFile("file:" + File(kSecret, 0600), "--store").status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("--store: postgresql://db/jobs is a database"));
}

TEST_F(StoreAddressTest, PasswordOnTheCommandLineIsRefusedAndNotQuoted) {
  for (const Bare bare : {Bare::kRefused, Bare::kPath}) {
    const Status status = ParseStoreAddress({.store = kSecret}, bare).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status));
    EXPECT_THAT(std::string(status.message()), HasSubstr("file:PATH"));
    EXPECT_THAT(std::string(status.message()), Not(HasSubstr("geheim")));
  }
}

TEST_F(StoreAddressTest, FileThatOthersMayReadIsRefused) {
  for (const int mode : {0644, 0604, 0602}) {
    const Status status = ParseStoreAddress({.file = File(kSecret, mode)}).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << mode;
    EXPECT_THAT(std::string(status.message()), HasSubstr("others may read it"));
  }
}

TEST_F(StoreAddressTest, MissingAndEmptyFilesAndBothOptionsAreRefused) {
  const auto is_refused = [](const StoreOptions& options) {
    return absl::IsInvalidArgument(ParseStoreAddress(options).status());
  };
  EXPECT_TRUE(is_refused({.file = folder_ / "none"}));
  EXPECT_TRUE(is_refused({.file = File(" \n", 0600)}));
  EXPECT_TRUE(is_refused({.store = "sqlite:x", .file = File(kSecret, 0600)}));
}

}  // namespace
}  // namespace twofold::results
