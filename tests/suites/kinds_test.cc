// A rule is written once, beside its field, and checked twice: with its place in a file, and by the
// worker. Both have to take and refuse the same.
#include <absl/strings/str_split.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "lib/spec/expansion.h"
#include "suites/table/table.h"
#include "twofold/v1/spec/rules.pb.h"

namespace twofold::suite {
namespace {

using spec::FieldType;
using spec::Kind;
using spec::Role;
using yaml::Json;

/// The least that a spec of a suite says.
const std::map<std::string_view, Json>& ExampleOfEach() {
  static const std::map<std::string_view, Json> examples = {
      {"lifecycle", {{"kind", "job"}}},
      {"media", {{"input", "a.mp4"}, {"device", "/dev/dri/card0"}}},
      {"object-storage", {{"bucket", "b"}}},
      {"osu", {{"tests", {"osu_hello"}}}},
      {"pytorch", {{"model", "alexnet"}}},
  };
  return examples;
}

/// What the suite says of a spec with this value; empty: it takes it.
std::string Said(const Kind& kind, const std::string& field, const Json& value) {
  const auto example = ExampleOfEach().find(kind.suite);
  Json spec = example == ExampleOfEach().end() ? Json::object() : example->second;
  spec[field] = value;
  return std::string(FindSuite(kind.suite)->check(spec.dump()).status().message());
}

// What goes together with other fields is each suite's own business: here it is the value alone.
bool IsOutOfRange(const Kind& kind, const std::string& field, const Json& value) {
  return Said(kind, field, value).find(" is not from ") != std::string::npos;
}

TEST(BothChecks, TakeTheSameRanges) {
  const FieldType whole = spec::Whole(0);
  for (const Kind& kind : Kinds()) {
    for (const auto& field : kind.fields) {
      if (field.role != Role::kSuite || field.type.mismatch != whole.mismatch) continue;
      const std::string name(field.name);
      SCOPED_TRACE(std::string(kind.name) + "." + name);
      EXPECT_FALSE(IsOutOfRange(kind, name, field.type.least));
      EXPECT_NE(Said(kind, name, field.type.least - 1), "");
      if (field.type.most == spec::kNoLimit) continue;
      EXPECT_FALSE(IsOutOfRange(kind, name, field.type.most));
      EXPECT_NE(Said(kind, name, field.type.most + 1), "");
    }
  }
}

/// The words that a suite lists when it refuses another one.
std::set<std::string> WordsOf(const Kind& kind, const std::string& field) {
  const std::string refused = Said(kind, field, "no such word");
  constexpr std::string_view kBefore = "is none of ";
  const std::size_t at = refused.find(kBefore);
  if (at == std::string::npos) return {};
  const std::vector<std::string> words = absl::StrSplit(refused.substr(at + kBefore.size()), ", ");
  return {words.begin(), words.end()};
}

TEST(BothChecks, TakeTheSameWords) {
  for (const Kind& kind : Kinds()) {
    for (const auto& field : kind.fields) {
      if (field.role != Role::kSuite || field.type.words.empty()) continue;
      const std::string name(field.name);
      EXPECT_EQ(std::set<std::string>(field.type.words.begin(), field.type.words.end()),
                WordsOf(kind, name))
          << kind.name << "." << name;
      for (const std::string_view word : field.type.words) {
        EXPECT_EQ(Said(kind, name, std::string(word)).find("is none of"), std::string::npos);
      }
    }
  }
}

TEST(BothChecks, TakeTheSameUnits) {
  for (const Kind& kind : Kinds()) {
    for (const auto& field : kind.fields) {
      const std::string name(field.name);
      for (const std::string_view unit : field.type.units) {
        EXPECT_EQ(Said(kind, name, "12" + std::string(unit)).find("' is no "), std::string::npos)
            << name << " 12" << unit;
      }
      if (field.type.units.empty()) continue;
      for (const char* wrong : {"12x", "0k", "k", "1.5s", "12kb", "1234567890123456s", "12M\n"}) {
        EXPECT_NE(Said(kind, name, wrong), "") << name << " " << wrong;
        const yaml::Node node{std::string(wrong), {}};
        EXPECT_NE(field.type.mismatch(field.type, node), "") << name << " " << wrong;
      }
    }
  }
}

TEST(Rules, NameFieldsThatExistWhereTheySizeGangs) {
  for (const Suite& row : Suites()) {
    const auto& rule = row.spec()->options().GetExtension(v1::spec);
    for (const std::string& field : {rule.workers_field(), rule.each_field()}) {
      EXPECT_TRUE(field.empty() || row.spec()->FindFieldByCamelcaseName(field) != nullptr)
          << row.name << " " << field;
    }
  }
}

TEST(Rules, ArePartsOfTheErrorInMessagesInsideToo) {
  const auto wrong = FindSuite("media")->check(R"({"input": "a", "outputs": [{"width": 20000}]})");
  EXPECT_EQ(wrong.status().message(), "outputs.width: 20000 is not from 0 to 16384");
}

TEST(Rules, StepsAndRequiredFieldsAreKept) {
  const auto why = [](const char* spec) {
    return std::string(FindSuite("pytorch")->check(spec).status().message());
  };
  EXPECT_EQ(why(R"({"model": "alexnet", "inputBatchSize": 8})"), "");
  EXPECT_EQ(why("{}"), "model: is missing");
  EXPECT_EQ(why(R"({"model": "alexnet", "inputBatchSize": 7})"),
            "inputBatchSize: 7 is not 2 or a multiple of 2 more");
}

}  // namespace
}  // namespace twofold::suite
