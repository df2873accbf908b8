#include "kubernetes/operator/crd.h"

#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <regex>
#include <set>

#include "kubernetes/operator/measurement_crds.h"
#include "kubernetes/operator/perftest_crds.h"
#include "kubernetes/operator/structural.h"
#include "lib/spec/schema.h"
#include "suites/table/table.h"
#include "tests/kubernetes/operator/manifest.h"

namespace twofold::benchmarks {
namespace {

Schema Root() { return BenchmarkDefinition()["spec"]["versions"][0]["schema"]["openAPIV3Schema"]; }
Schema SpecOf() { return Root()["properties"]["spec"]; }
Schema TemplateFields() {
  return SpecOf()["properties"]["template"]["properties"]["spec"]["properties"];
}

/// Each schema in `schema`, itself first.
void ForEachSchema(const Schema& schema, const std::string& path,
                   const std::function<void(const std::string&, const Schema&)>& visit) {
  visit(path, schema);
  if (schema.contains("items")) ForEachSchema(schema["items"], path + "[]", visit);
  if (!schema.contains("properties")) return;
  for (const auto& [name, each] : schema["properties"].items()) {
    ForEachSchema(each, absl::StrCat(path, ".", name), visit);
  }
}

TEST(BenchmarkCrd, IsStructural) {
  const std::set<std::string> known = {
      "type",        "properties", "items",     "required",
      "description", "enum",       "pattern",   "minimum",
      "maximum",     "minLength",  "maxLength", "minItems",
      "multipleOf",  "format",     "anyOf",     "additionalProperties"};
  int schemas = 0;
  ForEachSchema(Root(), "", [&](const std::string& path, const Schema& schema) {
    ++schemas;
    const bool any = schema.contains("x-kubernetes-preserve-unknown-fields");
    const bool either = schema.contains("x-kubernetes-int-or-string");
    EXPECT_TRUE(any || either || schema.contains("type")) << path;
    EXPECT_EQ(either, schema.contains("anyOf")) << path << ": only that may have alternatives";
    for (const auto& [key, value] : schema.items()) {
      EXPECT_TRUE(known.contains(key) || key.starts_with("x-kubernetes-")) << path << ": " << key;
    }
    EXPECT_EQ(schema.value("type", "") == "array", schema.contains("items")) << path;
    EXPECT_FALSE(schema.contains("properties") && schema.contains("additionalProperties")) << path;
    if (schema.contains("enum")) {
      for (const Schema& word : schema["enum"]) EXPECT_TRUE(word.is_string()) << path;
    }
    // RE2 looks nowhere ahead.
    EXPECT_EQ(schema.value("pattern", "").find("(?"), std::string::npos) << path;
  });
  EXPECT_GT(schemas, 500);
}

TEST(BenchmarkCrd, HasEachFieldOfEachKindAndOfSets) {
  const Schema fields = TemplateFields();
  for (const spec::Kind& kind : suite::Kinds()) {
    for (const spec::Field& field : kind.fields) {
      EXPECT_TRUE(fields.contains(std::string(field.name))) << kind.name << "." << field.name;
    }
  }
  const Schema spec = SpecOf()["properties"];
  for (const spec::Field& field : spec::SetFields()) {
    EXPECT_TRUE(spec.contains(std::string(field.name))) << field.name;
  }
  EXPECT_EQ(spec["template"]["properties"]["kind"]["enum"].size(), suite::Kinds().size());
}

TEST(BenchmarkCrd, PermutationsHaveTheFieldsOfTemplates) {
  const Schema permutations = SpecOf()["properties"]["permutations"]["properties"];
  EXPECT_EQ(permutations["product"]["properties"].size(), TemplateFields().size());
  EXPECT_EQ(permutations["product"]["properties"]["bs"]["type"], "array");
  EXPECT_EQ(permutations["explicit"]["items"]["properties"].size(), TemplateFields().size());
}

TEST(BenchmarkCrd, HasNoFloatsAndNoDefaults) {
  ForEachSchema(Root(), "", [](const std::string& path, const Schema& schema) {
    EXPECT_NE(schema.value("type", ""), "number") << path;
    EXPECT_FALSE(schema.contains("default")) << path;
  });
}

TEST(BenchmarkCrd, IsImmutableButForWhatMayChange) {
  std::string rules;
  const Schema spec = SpecOf();
  for (const Schema& rule : spec["x-kubernetes-validations"]) {
    absl::StrAppend(&rules, rule["rule"].get<std::string>(), "\n");
  }
  const std::set<std::string> changeable = {
      "suspend",  "activeDeadlineSeconds",  "ttlSecondsAfterFinished", "schedule",
      "timeZone", "startingDeadlineSeconds"};
  for (const auto& [name, schema] : spec["properties"].items()) {
    EXPECT_EQ(rules.find(absl::StrCat("self.", name, " == oldSelf.", name)) == std::string::npos,
              changeable.contains(name))
        << name;
  }
  EXPECT_NE(rules.find("has(self.schedule) == has(oldSelf.schedule)\n"), std::string::npos);
}

TEST(BenchmarkCrd, IsTheOneInTheManifests) {
  ExpectManifest("crds/benchmarks.yaml", "twofold.dev", {BenchmarkDefinition()});
}

TEST(MeasurementCrds, AreThoseInTheManifests) {
  ExpectManifest("crds/measurements.yaml", "twofold.dev", MeasurementDefinitions());
}

TEST(PerftestCrds, AreThoseInTheManifests) {
  ExpectManifest("perftest-crds/perftest.yaml", kPerftestGroup, PerftestDefinitions());
}

TEST(PerftestCrds, OfEachKindARunTakesEachField) {
  int kinds = 0;
  for (const yaml::Json& definition : PerftestDefinitions()) {
    const std::string name = definition["spec"]["names"]["kind"];
    if (name == spec::kBenchmarkSet) continue;
    const auto kind = std::find_if(suite::Kinds().begin(), suite::Kinds().end(),
                                   [&](const spec::Kind& each) { return each.name == name; });
    ASSERT_NE(kind, suite::Kinds().end()) << name;
    const Schema root = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    for (const auto& [field, schema] : root["properties"]["spec"]["properties"].items()) {
      EXPECT_NE(spec::Find(kind->fields, field), nullptr) << name << "." << field;
    }
    ++kinds;
  }
  EXPECT_EQ(kinds, 7);
}

TEST(PerftestCrds, AFieldIsReadAsItIsWritten) {
  const auto field = [](const char* text) { return PerftestField(text).value_or(Schema()); };
  EXPECT_EQ(
      field("int > 0 = 22"),
      Schema::parse(R"({"type":"integer","minimum":0,"exclusiveMinimum":true,"default":22})"));
  EXPECT_EQ(field("int >= 2 by 2"),
            Schema::parse(R"({"type":"integer","minimum":2,"multipleOf":2})"));
  EXPECT_EQ(field("int 0..100 = 50"),
            Schema::parse(R"({"type":"integer","minimum":0,"maximum":100,"default":50})"));
  EXPECT_EQ(field("int in 1 0 = 1"),
            Schema::parse(R"({"type":"integer","enum":[1,0],"default":1})"));
  EXPECT_EQ(field("text in a b,c = a"),
            Schema::parse(R"({"type":"string","enum":["a","b,c"],"default":"a"})"));
  EXPECT_EQ(field("text like \\d+(K|M)? = 4M"),
            Schema::parse(R"({"type":"string","pattern":"\\d+(K|M)?","default":"4M"})"));
  EXPECT_EQ(field("bool = false"), Schema::parse(R"({"type":"boolean","default":false})"));
  for (const char* text : {"", "word", "int around 5", "int 5..", "text not full"}) {
    EXPECT_FALSE(PerftestField(text).ok()) << text;
  }
}

TEST(BenchmarkCrd, HasEachOfItsFieldsAndReasonsInTheDocumentation) {
  std::ifstream file(TWOFOLD_SOURCE "/docs/operator.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const char* part : {"spec", "status"}) {
    const Schema fields = Root()["properties"][part]["properties"];
    for (const auto& [name, schema] : fields.items()) {
      EXPECT_NE(page.find(absl::StrCat("`", name, "`")), std::string::npos) << part << "." << name;
    }
  }
  std::ifstream source(TWOFOLD_SOURCE "/kubernetes/operator/reconciler.cc");
  const std::string text{std::istreambuf_iterator<char>(source), {}};
  const std::regex word("\"([A-Z][a-z]+([A-Z][a-z]+)*)\"");
  int words = 0;
  for (std::sregex_iterator each(text.begin(), text.end(), word), end; each != end; ++each) {
    const std::string reason = (*each)[1];
    const std::set<std::string> others = {"Run", "Cancel", "Schedule", "RunNotCancelled", "False"};
    if (others.contains(reason)) continue;
    EXPECT_NE(page.find(absl::StrCat("`", reason, "`")), std::string::npos) << reason;
    ++words;
  }
  EXPECT_GT(words, 20);
}

// ---- from draft 7

TEST(Structural, TakesWhatTheDraftTakes) {
  const auto of = [](spec::FieldType type) {
    const spec::Field field{"f", std::move(type), "", "", ""};
    return Undescribed(Structural(spec::SchemaOf(std::span(&field, 1))["properties"]["f"]));
  };
  EXPECT_EQ(of(spec::Whole(1, 9)),
            Schema::parse(R"({"type":"integer","format":"int64","minimum":1,"maximum":9})"));
  EXPECT_EQ(of(spec::Flag()), Schema::parse(R"({"type":"boolean"})"));
  EXPECT_EQ(of(spec::OneOf({"a", "b"})), Schema::parse(R"({"type":"string","enum":["a","b"]})"));
  EXPECT_EQ(of(spec::Text()), Schema::parse(R"({"type":"string","minLength":1})"));
  EXPECT_EQ(of(spec::Texts()),
            Schema::parse(R"({"type":"array","items":{"type":"string","minLength":1}})"));
  EXPECT_EQ(of(spec::AnyMap()), AnyObject());
  EXPECT_EQ(of(spec::Number(0))["pattern"], "^[0-9]+(\\.[0-9]+)?$");
  EXPECT_EQ(of(spec::Time())["minLength"], 1);
  EXPECT_TRUE(of(spec::Quantity("size", {"", "k"})).contains("x-kubernetes-int-or-string"));
  EXPECT_EQ(of(spec::Quantity("size", {"k"}))["type"], "string");
}

TEST(Structural, SaysTheDefaultInTheDescription) {
  const spec::Field field{"f", spec::Whole(0), "7", "s", "so long"};
  const Schema schema = Structural(spec::SchemaOf(std::span(&field, 1))["properties"]["f"]);
  EXPECT_EQ(schema["description"], "so long [s]; default 7");
}

TEST(Structural, EitherTakesWhatEitherTakes) {
  const auto parse = [](const char* text) { return Schema::parse(text); };
  EXPECT_EQ(Either(parse(R"({"type":"integer","minimum":1,"maximum":5})"),
                   parse(R"({"type":"integer","minimum":0})")),
            parse(R"({"type":"integer","minimum":0})"));
  EXPECT_EQ(Either(parse(R"({"type":"string","enum":["a","b"]})"),
                   parse(R"({"type":"string","enum":["b","c"]})")),
            parse(R"({"type":"string","enum":["a","b","c"]})"));
  EXPECT_EQ(Either(parse(R"({"type":"string","enum":["a"]})"),
                   parse(R"({"type":"string","minLength":1})")),
            parse(R"({"type":"string"})"));
  EXPECT_TRUE(Either(parse(R"({"type":"string"})"), parse(R"({"type":"integer"})"))
                  .contains("x-kubernetes-int-or-string"));
  EXPECT_TRUE(Either(parse(R"({"type":"object","properties":{}})"), parse(R"({"type":"integer"})"))
                  .contains("x-kubernetes-preserve-unknown-fields"));
}

}  // namespace
}  // namespace twofold::benchmarks
