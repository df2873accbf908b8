#include "lib/suite/prefixes.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "lib/suite/json.h"
#include "lib/suite/text.h"

namespace twofold::suite {
namespace {

// ---- Prefixes of many kinds

// Each returns how long the prefix at the start of a line is; 0: there is none.

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kNameSigns =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

// Whether `text` starts with this shape: '0' is a digit, '_' a digit or a blank (of a day below
// 10), 'a' a letter, all else stands for itself.
bool StartsLike(std::string_view text, std::string_view shape) {
  const auto fits = [](char of, char c) {
    const bool is_digit = c >= '0' && c <= '9';
    if (of == '0') return is_digit;
    if (of == '_') return is_digit || c == ' ';
    if (of == 'a') return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return c == of;
  };
  return text.size() >= shape.size() && std::equal(shape.begin(), shape.end(), text.begin(), fits);
}

// Past `at` and the blank that follows, which the end of a line may lack.
std::size_t PastBlank(std::string_view line, std::size_t at) {
  return at < line.size() && line[at] == ' ' ? at + 1 : at;
}

// "[pod/iperf-0/client] "
std::size_t PodPrefix(std::string_view line) {
  if (!line.starts_with("[pod/")) return 0;
  const std::size_t close = line.find(']');
  return close == std::string_view::npos ? 0 : PastBlank(line, close + 1);
}

// "bench-client-1  | "
std::size_t ComposePrefix(std::string_view line) {
  const std::size_t name = line.find_first_not_of(kNameSigns);
  if (name == 0 || name == std::string_view::npos || line[name] != ' ') return 0;
  const std::size_t bar = line.find_first_not_of(' ', name);
  if (bar == std::string_view::npos || line[bar] != '|') return 0;
  return PastBlank(line, bar + 1);
}

// "2026-11-20T23:41:55.123456789Z "
std::size_t TimePrefix(std::string_view line) {
  constexpr std::string_view kShape = "0000-00-00T00:00:00";
  if (line.size() <= kShape.size() || !StartsLike(line, kShape)) return 0;
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view zone = line.substr(kShape.size(), end - kShape.size());
  const bool is_zone = zone.find_first_not_of("0123456789.:+-Z") == std::string_view::npos &&
                       (zone.ends_with('Z') || zone.find_first_of("+-") != std::string_view::npos);
  return is_zone ? PastBlank(line, end) : 0;
}

// "2026-11-20T23:41:55.123456789Z stdout F ", as container runtimes write their files.
std::size_t RuntimePrefix(std::string_view line) {
  const std::size_t time = TimePrefix(line);
  const std::string_view rest = line.substr(time);
  constexpr std::size_t kStream = 8;  // "stdout F"
  const bool fits = time > 0 && (rest.starts_with("stdout ") || rest.starts_with("stderr ")) &&
                    rest.size() >= kStream && (rest[7] == 'F' || rest[7] == 'P') &&
                    (rest.size() == kStream || rest[kStream] == ' ');
  return fits ? PastBlank(line, time + kStream) : 0;
}

// "Nov 28 12:43:19 ", with its weekday and year "Sat Nov 28 12:43:19 2026 ", or "2026-11-28
// 12:43:19.123 ".
std::size_t ClockPrefix(std::string_view line) {
  constexpr std::string_view kShapes[] = {"aaa aaa _0 00:00:00 0000", "aaa _0 00:00:00",
                                          "0000-00-00 00:00:00", "00:00:00"};
  for (const std::string_view shape : kShapes) {
    if (!StartsLike(line, shape)) continue;
    std::size_t end = shape.size();
    const bool has_fraction = line.size() > end && (line[end] == '.' || line[end] == ',');
    if (has_fraction) end = std::min(line.find_first_not_of(kDigits, end + 1), line.size());
    return end == line.size() || line[end] == ' ' ? PastBlank(line, end) : 0;
  }
  return 0;
}

// "Nov 28 12:43:19 node-7 fio[4711]: ", also with a time as of TimePrefix.
std::size_t JournalPrefix(std::string_view line) {
  const std::size_t time = std::max(TimePrefix(line), ClockPrefix(line));
  const std::size_t host = time == 0 ? time : line.find(' ', time);
  if (host == 0 || host == std::string_view::npos) return 0;
  const std::size_t end = line.find(' ', host + 1);
  const std::string_view tag = line.substr(host + 1, end - host - 1);
  const std::size_t open = tag.find('[');
  const bool has_process =
      open != std::string_view::npos && open > 0 && tag.ends_with("]:") &&
      tag.substr(open + 1, tag.size() - open - 3).find_first_not_of(kDigits) == tag.npos;
  if (!has_process) return 0;
  return PastBlank(line, host + 1 + tag.size());
}

// "2026-11-20T23:41:55.123456Z 00O ", as GitLab writes logs of its jobs.
std::size_t GitlabPrefix(std::string_view line) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const std::size_t time = TimePrefix(line);
  const std::string_view rest = line.substr(time);
  const bool fits = time > 0 && rest.size() >= 3 && rest.find_first_not_of(kHex) == 2 &&
                    (rest[2] == 'O' || rest[2] == 'E') && (rest.size() == 3 || rest[3] == ' ');
  return fits ? PastBlank(line, time + 3) : 0;
}

// "[2026-11-20T23:41:55.123Z] " or "[2026-11-20 23:41:55] "
std::size_t BracketedTimePrefix(std::string_view line) {
  const std::size_t close = line.starts_with('[') ? line.find(']') : std::string_view::npos;
  if (close == std::string_view::npos) return 0;
  const std::string_view inside = line.substr(1, close - 1);
  const std::size_t time = std::max(TimePrefix(inside), ClockPrefix(inside));
  return time > 0 && time == inside.size() ? PastBlank(line, close + 1) : 0;
}

// "[1,0]<stdout>:", and of later versions "[prterun-host-7@1,0]<stdout>: "; with a time before it
// that no blank ends "Sat Nov 28 12:43:19 2026[1,0]<stdout>:", where the rank may be missing.
std::size_t RankPrefix(std::string_view line) {
  constexpr std::size_t kMostName = 200;
  constexpr std::string_view kTime = "aaa aaa _0 00:00:00 0000";
  const std::size_t time = StartsLike(line, kTime) ? kTime.size() : 0;
  const std::string_view rest = line.substr(time);
  const bool has_rank = rest.starts_with('[');
  if (!has_rank && (time == 0 || !rest.starts_with("<std"))) return 0;
  const std::size_t close = has_rank ? rest.substr(0, kMostName).find("]<std") : 0;
  const std::size_t colon = close == std::string_view::npos ? close : rest.find(">:", close);
  if (colon == std::string_view::npos || rest.find(' ') < close) return 0;
  return time + colon + 2;
}

// "0: ", " 3: "
std::size_t TaskPrefix(std::string_view line) {
  const std::size_t digit = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t colon = std::min(line.find_first_not_of(kDigits, digit), line.size());
  if (colon == digit || !line.substr(colon).starts_with(':')) return 0;
  return PastBlank(line, colon + 1);
}

// "[0] ", "[12] ": iperf puts blanks before numbers that are so small.
std::size_t BracketedRankPrefix(std::string_view line) {
  constexpr std::size_t kMostDigits = 2;
  if (!line.starts_with('[')) return 0;
  const std::size_t close = std::min(line.find_first_not_of(kDigits, 1), line.size());
  if (close == 1 || close > 1 + kMostDigits || !line.substr(close).starts_with(']')) return 0;
  return line.size() == close + 1 || line[close + 1] == ' ' ? PastBlank(line, close + 1) : 0;
}

// "node07: "
std::size_t HostPrefix(std::string_view line) {
  const std::size_t colon = std::min(line.find_first_not_of(kNameSigns), line.size());
  if (colon == 0 || !line.substr(colon).starts_with(':')) return 0;
  return line.size() == colon + 1 || line[colon + 1] == ' ' ? PastBlank(line, colon + 1) : 0;
}

// "iperf-0 client "
std::size_t SternPrefix(std::string_view line) {
  const std::size_t pod = line.substr(0, line.find_first_not_of(kNameSigns)).size();
  const std::size_t container = std::min(line.find_first_not_of(kNameSigns, pod + 1), line.size());
  const bool fits = line.substr(0, pod).find('-') < pod && line.substr(pod).starts_with(' ') &&
                    container > pod + 1;
  return fits && (container == line.size() || line[container] == ' ') ? PastBlank(line, container)
                                                                      : 0;
}

// "TITLE:  " before what only iperf3 says.
std::size_t TitlePrefix(std::string_view line) {
  for (const std::string_view said : {":  Connecting to host ", ":  iperf 3."}) {
    const std::size_t at = line.find(said);
    if (at != std::string_view::npos && at > 0) return at + 3;
  }
  return 0;
}

// What a prefix says beside the line: who has written it, or when.
enum class Says : std::uint8_t {
  kTime,
  kSource,  // of several it would be several documents; the whole prefix
  kProcess  // the same, but only a part: "node-7 fio[4711]:"
};

struct Prefix {
  std::size_t (*length)(std::string_view line);
  const char* source;
  bool everywhere;  ///< it stands on nearly all lines, or is no prefix
  Says says;
};
constexpr Prefix kPrefixes[] = {{PodPrefix, "kubectl logs --prefix", true, Says::kSource},
                                {ComposePrefix, "docker compose", true, Says::kSource},
                                {JournalPrefix, "journalctl or syslog", true, Says::kProcess},
                                {RuntimePrefix, "a container runtime's file", true, Says::kTime},
                                {GitlabPrefix, "GitLab's logs", true, Says::kTime},
                                {BracketedTimePrefix, "Jenkins or ts", true, Says::kTime},
                                {TimePrefix, "kubectl logs --timestamps", true, Says::kTime},
                                {ClockPrefix, "iperf3 --timestamps or ts", true, Says::kTime},
                                {RankPrefix, "mpirun --tag-output", false, Says::kTime}};

bool IsThere(const Prefix& prefix, std::string_view text) {
  std::size_t with = 0;
  std::size_t without = 0;
  ForEachLine(text, [&](std::string_view line, std::string_view) {
    if (!Strip(line).empty()) ++(prefix.length(line) > 0 ? with : without);
  });
  return with > (prefix.everywhere ? without : 0);
}

// Who has written a line, if its prefix says it: "[pod/a/c]", "node-7 fio[4711]:". systemd writes
// about the process.
std::string SourceIn(const Prefix& prefix, std::string_view before) {
  before = Strip(before);
  if (prefix.says == Says::kTime) return {};
  if (prefix.says == Says::kProcess) {
    before = before.substr(before.rfind(' ', before.rfind(' ') - 1) + 1);
    if (before.find(" systemd[") != std::string_view::npos) return {};
  }
  return std::string(before);
}

std::string Without(const Prefix& prefix, std::string_view text, std::set<std::string>& sources) {
  std::string rest;
  rest.reserve(text.size());
  ForEachLine(text, [&](std::string_view line, std::string_view end) {
    const std::size_t length = prefix.length(line);
    const std::string_view before = line.substr(0, length);
    if (const std::string source = SourceIn(prefix, before); !source.empty()) {
      sources.insert(source);
    }
    // A runtime writes a long line in pieces, all but the last with a P.
    const bool goes_on = prefix.length == RuntimePrefix && Strip(before).ends_with(" P");
    absl::StrAppend(&rest, std::string(line.substr(length)), std::string(goes_on ? "" : end));
  });
  return rest;
}

// ---- A prefix that is the same on all lines

// The beginning that nearly all lines of `text` share, of which the first that has any is this.
struct Label {
  std::size_t (*length)(std::string_view line);
  const char* source;
  std::size_t least;   ///< so many lines have it, or it is none
  const char* of;      ///< whose it is: lines of several are several documents
  bool is_plain_word;  ///< it may be the tool's own, and has to be on nearly all lines
};
constexpr Label kLabels[] = {
    // The rows of NetPIPE begin so, too, but each with a number of its own.
    {TaskPrefix, "srun --label", 3, "tasks", false},
    {BracketedRankPrefix, "mpiexec -prepend-rank", 3, "ranks", false},
    {HostPrefix, "pdsh", 3, "hosts", true},
    {SternPrefix, "stern", 3, "pods", true},
    {TitlePrefix, "iperf3 --title", 2, "titles", false}};

// Without the blanks at its end, which an empty line may lack.
std::string_view MarkOf(std::string_view label) {
  return label.substr(0, label.find_last_not_of(' ') + 1);
}

// How many lines have labels of a kind.
struct Labelled {
  std::string first;          // the label that comes first; empty: there is none
  std::size_t with = 0;       // it
  std::size_t others = 0;     // another
  std::size_t without = 0;    // none
  std::size_t sentences = 0;  // of those with one: after it a letter follows
  std::set<std::string> marks;
};

Labelled CountLabels(const Label& label, std::string_view text) {
  constexpr std::size_t kMostMarks = 1000;  // of more nobody is to be told
  Labelled all;
  ForEachLine(text, [&](std::string_view line, std::string_view) {
    if (all.first.empty()) all.first = line.substr(0, label.length(line));
    if (Strip(line).empty()) return;
    const bool has_first = !all.first.empty() && line.starts_with(MarkOf(all.first));
    const std::size_t length = has_first ? all.first.size() : label.length(line);
    if (has_first) {
      ++all.with;
    } else {
      ++(length > 0 ? all.others : all.without);
    }
    if (length == 0) return;
    const std::string_view rest = line.substr(std::min(length, line.size()));
    if (!rest.empty() && absl::ascii_isalpha(static_cast<unsigned char>(rest[0]))) ++all.sentences;
    if (all.marks.size() < kMostMarks) all.marks.emplace(MarkOf(line.substr(0, length)));
  });
  return all;
}

// The label of `text`; empty: none. Errors   kDataLoss: lines with another are a fair share.
Result<std::string> LabelOf(const Label& label, std::string_view text) {
  constexpr std::size_t kFairShare = 5;  // of noise, such as warnings, there is less
  constexpr std::size_t kNearly = 9;     // that much more with than without
  const Labelled all = CountLabels(label, text);
  const std::size_t labelled = all.with + all.others;
  const bool is_everywhere = label.is_plain_word
                                 ? labelled >= kNearly * all.without && 2 * all.sentences < labelled
                                 : labelled > all.without;
  if (all.with < std::max(label.least, all.marks.size()) || !is_everywhere) return std::string();
  if (all.others * kFairShare >= all.with) {
    return absl::DataLossError(
        absl::StrCat("lines of ", all.marks.size(), " ", label.of, ", such as ", *all.marks.begin(),
                     " and ", *all.marks.rbegin(), ": save the output of each by itself"));
  }
  return all.with > all.others + all.without ? all.first : std::string();
}

std::string WithoutLabel(const std::string& label, std::string_view text) {
  std::string rest;
  ForEachLine(text, [&](std::string_view line, std::string_view end) {
    const std::string_view mark = MarkOf(label);
    const std::size_t length = line.starts_with(label)  ? label.size()
                               : line.starts_with(mark) ? mark.size()
                                                        : 0;
    absl::StrAppend(&rest, std::string(line.substr(length)), std::string(end));
  });
  return rest;
}

void SayPrefix(const char* source, std::vector<std::string>& notes) {
  notes.push_back(absl::StrCat("a prefix on its lines skipped, as of ", source));
}

// ---- Lines that are wrapped

constexpr std::string_view kWrapped = R"({"log":")";

// What docker has written down of a line: {"log":"text\n","stream":"stdout","time":"..."}, which of
// a long line is a piece without end. nullopt: it is another line.
std::optional<std::string> WrappedIn(std::string_view line) {
  if (!line.starts_with(kWrapped)) return std::nullopt;
  const Json json = Json::parse(line, nullptr, false);
  const bool is_of_docker = json.is_object() && json.contains("stream") && json.contains("time");
  if (!is_of_docker) return std::nullopt;
  return TextAt(json, {"log"});
}

// Lines without what docker's json-file wraps each in; nullopt: there are none.
std::optional<std::string> Unwrapped(std::string_view text) {
  std::string plain;
  bool found = false;
  ForEachLine(text, [&](std::string_view line, std::string_view end) {
    const auto inside = WrappedIn(line);
    found = found || inside;
    absl::StrAppend(&plain, inside ? *inside : absl::StrCat(std::string(line), std::string(end)));
  });
  if (!found) return std::nullopt;
  return plain;
}

}  // namespace

std::string WithoutWrapping(std::string text, std::vector<std::string>& notes) {
  auto unwrapped = Unwrapped(text);
  if (!unwrapped) return text;
  SayPrefix("docker's json-file", notes);
  return *std::move(unwrapped);
}

Result<std::string> WithoutPrefixes(std::string text, std::vector<std::string>& notes) {
  for (const Prefix& prefix : kPrefixes) {
    if (!IsThere(prefix, text)) continue;
    std::set<std::string> sources;
    text = Without(prefix, text, sources);
    if (sources.size() > 1) {
      return absl::DataLossError(absl::StrCat(
          "lines of ", sources.size(), prefix.says == Says::kProcess ? " processes" : " containers",
          ", such as ", *sources.begin(), " and ", *sources.rbegin(),
          ": save the output of each by itself"));
    }
    SayPrefix(prefix.source, notes);
  }
  for (const Label& label : kLabels) {
    const auto found = LabelOf(label, text);
    if (!found.ok()) return found.status();
    if (found->empty()) continue;
    text = WithoutLabel(*found, text);
    SayPrefix(label.source, notes);
  }
  return text;
}

}  // namespace twofold::suite
