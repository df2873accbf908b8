#include "lib/yaml/node.h"
#include "tests/lib/yaml/parse.h"

namespace twofold::yaml {
namespace {

std::string Merged(const std::string& base, const std::string& over) {
  return ToText(ToJson(*Merge(Parsed(base), Parsed(over))));
}

TEST(Merge, MapsMergeDeeplyAndNewKeysComeLast) {
  EXPECT_EQ(Merged("{a: {x: 1, y: 2}, b: 3}", "{c: 4, a: {y: 5, z: 6}}"),
            R"({"a":{"x":1,"y":5,"z":6},"b":3,"c":4})");
}

TEST(Merge, ListsAreJoined) {
  EXPECT_EQ(Merged("{args: [-a, -b]}", "{args: [-c]}"), R"({"args":["-a","-b","-c"]})");
}

TEST(Merge, NullKeepsWhatIsThere) {
  EXPECT_EQ(Merged("{a: 1, b: {c: 2}}", "{a: null, b: ~}"), R"({"a":1,"b":{"c":2}})");
  EXPECT_EQ(Merged("{a: 1}", "{b: null}"), R"({"a":1})");
}

TEST(Merge, AllElseIsReplaced) {
  EXPECT_EQ(Merged("{a: 1, b: [1], c: {d: 1}, e: null}", "{a: x, b: 2, c: [3], e: {f: 4}}"),
            R"({"a":"x","b":2,"c":[3],"e":{"f":4}})");
}

TEST(Merge, KnowsTheSizeOfWhatItMade) {
  const NodeRef merged = Merge(Parsed("{a: [1, 2], b: 3}"), Parsed("{a: [4], c: 5}"));
  EXPECT_EQ(merged->size, Parsed("{a: [1, 2, 4], b: 3, c: 5}")->size);
}

}  // namespace
}  // namespace twofold::yaml
