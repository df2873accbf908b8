// What lib/spec says of a kind by hand, next to what its suite says of itself.
#include <absl/strings/str_split.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "lib/spec/expansion.h"
#include "suites/fio/spec.pb.h"
#include "suites/iperf/spec.pb.h"
#include "suites/media/spec.pb.h"
#include "suites/mpi_pingpong/spec.pb.h"
#include "suites/osu/spec.pb.h"
#include "suites/table/table.h"

namespace twofold::suite {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using spec::Field;
using spec::FieldType;
using spec::Json;
using spec::Kind;
using spec::Role;

/// The message of a suite's spec, and one that goes with every value of every field alone.
struct Example {
  const Descriptor* message;
  Json spec;
};

const std::map<std::string_view, Example>& Examples() {
  static const std::map<std::string_view, Example> examples = {
      {"fio", {v1::suites::FioSpec::descriptor(), Json::object()}},
      {"iperf", {v1::suites::IperfSpec::descriptor(), Json::object()}},
      {"media",
       {v1::suites::MediaSpec::descriptor(), {{"input", "a.mp4"}, {"device", "/dev/dri/card0"}}}},
      {"mpi-pingpong", {v1::suites::MpiPingPongSpec::descriptor(), Json::object()}},
      {"osu", {v1::suites::OsuSpec::descriptor(), {{"tests", {"osu_hello"}}}}},
  };
  return examples;
}

std::vector<const Kind*> KindsWithSuites() {
  std::vector<const Kind*> kinds;
  for (const Kind& kind : spec::Kinds()) {
    if (kind.has_suite) kinds.push_back(&kind);
  }
  return kinds;
}

/// The default of a field as a kind writes it; empty for none.
std::string DefaultOf(const FieldDescriptor& field) {
  if (field.is_repeated() || !field.has_default_value()) return "";
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32:
      return std::to_string(field.default_value_uint32());
    case FieldDescriptor::CPPTYPE_BOOL:
      return field.default_value_bool() ? "true" : "false";
    case FieldDescriptor::CPPTYPE_STRING:
      return field.default_value_string();
    default:
      return "of an unexpected type";
  }
}

Status Check(const Kind& kind, const std::string& field, const Json& value) {
  Json spec = Examples().at(kind.suite).spec;
  spec[field] = value;
  return FindSuite(kind.suite)->check(spec.dump()).status();
}

TEST(KindsWithSuites, AreTheTableOfSuites) {
  std::map<std::string_view, std::string_view> kinds;
  std::map<std::string_view, std::string_view> suites;
  for (const Kind* kind : KindsWithSuites()) kinds[kind->suite] = kind->name;
  for (const Suite& suite : Suites()) suites[suite.name] = suite.kind;
  EXPECT_EQ(kinds, suites);
}

TEST(KindsWithSuites, HaveTheFieldsOfTheSpecAndItsDefaults) {
  for (const Kind* kind : KindsWithSuites()) {
    const Descriptor& message = *Examples().at(kind->suite).message;
    for (int i = 0; i < message.field_count(); ++i) {
      const FieldDescriptor& theirs = *message.field(i);
      const Field* ours = spec::Find(kind->fields, theirs.json_name());
      ASSERT_NE(ours, nullptr) << kind->name << "." << theirs.json_name();
      EXPECT_EQ(ours->initial, DefaultOf(theirs)) << kind->name << "." << ours->name;
    }
  }
}

TEST(KindsWithSuites, PassOnNothingThatTheSpecDoesNotHave) {
  for (const Kind* kind : KindsWithSuites()) {
    const Descriptor& message = *Examples().at(kind->suite).message;
    for (const Field& field : kind->fields) {
      if (field.role != Role::kSuite) continue;
      bool found = false;
      for (int i = 0; i < message.field_count(); ++i) {
        found = found || message.field(i)->json_name() == field.name;
      }
      EXPECT_TRUE(found) << kind->name << "." << field.name;
    }
  }
}

TEST(KindsWithSuites, HaveTheRangesOfTheSuite) {
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

TEST(KindsWithSuites, HaveTheWordsOfTheSuite) {
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

TEST(KindsWithSuites, HaveTheUnitsOfTheSuite) {
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

std::string TextOf(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(KindsWithSuites, TakeAllExamplesWithGangsOfTheSameSize) {
  int checked = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(EXAMPLES_FOLDER)) {
    if (entry.path().extension() != ".yaml") continue;
    const auto sweep = spec::ReadSweep(entry.path(), TextOf(entry.path()));
    ASSERT_TRUE(sweep.ok()) << sweep.status();
    const Suite* suite = FindSuite(sweep->kind->suite);
    if (suite == nullptr) continue;
    const auto expansion = spec::Expand(*sweep);
    ASSERT_TRUE(expansion.ok()) << expansion.status();
    for (const spec::Permutation& permutation : expansion->permutations) {
      const auto members = suite->check(permutation.spec);
      ASSERT_TRUE(members.ok()) << entry.path() << ": " << members.status();
      EXPECT_EQ(permutation.gang, *members) << entry.path() << ": " << permutation.spec;
      ++checked;
    }
  }
  EXPECT_GT(checked, 100);
}

}  // namespace
}  // namespace twofold::suite
