#include "lib/report/document/document.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/lib/report/checked.h"

namespace twofold::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Picture SomePicture() {
  Figure figure{.title = "A figure"};
  Panel panel{.title = "A panel", .x = {.label = "x"}, .y = {.label = "y"}};
  panel.series = {{Form::kLine, "values", Colour::kBlue, {{0, 1}, {1, 2}}}};
  figure.rows = {{panel}};
  return {"a-figure", figure, "What it shows, n = 2"};
}

Document WholeDocument() {
  Document document{.title = "A report",
                    .verdict = "Fail: not enough. It was 1.4, at least 1.8.",
                    .tone = Tone::kBad};
  document.sections = {
      {"Results",
       {SomePicture(), Table{"A table", {{"Name", "Value"}, {"a", "1.5 ms"}, {"b", "-"}}}}},
      {"What was run",
       {Facts{{{"Queue", "sleep"}, {"Image", ""}}}, Paragraph{"Some text."},
        Code{"To run it again", "line 1\nline 2 <&>\n"}}}};
  document.checks = {{"2 workers", Tone::kGood, "1.99"},
                     {"4 workers", Tone::kBad, "1.4"},
                     {"8 workers", Tone::kOpen, "1.8 (1.7 to 1.9)"},
                     {"16 workers", Tone::kPlain, ""}};
  document.measures = {{"p99.9 latency", "s", "How long \"it\" took", {{"queue", "a\\b\"c"}}, 0.25},
                       {"throughput", "Gbit/s", "Bits", {{"direction", "forward"}}, 9.5},
                       {"throughput", "Gbit/s", "Bits", {{"direction", "reverse"}}, 9.25},
                       {"jobs", "", "Jobs", {}, 12}};
  return document;
}

TEST(Document, IsAPageThatAsksNobodyForAnything) {
  const std::string html = ToHtml(WholeDocument());
  ExpectSoundPages({{"everything", html}});
  EXPECT_EQ(html, ToHtml(WholeDocument()));
  EXPECT_THAT(html, HasSubstr("class=\"verdict bad\"><strong>Fail: not enough.</strong>"));
  EXPECT_THAT(html, Not(HasSubstr("Image")));  // it has no value
}

TEST(Document, WithoutAnythingIsAPageToo) {
  ExpectSoundPages({{"empty", ToHtml({})}});
  EXPECT_EQ(ToOpenMetrics({}), "# EOF\n");
  EXPECT_THAT(ToJunit({}), HasSubstr("tests=\"0\""));
}

TEST(Document, TextFromOutsideStaysText) {
  const std::string nasty = "<script>alert(1)</script>\"'&\x1b[2J\x01 \xff </title>";
  Document document{.title = nasty, .verdict = nasty + ". " + nasty};
  Picture picture = SomePicture();
  picture.figure.title = picture.caption = nasty;
  picture.figure.rows[0][0].series[0].name = nasty;
  picture.figure.rows[0][0].y.names = {nasty, nasty};
  document.sections = {{nasty,
                        {Paragraph{nasty}, Facts{{{nasty, nasty}}}, Code{nasty, nasty},
                         Table{nasty, {{nasty, nasty}, {nasty, nasty}}}, picture}}};
  document.checks = {{nasty, Tone::kBad, nasty}};
  document.measures = {{nasty, nasty, nasty, {{nasty, nasty}}, 1}};
  const std::string html = ToHtml(document);
  ExpectSoundPages({{"nasty", html}});
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  for (const std::string& text :
       {html, ToJunit(document), ToOpenMetrics(document), ToWords(document, show::Form::kText),
        ToWords(document, show::Form::kMarkdown)}) {
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_THAT(text, Not(HasSubstr("\xff")));
  }
  EXPECT_THAT(ToJunit(document), Not(HasSubstr("<script")));
}

TEST(Document, InMarkdownTextFromOutsideIsNoMarkdown) {
  const std::string nasty = "<script>|`\n# x";
  Document document{.title = nasty, .verdict = nasty};
  document.sections = {{nasty,
                        {Paragraph{nasty}, Facts{{{nasty, nasty}}}, Code{nasty, "code <b>"},
                         Table{nasty, {{nasty}, {nasty}}}}}};
  const std::string shown = "\\<script>\\|\\` # x";
  EXPECT_EQ(ToWords(document, show::Form::kMarkdown),
            absl::StrCat("# ", shown, "\n\n**", shown, "**\n\n## ", shown, "\n\n", shown, "\n\n- ",
                         shown, ": ", shown, "\n\n", shown, "\n\n    code <b>\n\n", shown, "\n\n| ",
                         shown, " |\n| --- |\n| ", shown, " |\n"));
}

TEST(Document, NamesOfAMegabyteAreCut) {
  const std::string name(1 << 20, 'n');
  Document document{.title = name, .verdict = name};
  document.sections = {
      {name, {Paragraph{name}, Facts{{{name, name}}}, Code{name, name}, Table{name, {{name}}}}}};
  document.checks = {{name, Tone::kBad, name}};
  document.measures = {{name, name, name, {{name, name}}, 1}};
  EXPECT_LT(ToHtml(document).size(), 120'000U);
  EXPECT_LT(ToJunit(document).size(), 20'000U);
  EXPECT_LT(ToOpenMetrics(document).size(), 20'000U);
  EXPECT_LT(ToWords(document, show::Form::kMarkdown).size(), 120'000U);
  ExpectSoundPages({{"long", ToHtml(document)}});
}

TEST(Document, ALongTableSaysHowManyRowsThereAre) {
  Table table{"Many", {{"Number"}}};
  for (int i = 0; i < 100'000; ++i) table.rows.push_back({std::to_string(i)});
  Document document;
  document.sections = {{"Rows", {table}}};
  const std::string html = ToHtml(document);
  EXPECT_THAT(html, HasSubstr("Many: the first 200 of 100000"));
  EXPECT_LT(html.size(), 40'000U);
  EXPECT_THAT(ToWords(document, show::Form::kText), HasSubstr("Many: the first 200 of 100000"));
}

TEST(Document, ColumnsOfNumbersAreAlignedToTheRight) {
  const std::string html = ToHtml(WholeDocument());
  EXPECT_THAT(html, HasSubstr("<th scope=\"col\" class=\"number\">Value</th>"));
  EXPECT_THAT(html, HasSubstr("<th scope=\"row\">a</th><td class=\"number\">1.5 ms</td>"));
}

TEST(Document, AsWordsHasVerdictTablesAndFacts) {
  EXPECT_EQ(ToWords(WholeDocument(), show::Form::kText),
            "A report\n\nFail: not enough. It was 1.4, at least 1.8.\n\n--- Results\n\n"
            "A table\nName  Value\na     1.5 ms\nb     -\n\n--- What was run\n\nQueue: sleep\n\n"
            "Some text.\n\nTo run it again\n\n    line 1\n    line 2 <&>\n");
  EXPECT_THAT(ToWords(WholeDocument(), show::Form::kMarkdown),
              HasSubstr("**Fail: not enough. It was 1.4, at least 1.8.**\n\n## Results\n\nA "
                        "table\n\n| Name | Value |\n| --- | --- |\n| a | 1.5 ms |\n"));
}

TEST(Document, AsJsonHasVerdictChecksAndMeasures) {
  const show::Json json = ToJson(WholeDocument());
  EXPECT_EQ(json["outcome"], "fail");
  EXPECT_EQ(json["checks"].size(), 4U);
  EXPECT_EQ(json["checks"][2]["outcome"], "open");
  EXPECT_EQ(json["measures"][2]["labels"]["direction"], "reverse");
  EXPECT_EQ(json["measures"][2]["value"], 9.25);
}

TEST(Document, AsJunitFailsWhatFailedAndIsInErrorAboutWhatIsOpen) {
  EXPECT_EQ(ToJunit(WholeDocument()),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
            "<testsuite name=\"A report\" tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\">\n"
            "  <testcase classname=\"A report\" name=\"2 workers\"><system-out>1.99</system-out>"
            "</testcase>\n"
            "  <testcase classname=\"A report\" name=\"4 workers\"><failure message=\"1.4\"/>"
            "</testcase>\n"
            "  <testcase classname=\"A report\" name=\"8 workers\"><error message=\"1.8 (1.7 to "
            "1.9)\"/></testcase>\n"
            "  <testcase classname=\"A report\" name=\"16 workers\"><skipped message=\"\"/>"
            "</testcase>\n"
            "</testsuite>\n</testsuites>\n");
}

TEST(Document, AsOpenMetricsHasNamesByRuleAndAnEnd) {
  Document document = WholeDocument();
  document.measures.push_back(
      {"jobs", "", "Jobs", {{"x", "y"}}, std::numeric_limits<double>::infinity()});
  EXPECT_EQ(ToOpenMetrics(document),
            "# TYPE twofold_p99_9_latency_seconds gauge\n"
            "# UNIT twofold_p99_9_latency_seconds seconds\n"
            "# HELP twofold_p99_9_latency_seconds How long \\\"it\\\" took\n"
            "twofold_p99_9_latency_seconds{queue=\"a\\\\b\\\"c\"} 0.25\n"
            "# TYPE twofold_throughput_gbit_per_second gauge\n"
            "# UNIT twofold_throughput_gbit_per_second gbit_per_second\n"
            "# HELP twofold_throughput_gbit_per_second Bits\n"
            "twofold_throughput_gbit_per_second{direction=\"forward\"} 9.5\n"
            "twofold_throughput_gbit_per_second{direction=\"reverse\"} 9.25\n"
            "# TYPE twofold_jobs gauge\n# HELP twofold_jobs Jobs\ntwofold_jobs 12\n# EOF\n");
}

}  // namespace
}  // namespace twofold::report
