#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "lib/suite/text.h"
#include "suites/fio/fio.h"

namespace twofold::suite::fio {
namespace {

constexpr double kNsOfUs = 1000;

// How the versions of the form (--terse-version) differ.
struct Version {
  std::string_view number;
  std::size_t sides;  // reads, writes, trims
  std::size_t width;  // fields of one of them
};
constexpr Version kVersions[] = {{"3", 2, 41}, {"4", 3, 41}, {"5", 3, 47}};

// Where things are in a line, and in the fields of a side.
constexpr std::size_t kTool = 1;
constexpr std::size_t kJob = 2;
constexpr std::size_t kGroup = 3;
constexpr std::size_t kError = 4;
constexpr std::size_t kFirstSide = 5;
constexpr std::size_t kAfterSides = 34;  // processor, depths, distribution of latencies
enum : std::size_t {
  kKib = 0,
  kKibPerS = 1,
  kIops = 2,
  kMs = 3,
  kCompletionMoments = 8,  // min, max, mean, standard deviation in microseconds
  kPercentiles = 12,
  kTotalMoments = 32,
};

using Fields = std::vector<std::string_view>;

class Line {
 public:
  Line(const std::string& stage, const Fields& fields) : stage_(stage), fields_(fields) {}

  Result<Part> Read(const Version& version) {
    Part part;
    for (std::size_t side = 0; side < version.sides; ++side) {
      part.sides[side] = ReadSide(kFirstSide + side * version.width);
    }
    const std::size_t cpu = kFirstSide + version.sides * version.width;
    part.usr_cpu = Number(cpu, "%");
    part.sys_cpu = Number(cpu + 1, "%");
    if (!status_.ok()) return status_;
    return part;
  }

  double Number(std::size_t at, std::string_view unit = "") {
    std::string_view field = fields_[at];
    const bool fits = field.ends_with(unit);
    if (fits) field.remove_suffix(unit.size());
    const auto value = fits ? ToNumber(field) : std::nullopt;
    if (!value) {
      status_.Update(Unreadable(
          stage_, absl::StrCat("field ", at + 1, " is no number: ", Quoted(fields_[at]))));
    }
    return value.value_or(0);
  }

  [[nodiscard]] const Status& status() const { return status_; }

 private:
  Side ReadSide(std::size_t first) {
    Side side{.bytes_per_s = Number(first + kKibPerS) * 1024,
              .iops = Number(first + kIops),
              .latencies = {}};
    side.seconds = Number(first + kMs) / 1000;
    const double kib = Number(first + kKib);
    // It does not say how many there were; without any, all is 0.
    if (kib > 0) side.ios = std::max(1.0, side.iops * side.seconds);
    if (side.ios == 0) return side;
    constexpr double kLeastKib = 10;  // they are whole ones
    if (side.seconds > 0 && kib >= kLeastKib) side.counted_bytes_per_s = kib * 1024 / side.seconds;
    side.latencies[kTotal].moments = Moments(first + kTotalMoments);
    side.latencies[kCompletion].moments = Moments(first + kCompletionMoments);
    for (std::size_t at = first + kPercentiles; at < first + kTotalMoments; ++at) {
      AddPercentile(at, side.latencies[kUnnamed]);
    }
    return side;
  }

  // Of a clock that is switched off all is 0.
  std::optional<Latency::Moments> Moments(std::size_t at) {
    const Latency::Moments moments{.min_ns = Number(at) * kNsOfUs,
                                   .max_ns = Number(at + 1) * kNsOfUs,
                                   .mean_ns = Number(at + 2) * kNsOfUs,
                                   .stddev_ns = Number(at + 3) * kNsOfUs};
    if (moments.mean_ns == 0) return std::nullopt;
    return moments;
  }

  // "99.500000%=4014" in microseconds; "0%=0" of those that were not asked for.
  void AddPercentile(std::size_t at, Latency& latency) {
    std::string_view field = fields_[at];
    const auto percent = TakeNumber(field);
    const auto value = After(field, "%=");
    const auto us = value ? ToNumber(*value) : std::nullopt;
    if (!percent || !us) {
      status_.Update(Unreadable(
          stage_, absl::StrCat("field ", at + 1, " is no percentile: ", Quoted(fields_[at]))));
    } else if (*percent > 0) {
      latency.percentiles.emplace_back(NumberText(*percent), *us * kNsOfUs);
    }
  }

  const std::string& stage_;
  const Fields& fields_;
  Status status_;
};

const Version* VersionOf(const Fields& fields) {
  const auto* known =
      std::find_if(std::begin(kVersions), std::end(kVersions), [&](const auto& each) {
        return each.number == fields[0] && fields.size() > kTool &&
               fields[kTool].starts_with("fio-");
      });
  return known == std::end(kVersions) ? nullptr : known;
}

Status AddLine(const std::string& stage, const Fields& fields, Report& report) {
  const Version* version = VersionOf(fields);
  if (version == nullptr) {
    return Unreadable(stage, "its terse form has version " + Quoted(fields[0]) + ", not 3 to 5");
  }
  if (fields.size() < kFirstSide + version->sides * version->width + kAfterSides) {
    return Unreadable(stage, "a line that is cut off");
  }
  Line line(stage, fields);
  if (report.error == 0) report.error = line.Number(kError);
  auto part = line.Read(*version);
  if (!part.ok()) return part.status();
  report.tool = std::string(fields[kTool]);
  part->job = std::string(fields[kJob]);
  part->group = std::string(fields[kGroup]);
  // Which of these it is nobody can tell: times and counts of all three may grow, or not.
  for (const Part& other : report.parts) {
    if (other.job != part->job || other.group != part->group) continue;
    return Unreadable(
        stage, absl::StrCat("job ", part->job, " has several lines: jobs of one name (numjobs), ",
                            "reports of --status-interval and several runs look alike in the ",
                            "terse form; use --group_reporting or --output-format=json"));
  }
  report.parts.push_back(*std::move(part));
  return absl::OkStatus();
}

}  // namespace

Result<Report> FromTerse(const std::string& stage, std::string_view text) {
  if (!text.ends_with('\n')) return Unreadable(stage, "its last line is cut off");
  Report report{.tool = {}, .parts = {}, .endless = "terse", .said = text};
  for (const std::string_view line : Lines(text)) {
    const Fields fields = SplitAt(';', line);
    // A client of a server prints the disks on a line of their own: ";vda;0;...".
    if (fields.size() <= kError || !ToNumber(fields[0])) continue;
    if (Status status = AddLine(stage, fields, report); !status.ok()) return status;
  }
  return report;
}

}  // namespace twofold::suite::fio
