#include <gtest/gtest.h>

#include <vector>

#include "lib/suite/json.h"
#include "lib/suite/measurements.h"

namespace twofold::suite {
namespace {

Measurements Example() {
  Measurements result;
  result.tool = "tool 1";
  result.measurements = {{"throughput", 1.5, "Gbit/s", Better::kHigher, true, {{"of", "a,\"b\""}}}};
  result.series = {{"sizes",
                    {{"test", "t"}},
                    {{"size", "B"}, {"latency", "us", Better::kLower}},
                    {{1, 0.5}, {2, 0.25}}}};
  result.failures = {{"stage", "reason"}};
  return result;
}

TEST(SuiteForms, AMessageHasAllNumbersAndTextThatIsPrintableAndShort) {
  Measurements numbers = Example();
  numbers.measurements[0].at = {{"size", "4\n\xff"}};
  numbers.failures[0].reason = std::string(1000, 'x');
  v1::BenchmarkResult result;
  AddTo(numbers, result);
  EXPECT_EQ(result.tool(), "tool 1");
  EXPECT_EQ(result.measurements(0).better(), v1::BETTER_HIGHER);
  EXPECT_EQ(result.measurements(0).dimensions(0).value(), "a,\"b\"");
  EXPECT_EQ(result.measurements(0).at(0).value(), "4 ?");
  EXPECT_EQ(result.series(0).columns(1).better(), v1::BETTER_LOWER);
  EXPECT_EQ(std::vector<double>(result.series(0).values().begin(), result.series(0).values().end()),
            (std::vector<double>{1, 0.5, 2, 0.25}));
  EXPECT_EQ(result.failures(0).reason().size(), 400U);
}

TEST(SuiteForms, ADocumentIsFoundAmongOtherLines) {
  const auto document = FindDocument("run", "warning: x\n{\n\"a\": {\"b\": 2}\n}\nbye\n");
  ASSERT_TRUE(document.ok()) << document.status();
  EXPECT_EQ(document->before, "warning: x\n");
  JsonNumbers numbers("run");
  EXPECT_EQ(numbers.Get(document->json, {"a", "b"}), 2);
  EXPECT_TRUE(numbers.status().ok());
  EXPECT_EQ(numbers.Get(document->json, {"a", "c"}), 0);
  EXPECT_EQ(numbers.Get(document->json, {"d"}), 0);
  EXPECT_EQ(numbers.status().message(), "run: its JSON has no number a.c");
}

TEST(SuiteForms, ADocumentThatIsCutOffIsAnError) {
  for (const char* text : {"{\"a\": 1", "{\"a\": {\"b\": 1}", "{", "}\n{", "[1]", "text"}) {
    const auto document = FindDocument("run", text);
    ASSERT_FALSE(document.ok()) << text;
    EXPECT_EQ(document.status().code(), absl::StatusCode::kDataLoss);
  }
}

}  // namespace
}  // namespace twofold::suite
