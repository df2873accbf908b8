#include "lib/validate/record.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace twofold::validate {
namespace {

TEST(ValidationRecord, SaysNullForWhatIsNotKnownAndIsTheSameOnOneLine) {
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
