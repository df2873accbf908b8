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
using spec::Json;
using spec::Kind;
using spec::Role;

/// The least that a spec of a suite says, so that every value of every field alone goes with it.
const std::map<std::string_view, Json>& Examples() {
  static const std::map<std::string_view, Json> examples = {
      {"fio", Json::object()},
      {"iperf", Json::object()},
      {"media", {{"input", "a.mp4"}, {"device", "/dev/dri/card0"}}},
      {"mpi-pingpong", Json::object()},
      {"osu", {{"tests", {"osu_hello"}}}},
  };
  return examples;
}

std::vector<const Kind*> KindsWithSuites() {
  std::vector<const Kind*> kinds;
  for (const Kind& kind : Kinds()) {
    if (kind.has_suite) kinds.push_back(&kind);
  }
  return kinds;
}

Status Check(const Kind& kind, const std::string& field, const Json& value) {
  Json spec = Examples().at(kind.suite);
  spec[field] = value;
  return FindSuite(kind.suite)->check(spec.dump()).status();
}

TEST(BothChecks, TakeTheSameRanges) {
  const FieldType whole = spec::Whole(0);
  for (const Kind* kind : KindsWithSuites()) {
    for (const auto& field : kind->fields) {
      if (field.role != Role::kSuite || field.type.mismatch != whole.mismatch) continue;
      const std::string name(field.name);
      SCOPED_TRACE(std::string(kind->name) + "." + name);
      ASSERT_NE(field.type.most, spec::kNoLimit);
      EXPECT_TRUE(Check(*kind, name, field.type.least).ok());
      EXPECT_TRUE(Check(*kind, name, field.type.most).ok());
      EXPECT_FALSE(Check(*kind, name, field.type.least - 1).ok());
      EXPECT_FALSE(Check(*kind, name, field.type.most + 1).ok());
    }
  }
}

/// The words that a suite lists when it refuses another one.
std::set<std::string> WordsOf(const Kind& kind, const std::string& field) {
  const std::string refused(Check(kind, field, "no such word").message());
  constexpr std::string_view kBefore = "is none of ";
  const std::size_t at = refused.find(kBefore);
  if (at == std::string::npos) return {};
  const std::vector<std::string> words = absl::StrSplit(refused.substr(at + kBefore.size()), ", ");
  return {words.begin(), words.end()};
}

TEST(BothChecks, TakeTheSameWords) {
  for (const Kind* kind : KindsWithSuites()) {
    for (const auto& field : kind->fields) {
      if (field.role != Role::kSuite || field.type.words.empty()) continue;
      const std::string name(field.name);
      EXPECT_EQ(std::set<std::string>(field.type.words.begin(), field.type.words.end()),
                WordsOf(*kind, name))
          << kind->name << "." << name;
      for (const std::string_view word : field.type.words) {
        EXPECT_TRUE(Check(*kind, name, std::string(word)).ok()) << word;
      }
    }
  }
}

TEST(BothChecks, TakeTheSameUnits) {
  for (const Kind* kind : KindsWithSuites()) {
    for (const auto& field : kind->fields) {
      const std::string name(field.name);
      for (const std::string_view unit : field.type.units) {
        EXPECT_TRUE(Check(*kind, name, "12" + std::string(unit)).ok()) << name << " 12" << unit;
      }
      if (field.type.units.empty()) continue;
      for (const char* wrong : {"12x", "0k", "k", "1.5s", "12kb", "1234567890123456s", "12M\n"}) {
        EXPECT_FALSE(Check(*kind, name, wrong).ok()) << name << " " << wrong;
        const spec::Node node{std::string(wrong), {}};
        EXPECT_NE(field.type.mismatch(field.type, node), "") << name << " " << wrong;
      }
    }
  }
}

TEST(Rules, NameFieldsThatExistWhereTheySizeGangs) {
  for (const auto rows : {Suites(), SuitesToCome()}) {
    for (const Suite& row : rows) {
      const auto& rule = row.spec()->options().GetExtension(v1::spec);
      for (const std::string& field : {rule.workers_field(), rule.each_field()}) {
        EXPECT_TRUE(field.empty() || row.spec()->FindFieldByCamelcaseName(field) != nullptr)
            << row.name << " " << field;
      }
    }
  }
}

TEST(Rules, ArePartsOfTheErrorInMessagesInsideToo) {
  const auto wrong = FindSuite("media")->check(R"({"input": "a", "outputs": [{"width": 20000}]})");
  EXPECT_EQ(wrong.status().message(), "outputs.width: 20000 is not from 0 to 16384");
}

TEST(Rules, AreKeptByKindsThatNothingRunsYet) {
  for (const Suite& row : SuitesToCome()) {
    EXPECT_EQ(row.plan, nullptr) << row.name;
    EXPECT_EQ(FindSuite(row.name), nullptr) << row.name;
  }
  const auto batch = [](const char* spec) {
    for (const Suite& row : SuitesToCome()) {
      if (row.name == "pytorch") return std::string(row.check(spec).status().message());
    }
    return std::string("no such row");
  };
  EXPECT_EQ(batch(R"({"model": "alexnet", "inputBatchSize": 8})"), "");
  EXPECT_EQ(batch("{}"), "model: is missing");
  EXPECT_EQ(batch(R"({"model": "alexnet", "inputBatchSize": 7})"),
            "inputBatchSize: 7 is not 2 or a multiple of 2 more");
}

}  // namespace
}  // namespace twofold::suite
