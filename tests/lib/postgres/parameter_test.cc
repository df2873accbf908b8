#include "lib/postgres/parameter.h"

#include <gtest/gtest.h>

namespace twofold::postgres {
namespace {

TEST(Parameter, NumbersHaveTheirHighestByteFirst) {
  EXPECT_EQ(Parameter::Of(Type::kInteger, std::int64_t{0x0102030405060708}).bytes,
            "\1\2\3\4\5\6\7\10");
  EXPECT_EQ(Parameter::Of(Type::kReal, 1.0).bytes, std::string("\x3f\xf0\0\0\0\0\0\0", 8));
  EXPECT_EQ(Parameter::Of(Type::kBoolean, true).bytes, "\1");
}

TEST(Array, ElementsHaveTheirSizesAndNullsHaveNone) {
  Array array(Type::kText);
  array.Add(std::string_view("ab"));
  array.AddNull();
  const Parameter taken = array.Take();
  EXPECT_EQ(taken.type, 1009u);
  EXPECT_EQ(taken.bytes, std::string("\0\0\0\1\0\0\0\1\0\0\0\x19\0\0\0\2\0\0\0\1"
                                     "\0\0\0\2ab\xff\xff\xff\xff",
                                     30));
}

TEST(Array, TakingLeavesNothing) {
  Array array(Type::kBoolean);
  array.AddNull();
  array.Take();
  EXPECT_EQ(array.size(), 0u);
  array.Add(true);
  EXPECT_EQ(array.Take().bytes.substr(4, 4), std::string("\0\0\0\0", 4));  // no nulls
}

}  // namespace
}  // namespace twofold::postgres
