#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lib/report/figure.h"
#include "lib/show/table.h"

/// A report as plain data, whatever it is about. Who makes one says what is so; how it looks as a
/// page, as text, for CI and for a monitoring system is decided in this room alone. Pure: the same
/// document makes the same bytes in each form.
///
/// All text may be from outside: every form escapes it, replaces control characters by blanks and
/// bytes that are not UTF-8 by `?`, and cuts what is too long.
namespace twofold::report {

enum class Tone : std::uint8_t { kPlain, kGood, kBad, kOpen };  ///< kOpen: not decided

struct Paragraph {
  std::string text = {};
};

/// Terms with what they are: "Frontend", "localhost:9997". Those without a value are left out.
struct Facts {
  std::vector<std::pair<std::string, std::string>> rows = {};
};

/// The first row is the heading. Of more than kMostRows others the rest is counted, not shown.
struct Table {
  std::string caption = {};
  show::Rows rows = {};
};
inline constexpr std::size_t kMostRows = 200;

/// Text as it is, line by line: a definition, a command. At most kLongestCode bytes are shown.
struct Code {
  std::string title = {};
  std::string text = {};
};
inline constexpr std::size_t kLongestCode = 64 << 10;

struct Picture {
  std::string name = {};  ///< of its file, without a suffix: lower case and dashes
  Figure figure = {};
  std::string caption = {};  ///< what it shows, of how many, and how that was computed
};

using Block = std::variant<Paragraph, Facts, Table, Code, Picture>;

struct Section {
  std::string title = {};
  std::vector<Block> blocks = {};
};

/// What must be so, and whether it is: a test case for CI.
struct Check {
  std::string name = {};
  Tone tone = Tone::kPlain;  ///< kPlain: there is nothing to judge, it counts as skipped
  std::string message = {};  ///< why not, or what was found
};

/// A number for a monitoring system.
struct Measure {
  std::string name = {};  ///< "throughput"
  std::string unit = {};  ///< "s", "/s", "Gbit/s"; empty: none
  std::string help = {};
  std::vector<std::pair<std::string, std::string>> labels = {};
  double value = 0.0;
};

struct Document {
  std::string title = {};
  std::string verdict = {};  ///< a sentence, or some
  Tone tone = Tone::kPlain;
  std::vector<Section> sections = {};
  std::vector<Check> checks = {};
  std::vector<Measure> measures = {};
};

/// All pictures, in their order.
std::vector<const Picture*> PicturesOf(const Document& document);

/// One HTML file that asks nobody for anything: no script, figures as SVG inside, a policy that
/// forbids all requests. It has landmarks, headings, captions and a skip link, light and dark
/// colours, fits a phone and A4 paper.
///
/// Cost    That of the figures.
std::string ToHtml(const Document& document);

/// The verdict, paragraphs, facts and tables; of figures the captions are left out as well.
/// `form`: kText or kMarkdown.
std::string ToWords(const Document& document, show::Form form);

/// For scripts: {"title", "verdict", "outcome", "checks": [{"name", "outcome", "message"}],
/// "measures": [{"name", "unit", "labels", "value"}]}. An outcome is pass, fail, open, or none.
show::Json ToJson(const Document& document);

/// Checks as JUnit's XML: kBad fails, kOpen is an error, as it is not known whether it would fail.
std::string ToJunit(const Document& document);

/// Measures as OpenMetrics text. The name is "twofold_", the words of name and unit in lower case
/// with "_" between them; "s" becomes "seconds", "/s" "per_second", "%" "percent". Values that are
/// not finite are left out.
/// Source  OpenMetrics 1.0.0, text format.
std::string ToOpenMetrics(const Document& document);

}  // namespace twofold::report
