#include "lib/validate/record.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace twofold::validate {
namespace {

std::string TextIn(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ValidationFile, AppearsWholeAndReplacesNoDevice) {
  const std::string folder = ::testing::TempDir() + "validation-" + std::to_string(getpid());
  std::filesystem::create_directory(folder);
  ASSERT_TRUE(WriteWhole(folder + "/result.json", "one").ok());
  ASSERT_TRUE(WriteWhole(folder + "/result.json", "two").ok());
  EXPECT_EQ(TextIn(folder + "/result.json"), "two");
  EXPECT_FALSE(std::filesystem::exists(folder + "/result.json.new"));
  std::filesystem::create_symlink("/dev/null", folder + "/null");
  EXPECT_TRUE(WriteWhole(folder + "/null", "three").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(folder + "/null"));
  EXPECT_FALSE(WriteWhole(folder + "/no/such/file", "four").ok());
  std::filesystem::remove_all(folder);
}

TEST(ValidationFile, SaysNullForWhatIsNotKnownAndIsTheSameOnOneLine) {
  v1::ValidationRecord record;
  record.set_deployment("d");
  record.add_steps()->set_failed_jobs(5'000'000'000);
  record.add_steps()->set_ratio(2);
  record.add_argv("a \"b\"");
  const auto json = nlohmann::json::parse(TextOf(record));
  EXPECT_EQ(json["spread"], nullptr);
  EXPECT_EQ(json["steps"][0]["ratio"], nullptr);
  EXPECT_EQ(json["steps"][0]["failed_jobs"], 5'000'000'000);
  EXPECT_EQ(json["steps"][1]["ratio"], 2.0);
  EXPECT_EQ(json["windows"], nlohmann::json::array());
  EXPECT_EQ(json["argv"][0], "a \"b\"");
  EXPECT_EQ(nlohmann::json::parse(LineOf(record)), json);
  EXPECT_TRUE(LineOf(record).starts_with("{\"deployment\""));
}

}  // namespace
}  // namespace twofold::validate
