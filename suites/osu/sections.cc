
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_replace.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "lib/suite/document.h"
#include "lib/suite/text.h"
#include "suites/osu/osu.h"

namespace twofold::suite::osu {
namespace {

// The marks that metrics-operator prints between commands.
constexpr std::string_view kStart = "METRICS OPERATOR COLLECTION START";
constexpr std::string_view kNext = "METRICS OPERATOR TIMEPOINT";
constexpr std::string_view kEnd = "METRICS OPERATOR COLLECTION END";

// Of `time` in bash: "real\t0m48.187s".
std::optional<double> WallSeconds(std::string_view line) {
  auto text = After(line, "real");
  if (!text) return std::nullopt;
  std::string_view rest = Strip(*text);
  const auto minutes = TakeNumber(rest);
  if (!minutes || !rest.starts_with('m') || !rest.ends_with('s')) return std::nullopt;
  const auto seconds = ToNumber(rest.substr(1, rest.size() - 2));
  if (!seconds) return std::nullopt;
  return *minutes * 60 + *seconds;
}

// Its other two lines, which nobody asks for.
bool IsOtherTime(std::string_view line) {
  return line.starts_with("user\t") || line.starts_with("sys\t");
}

// The program of a command line: the word whose last part is the name of a test.
std::string TestOf(std::string_view command) {
  for (const std::string_view word : Words(command)) {
    const std::string_view name = word.substr(word.rfind('/') + 1);
    if (name.starts_with("osu_")) return std::string(name);
  }
  return {};
}

// What tells tests apart that have no title, or share one: another line, by its beginning.
struct Mark {
  std::string_view title;  // without what TakeAccelerator takes; empty: none
  std::string_view line;
  std::string_view test;
};
constexpr std::string_view kGraph = "Dimensions size = ";              // comes before the title
constexpr std::string_view kThreads = "# Number of Sender threads: ";  // the same
constexpr std::string_view kProcesses = "# Number of forked processes in sender: ";
constexpr std::string_view kLayout = "# Set Derived DataTypes ";
constexpr std::string_view kBeforeTitle[] = {kGraph, kThreads, kProcesses, kLayout};
constexpr Mark kMarks[] = {
    {"", "nprocs:", "osu_init"},
    {"", "This is a test with ", "osu_hello"},
    {"MPI All-to-Allw Personalized Exchange Latency Test", kGraph, "osu_neighbor_alltoallw"},
    // Both fan tests head their bandwidths as latencies, and nothing tells one from the other.
    {"MPI Bandwidth Test", "# Size       Avg Latency(us)", "osu_bw_fan"},
};

// Takes "-CUDA" out of "MPI_Put-CUDA Latency Test", and returns "CUDA"; empty if it is about the
// memory of the host.
std::string TakeAccelerator(std::string& title) {
  for (const std::string_view word :
       {"CUDA MANAGED", "MANAGED", "CUDA", "OPENACC", "ROCM", "SYCL"}) {
    const std::size_t at = title.find(absl::StrCat("-", std::string(word), " "));
    if (at == std::string::npos) continue;
    title.erase(at, word.size() + 1);
    return std::string(word);
  }
  return {};
}

// Collective tests have persistent variants, which the upstream build leaves out.
std::string TestOfTitle(const std::string& title) {
  if (const Test* test = FindTitle(title)) return std::string(test->name);
  const std::string plain = absl::StrReplaceAll(title, {{" Persistent", ""}});
  const Test* test = plain == title ? nullptr : FindTitle(plain);
  return test != nullptr ? absl::StrCat(std::string(test->name), "_persistent") : title;
}

std::string TestOfLines(const std::vector<std::string_view>& lines, const std::string& title) {
  for (const Mark& mark : kMarks) {
    const bool is_there = std::any_of(lines.begin(), lines.end(), [&](std::string_view line) {
      return line.starts_with(mark.line);
    });
    if (is_there && title == mark.title) return std::string(mark.test);
  }
  return TestOfTitle(title);
}

// A test is known by its command, else by the name of the stage, else by what it prints.
void Name(Section& section) {
  std::string title;
  for (const std::string_view line : section.lines) {
    if (const auto found = TitleOf(line); found && title.empty()) title = std::string(*found);
  }
  section.accelerator = TakeAccelerator(title);
  section.test = TestOf(section.command);
  if (section.test.empty()) section.test = TestOf(section.stage->stage);
  if (section.test.empty()) section.test = TestOfLines(section.lines, title);
}

bool IsBeforeTitle(std::string_view line) {
  return std::any_of(std::begin(kBeforeTitle), std::end(kBeforeTitle),
                     [&](std::string_view start) { return line.starts_with(start); });
}

bool BeginsWithNumber(std::string_view line) {
  const auto words = Words(line);
  return !words.empty() && ToNumber(words[0]).has_value();
}

class Splitter {
 public:
  explicit Splitter(const StageOutput& stage) : stage_(stage) {}

  std::vector<Section> Split() {
    const bool marked = stage_.out.find(kNext) != std::string::npos;
    if (!marked) Open();
    for (const std::string_view line : Lines(stage_.out)) marked ? Marked(line) : Plain(line);
    Finish();
    return std::move(sections_);
  }

 private:
  void Open() {
    sections_.emplace_back().stage = &stage_;
    in_ = true;
    titled_ = false;
  }

  void Marked(std::string_view line) {
    if (line.starts_with(kNext)) return Open();
    if (line.starts_with(kEnd) || line.starts_with(kStart)) in_ = false;
    if (!in_) return;
    if (sections_.back().command.empty()) {
      sections_.back().command = std::string(line);
    } else {
      Add(line);
    }
  }

  // A second title starts another test, with what some tests print before it; what stands before
  // the first belongs to that one.
  void Plain(std::string_view line) {
    const bool is_before = IsBeforeTitle(line);
    const bool is_title = TitleOf(line).has_value();
    if ((is_before || is_title) && titled_) Open();
    titled_ = titled_ || is_title;
    Add(line);
  }

  void Add(std::string_view line) {
    if (const auto wall = WallSeconds(line)) {
      sections_.back().wall_s = wall;
    } else if (!IsOtherTime(line)) {
      sections_.back().lines.push_back(line);
    }
  }

  void Finish() {
    const bool alone = sections_.size() == 1 && stage_.out.find(kNext) == std::string::npos;
    for (Section& section : sections_) {
      section.alone = alone;
      if (alone) section.command = absl::StrJoin(stage_.argv, " ");
      if (alone && stage_.wall) section.wall_s = ToSeconds(*stage_.wall);
      Name(section);
    }
    if (!sections_.empty()) sections_.back().whole = stage_.out.ends_with('\n');
  }

  const StageOutput& stage_;
  std::vector<Section> sections_;
  bool in_ = false;      // between marks
  bool titled_ = false;  // the last section has its title
};

}  // namespace

std::optional<std::string_view> TitleOf(std::string_view line) {
  const auto title = After(line, "# OSU ");
  if (!title) return std::nullopt;
  return title->substr(0, title->rfind(" v"));
}

std::vector<Section> ReadSections(const StageOutput& stage) { return Splitter(stage).Split(); }

std::vector<std::size_t> Runs(std::string_view output) {
  std::set<std::string_view> titles;  // of this run
  return RunsBy(SignsOfLines(output, [&](std::string_view line) {
    if (line.starts_with(kNext) || IsBeforeTitle(line)) return Sign::kBefore;
    const auto title = TitleOf(line);
    if (!title) return titles.empty() || !BeginsWithNumber(line) ? Sign::kNone : Sign::kResult;
    const bool begins = titles.empty() || titles.contains(*title);
    if (begins) titles.clear();
    titles.insert(*title);
    return begins ? Sign::kBegins : Sign::kResult;
  }));
}

bool IsCutOff(std::string_view log) {
  return log.find(kNext) != std::string_view::npos && log.find(kEnd) == std::string_view::npos;
}

}  // namespace twofold::suite::osu
