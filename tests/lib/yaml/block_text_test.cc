#include "lib/yaml/block_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace twofold::yaml {
namespace {

using ::testing::HasSubstr;

TEST(BlockText, IsReadAsTheSame) {
  const Json json = Json::parse(
      R"({"a":"yes","b":"on","c":["x: y","# z","0x1",{"d":1,"e":[]},[1,2]],"f":{},"g":null,)"
      R"("h":"~","i":"","j":{"k":true,"l":"1_000","m":"- n"},"$ref":"a b"})");
  const auto read = ParseDocument(BlockText(json));
  ASSERT_TRUE(read.ok()) << read.status() << "\n" << BlockText(json);
  Json expected = json;
  expected.erase("g");  // null is not given
  EXPECT_EQ(ToJson(**read), expected) << BlockText(json);
  EXPECT_THAT(BlockText(json), HasSubstr("a: \"yes\"\n"));
}

}  // namespace
}  // namespace twofold::yaml
