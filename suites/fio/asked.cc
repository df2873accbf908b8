#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "lib/common/counted.h"
#include "lib/suite/text.h"
#include "suites/fio/fio.h"

// What a run was asked to do, and whether it did that.
namespace twofold::suite::fio {
namespace {

using Spec = v1::suites::FioSpec;

struct Suffix {
  std::string_view word;  // in lower case
  double factor;
};
constexpr Suffix kOptionSizes[] = {
    {"", 1},           {"k", 1024.0},        {"m", 1048576.0},
    {"g", 1073741824}, {"t", 1099511627776}, {"p", 1125899906842624}};
constexpr Suffix kOptionTimes[] = {{"", 1},   {"s", 1},      {"ms", 1e-3}, {"us", 1e-6},
                                   {"m", 60}, {"h", 3600.0}, {"d", 86400}};

// "8m" in bytes or seconds; nullopt: it is written in another way ("50%").
template <typename Suffixes>
std::optional<double> OptionNumber(const std::string& text, const Suffixes& suffixes) {
  const std::string lower = absl::AsciiStrToLower(text);
  std::string_view rest = lower;
  const auto number = TakeNumber(rest);
  const auto* suffix = std::find_if(std::begin(suffixes), std::end(suffixes),
                                    [&](const Suffix& each) { return each.word == rest; });
  if (!number || suffix == std::end(suffixes)) return std::nullopt;
  return *number * suffix->factor;
}

constexpr std::size_t kReads = 0;
constexpr std::size_t kWrites = 1;

// How much of the requests is to be on a side, in percent.
double ShareOf(const Spec& spec, std::size_t side) {
  if (spec.rw() == "read" || spec.rw() == "randread") return side == kReads ? 100 : 0;
  if (spec.rw() == "write" || spec.rw() == "randwrite") return side == kWrites ? 100 : 0;
  if (side == kReads) return spec.rwmixread();
  return side == kWrites ? 100.0 - spec.rwmixread() : 0;
}

// Which sides it did, and with a mix of few requests chance may leave one out.
std::string OtherSides(const Spec& spec, const Part& part) {
  constexpr double kFew = 100;
  constexpr double kSmallShare = 10;
  double ios = 0;
  for (const Side& side : part.sides) ios += side.ios;
  for (std::size_t i = 0; i < kSides.size(); ++i) {
    const double share = ShareOf(spec, i);
    const bool is_sure = share == 100 || (share >= kSmallShare && ios >= kFew);
    if (share == 0 && part.sides[i].ios > 0) {
      return absl::StrCat("it has ", kSides[i], "s, which ", spec.rw(), " does not ask for");
    }
    if (is_sure && part.sides[i].ios == 0) {
      return absl::StrCat("it has no ", kSides[i], "s, which ", spec.rw(), " asks for");
    }
  }
  return {};
}

std::string OtherBlocks(const Spec& spec, const Part& part) {
  constexpr double kAgree = 1.05;
  const double wanted = OptionBytes(spec.bs()).value_or(0);
  for (std::size_t i = 0; i < kSides.size(); ++i) {
    const Side& side = part.sides[i];
    if (side.ios == 0 || side.counted_iops <= 0 || side.counted_bytes_per_s <= 0) continue;
    const double bytes = side.counted_bytes_per_s / side.counted_iops;
    if (bytes <= wanted * kAgree && wanted <= bytes * kAgree) continue;
    return absl::StrCat("it has ", kSides[i], "s of ", NumberText(bytes), " B, not of ",
                        NumberText(wanted));
  }
  return {};
}

std::string EarlierEnd(const Spec& spec, const Part& part) {
  constexpr double kShortest = 0.95;  // of the time that was asked for
  const double wanted = OptionSeconds(spec.runtime()).value_or(0);
  double seconds = 0;
  for (const Side& side : part.sides) seconds = std::max(seconds, side.seconds);
  if (seconds >= kShortest * wanted) return {};
  return absl::StrCat("it ends after ", NumberText(seconds), " s, not ", NumberText(wanted));
}

// What is said of a setting in both; the output says it as its options were.
std::string OtherWay(const Spec& spec, const Part& part) {
  const auto option = [&](std::string_view name) -> std::string {
    if (name == "rw") return spec.rw();
    if (name == "rwmixread") return absl::StrCat(spec.rwmixread());
    if (name == "percentage_random") return absl::StrCat(spec.percentage_random());
    if (name == "bs") return spec.bs();
    if (name == "iodepth") return absl::StrCat(spec.iodepth());
    if (name == "numjobs") return absl::StrCat(spec.num_jobs());
    if (name == "ioengine") return spec.ioengine();
    return name == "direct" ? absl::StrCat(spec.direct()) : "";
  };
  const Ways wanted = WaysByOptions(option);
  for (std::size_t i = 0; i < kSides.size(); ++i) {
    for (const auto& [name, value] : part.sides[i].how) {
      const std::string* asked = ValueOf(wanted[i], name);
      if (part.sides[i].ios == 0 || asked == nullptr || *asked == value) continue;
      return absl::StrCat("it has ", name, " ", value, ", not ", *asked);
    }
  }
  return {};
}

std::string FewerJobs(const Spec& spec, const Part& part) {
  if (part.jobs == 0 || part.jobs > spec.num_jobs() - 0.5) return {};
  return absl::StrCat("it has the run time of ",
                      Counted(static_cast<std::uint64_t>(std::llround(part.jobs)), "job"), ", not ",
                      spec.num_jobs());
}

}  // namespace

std::optional<double> OptionBytes(const std::string& text) {
  return OptionNumber(text, kOptionSizes);
}

std::optional<double> OptionSeconds(const std::string& text) {
  return OptionNumber(text, kOptionTimes);
}

std::string Otherwise(const Spec& spec, const Part& part) {
  for (const auto differs : {OtherSides, OtherBlocks, EarlierEnd, OtherWay, FewerJobs}) {
    if (std::string how = differs(spec, part); !how.empty()) return how;
  }
  return {};
}

}  // namespace twofold::suite::fio
