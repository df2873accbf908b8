#include <gmock/gmock.h>

#include <chrono>

#include "lib/yaml/node.h"
#include "tests/lib/yaml/parse.h"

namespace twofold::yaml {
namespace {

using testing::HasSubstr;

TEST(ParseDocument, KeepsTheOrderOfKeysAsWritten) {
  EXPECT_EQ(AsJson("zeta: 1\nalpha: 2\nmid: {y: 3, b: 4}\n"),
            R"({"zeta":1,"alpha":2,"mid":{"y":3,"b":4}})");
}

TEST(ParseDocument, KnowsThePlaceOfEveryKeyAndValue) {
  const NodeRef root = Parsed("# comment\nspec:\n  streams: 8\n  list: [a,\n    b]\n");
  const Map& spec = std::get<Map>(AsMap(*root)->at(0).value->value);
  EXPECT_EQ(spec.at(0).place, (Place{3, 3}));
  EXPECT_EQ(spec.at(0).value->place, (Place{3, 12}));
  EXPECT_EQ(AsList(*spec.at(1).value)->at(1)->place, (Place{5, 5}));
}

TEST(ParseDocument, QuotesMakeText) {
  EXPECT_EQ(AsJson("[5, '5', \"5\", !!str 5, true, 'true', null, 'null']"),
            R"([5,"5","5","5",true,"true",null,"null"])");
  EXPECT_EQ(AsJson("a: |\n  5\nb: >\n  true\n"), R"({"a":"5\n","b":"true\n"})");
}

TEST(ParseDocument, JsonIsYaml) {
  const std::string json = R"({"a":[1,2.5,true,null,"x\/yé"],"b":{"c":{}}})";
  EXPECT_EQ(AsJson(json), R"({"a":[1,2.5,true,null,"x/yé"],"b":{"c":{}}})");
  EXPECT_EQ(AsJson("{\n\t\"a\":\n\t\t[1,\n\t\t2]\n}\n"), R"({"a":[1,2]})");
}

TEST(ParseDocument, AnAliasIsWhatItStandsFor) {
  EXPECT_EQ(AsJson("a: &x {k: [1]}\nb: *x\n"), R"({"a":{"k":[1]},"b":{"k":[1]}})");
}

TEST(ParseDocument, AMergeKeyAddsWhatIsNotThere) {
  EXPECT_EQ(AsJson("base: &b {x: 1, y: 2}\nc:\n  y: 3\n  <<: *b\n"),
            R"({"base":{"x":1,"y":2},"c":{"y":3,"x":1}})");
  EXPECT_EQ(AsJson("{<<: [{a: 1}, {a: 2, b: 3}], c: 4}"), R"({"c":4,"a":1,"b":3})");
  EXPECT_EQ(ParseError("a:\n  <<: 5\n"), "2:7: <<: takes a map or a list of maps");
}

TEST(ParseDocument, RefusesWhatIsNotOneDocument) {
  EXPECT_EQ(ParseError(""), "1:1: the document is empty");
  EXPECT_EQ(ParseError("# nothing\n"), "1:1: the document is empty");
  EXPECT_EQ(ParseError("a: 1\n---\nb: 2\n"), "3:1: a second document: write one benchmark a file");
  EXPECT_EQ(AsJson("---\na: 1\n...\n"), R"({"a":1})");
  EXPECT_EQ(AsJson("---\na: 1\n---\n"), R"({"a":1})");
}

TEST(ParseDocument, RefusesAKeyThatIsThereTwice) {
  EXPECT_EQ(ParseError("a: 1\nb: 2\na: 3\n"), "3:1: a: is there twice");
}

TEST(ParseDocument, RefusesKeysThatAreNoText) {
  EXPECT_EQ(ParseError("? [a]\n: 1\n"), "1:3: a key is text, this is a list");
  EXPECT_EQ(ParseError("~: 1\n"), "1:1: a key is text, this is nothing");
  EXPECT_EQ(AsJson("1: a\ntrue: b\n"), R"({"1":"a","true":"b"})");
}

TEST(ParseDocument, RefusesTags) {
  EXPECT_EQ(ParseError("a: !!int 5"), "1:4: tag tag:yaml.org,2002:int is not supported");
  EXPECT_EQ(ParseError("a: !secret [5]"), "1:4: tag !secret is not supported");
  EXPECT_EQ(ParseError("a: !!map {}"), "1:4: tag tag:yaml.org,2002:map is not supported");
}

TEST(ParseDocument, RefusesBytesThatAreNoText) {
  EXPECT_EQ(ParseError("a: 1\nb: \xff\n"), "2:4: is no UTF-8 text");
  EXPECT_EQ(ParseError("a: \xed\xa0\x80"), "1:4: is no UTF-8 text");  // a surrogate
  EXPECT_EQ(ParseError("a: \xc0\x80"), "1:4: is no UTF-8 text");      // longer than needed
  EXPECT_EQ(ParseError("a: \xe2\x82"), "1:4: is no UTF-8 text");      // cut off
  EXPECT_EQ(ParseError(std::string("a\0b", 3)), "1:2: a zero byte");
  EXPECT_EQ(AsJson("a: \xf0\x9f\x98\x80"), "{\"a\":\"\xf0\x9f\x98\x80\"}");
}

TEST(ParseDocument, SaysWhereTheSyntaxIsWrong) {
  EXPECT_THAT(ParseError("a: [1, 2\nb: 3\n"), HasSubstr("2:2: "));
  EXPECT_THAT(ParseError("a: *nobody\n"), HasSubstr("1:4: "));
}

TEST(Document, ASyntaxErrorSaysWhatToChange) {
  const std::pair<const char*, const char*> rows[] = {
      {"a:\n\tb: 1\n", "2:1: a tab in the indent: write blanks"},
      {"a:\n  b: 1\n \tc: 1\n", "3:2: a tab in the indent: write blanks"},
      {"a:\n \u00a0b: 1\n", "2:2: a non-breaking space (U+00A0): write a blank"},
      {"a:\u00a01\n", "1:1: a non-breaking space (U+00A0): write a blank"},
      {"a:\n  b: 1\n c: 1\n", "3:2: fits nothing above: give it the indent"},
      {"a:\n  - 1\n - 2\n", "3:2: fits nothing above: give it the indent"},
      {"a: {b: 1\n", "a '{' before this is not closed"},
      {"a: [1, 2\n", "a '[' before this is not closed"},
      {"a: b: c\n", "1:5: a ':' where no key can stand: quote"},
      {"a: - b\n", "1:4: a '-' where no list can stand"},
      {"a: \"b\nc: 1\n", "1:4: the quote that begins here is not closed"},
      {"a: {b: 'c}\nd: 1\n", "1:8: the quote that begins here is not closed"},
      {"- \"b\\\"\n", "1:3: the quote that begins here is not closed"},
      {"'a: 1\n", "1:1: the quote that begins here is not closed"},
      {"a: 'b\nc: 1\nd: 'e'\n", "1:4: the text in quotes that begins here ends in line 3"},
      {"a: @b\n", "1:4: a text cannot begin with this character: quote the text"},
  };
  for (const auto& [text, error] : rows) EXPECT_THAT(ParseError(text), HasSubstr(error)) << text;
}

TEST(Document, QuotesInTextsAndCommentsAreClosedByNobody) {
  EXPECT_EQ(ParseError("a: 'it''s'\nb: \"\\\"\"\nc: it's\nd: |\n  \"x\ne: 5\" # \"y\n"),
            "no error");
}

TEST(Document, TabsAndFixedBlanksInTextStay) {
  EXPECT_EQ(ParseError("a: |\n  x\n  \ty\nb: \"\u00a0\"\n"), "no error");
}

TEST(ParseDocument, NestingIsLimited) {
  Limits limits;
  limits.depth = 3;
  EXPECT_EQ(ParseError("[[[1]]]", limits), "no error");
  EXPECT_EQ(ParseError("[[[[1]]]]", limits), "1:4: lists and maps inside each other: more than 3");
  EXPECT_THAT(ParseError(std::string(100'000, '[')), HasSubstr("more than 64"));
  EXPECT_THAT(ParseError(std::string(100'000, '{')), HasSubstr("more than 64"));
}

TEST(ParseDocument, SizeIsLimited) {
  Limits limits;
  limits.bytes = 5;
  EXPECT_EQ(ParseError("a: 12", limits), "no error");
  EXPECT_EQ(ParseError("a: 123", limits), "1:1: more than 5 bytes");
}

TEST(ParseDocument, KeysOfAMapAreLimited) {
  Limits limits;
  limits.keys = 2;
  EXPECT_EQ(ParseError("{a: 1, b: 2}", limits), "no error");
  EXPECT_EQ(ParseError("{a: 1, b: 2, c: 3}", limits), "1:14: c: a map with more than 2 keys");
  EXPECT_EQ(ParseError("{<<: [{a: 1, b: 2}, {c: 3}]}", limits), "1:1: a map with more than 2 keys");
}

TEST(ParseDocument, AnAliasCountsAsAllItStandsFor) {
  std::string laughs = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string base = "*a" + std::to_string(i - 1);
    const std::string name = "a" + std::to_string(i);
    laughs.append(name).append(": &").append(name).append(" [");
    for (int j = 0; j < 9; ++j) laughs += base + (j < 8 ? ", " : "]\n");
  }
  EXPECT_THAT(ParseError(laughs), HasSubstr("more than 200000 values, aliases written out"));
}

TEST(ParseDocument, TheSameOverAndOverGetsAnAnswerSoon) {
  for (const char* piece : {"[",     "{",      "- ",           "? ",    ": ",    "a: ",   "&a ",
                            "*a ",   "!t ",    "\"",           "'",     "|\n",   ">\n",   "\n",
                            "# ",    "[]",     "[a,",          "{a: ",  "---\n", "...\n", "%T a\n",
                            "\t",    ",",      "\\",           "a\n\n", "<<: ",  "]",     "}",
                            "- a\n", "a: b\n", "\xef\xbb\xbf", "\r"}) {
    std::string text;
    while (text.size() < 100'000) text += piece;
    const auto begin = std::chrono::steady_clock::now();
    ParseError(text);
    ParseError("a: " + text);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4)) << piece;
  }
}

TEST(ParseDocument, AnAliasOfItselfIsRefused) {
  EXPECT_EQ(ParseError("a: &x [1, *x]"), "1:11: an alias inside what it stands for");
}

}  // namespace
}  // namespace twofold::yaml
