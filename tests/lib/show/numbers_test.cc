#include "lib/show/numbers.h"

#include <gtest/gtest.h>

namespace twofold::show {
namespace {

void AddDimension(const std::string& name, const std::string& value,
                  google::protobuf::RepeatedPtrField<v1::Dimension>& to) {
  v1::Dimension& dimension = *to.Add();
  dimension.set_name(name);
  dimension.set_value(value);
}

v1::BenchmarkResult Example() {
  v1::BenchmarkResult result;
  result.set_suite("suite");
  result.set_tool("tool 1");
  v1::Measurement& one = *result.add_measurements();
  one.set_name("throughput");
  one.set_value(1.5);
  one.set_unit("Gbit/s");
  one.set_better(v1::BETTER_HIGHER);
  one.set_headline(true);
  AddDimension("of", "a,\"b\"", *one.mutable_dimensions());
  v1::Series& series = *result.add_series();
  series.set_name("sizes");
  AddDimension("test", "t", *series.mutable_dimensions());
  series.add_columns()->set_name("size");
  series.mutable_columns(0)->set_unit("B");
  series.add_columns()->set_name("latency");
  series.mutable_columns(1)->set_unit("us");
  series.mutable_columns(1)->set_better(v1::BETTER_LOWER);
  for (const double value : {1.0, 0.5, 2.0, 0.25}) series.add_values(value);
  result.add_failures()->set_stage("stage");
  result.mutable_failures(0)->set_reason("reason");
  return result;
}

TEST(Numbers, JsonHasAll) {
  EXPECT_EQ(NumbersOf(Example()).dump(),
            R"({"tool":"tool 1","measurements":[{"name":"throughput","value":1.5,"unit":"Gbit/s",)"
            R"("better":"higher","headline":true,"dimensions":{"of":"a,\"b\""}}],"series":[{)"
            R"("name":"sizes","dimensions":{"test":"t"},"columns":[{"name":"size","unit":"B",)"
            R"("better":"none"},{"name":"latency","unit":"us","better":"lower"}],)"
            R"("rows":[[1.0,0.5],[2.0,0.25]]}],"failures":[{"stage":"stage","reason":"reason"}]})");
}

TEST(Numbers, CsvHasALineANumber) {
  EXPECT_EQ(CsvHeading(NumberColumns()), "source,name,value,unit,better,headline,dimensions,at\n");
  EXPECT_EQ(CsvLines(NumberColumns(), NumberRows("a b", NumbersOf(Example()))),
            "a b,throughput,1.5,Gbit/s,higher,1,\"of=a,\"\"b\"\"\",\n"
            "a b,latency,0.5,us,lower,0,test=t size=1,\n"
            "a b,latency,0.25,us,lower,0,test=t size=2,\n");
}

}  // namespace
}  // namespace twofold::show
