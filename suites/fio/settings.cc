#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "lib/suite/text.h"
#include "suites/fio/fio.h"

// How jobs were run, as far as their output says it: numbers of two ways are not compared.
namespace twofold::suite::fio {

std::string SizeText(double bytes) {
  constexpr std::pair<double, const char*> kUnits[] = {
      {1099511627776.0, "T"}, {1073741824.0, "G"}, {1048576.0, "M"}, {1024.0, "k"}};
  for (const auto& [factor, unit] : kUnits) {
    const double count = bytes / factor;
    if (count >= 1 && count == static_cast<double>(static_cast<std::int64_t>(count))) {
      return NumberText(count) + unit;
    }
  }
  return NumberText(bytes);
}

std::string PatternIn(std::string_view rw) {
  const std::string_view word = rw.substr(0, rw.find_first_of(",:"));
  return word == "readwrite" ? "rw" : std::string(word);
}

namespace {

std::string SizeOf(const std::string& text) {
  const auto bytes = OptionBytes(text);
  return bytes ? SizeText(*bytes) : text;
}

// "8k,32k" are the sizes of reads and writes; of trims, too, where there is no third.
std::string OfSide(const std::string& list, std::size_t side) {
  const auto each = SplitAt(',', list);
  return std::string(Strip(each[std::min(side, each.size() - 1)]));
}

bool IsRandom(std::string_view pattern) { return pattern.starts_with("rand"); }

bool IsMixed(std::string_view pattern) { return pattern.find("rw") != pattern.npos; }

bool DoesSide(std::string_view pattern, std::size_t side) {
  return IsMixed(pattern) || pattern.find(kSides[side]) != pattern.npos;
}

// An option that is said as it is written. What most runs do not set is said where it is.
struct Setting {
  const char* option;
  const char* dimension;
  const char* left_out = nullptr;  // what fio takes then; null: that is not said
};
constexpr Setting kSettings[] = {{"iodepth", "iodepth", "1"},
                                 {"numjobs", "numJobs", "1"},
                                 {"ioengine", "ioengine"},  // another on each system
                                 {"fsync", "fsync"},
                                 {"fdatasync", "fdatasync"},
                                 {"sync", "sync"},
                                 {"rate", "rate"},
                                 {"rate_iops", "rate_iops"}};

// buffered is the contrary of direct.
std::string DirectIn(OptionReader option) {
  const std::string direct = option("direct");
  if (!direct.empty()) return direct;
  return option("buffered") == "0" ? "1" : "0";
}

std::string ShareOfReads(OptionReader option) {
  if (const std::string reads = option("rwmixread"); !reads.empty()) return reads;
  const auto writes = ToNumber(option("rwmixwrite"));
  return writes ? NumberText(100 - *writes) : "50";
}

std::string BlockIn(OptionReader option, std::size_t side) {
  if (const std::string split = option("bssplit"); !split.empty()) return OfSide(split, side);
  if (const std::string range = option("bsrange"); !range.empty()) return OfSide(range, side);
  const std::string size = OfSide(option("bs"), side);
  return size.empty() ? "4k" : SizeOf(size);
}

std::string PatternOf(OptionReader option) {
  const std::string rw = option("rw");
  const std::string pattern = rw.empty() ? "read" : PatternIn(rw);
  const std::string random = option("percentage_random");
  const bool is_part = IsRandom(pattern) && !random.empty() && random != "100";
  return is_part ? absl::StrCat(pattern, " ", random, "%") : pattern;
}

}  // namespace

const std::string* ValueOf(const Dimensions& how, std::string_view name) {
  const auto found = std::find_if(how.begin(), how.end(),
                                  [&](const Dimension& each) { return each.first == name; });
  return found == how.end() ? nullptr : &found->second;
}

Ways WaysByOptions(OptionReader option) {
  Ways ways;
  for (std::size_t side = 0; side < kSides.size(); ++side) {
    Dimensions& how = ways[side];
    how.emplace_back("pattern", PatternOf(option));
    if (IsMixed(how[0].second)) how.emplace_back("rwmixread", ShareOfReads(option));
    how.emplace_back("bs", BlockIn(option, side));
    for (const Setting& setting : kSettings) {
      std::string value = option(setting.option);
      if (value.empty() && setting.left_out != nullptr) value = setting.left_out;
      const bool is_off = value.empty() || value == "0";
      if (setting.left_out != nullptr || !is_off)
        how.emplace_back(setting.dimension, std::move(value));
    }
    how.emplace_back("direct", DirectIn(option));
  }
  return ways;
}

bool IsDone(const Ways& ways, const Part& part, bool verifies) {
  constexpr double kAgree = 1.05;
  constexpr double kLeastSeconds = 1;  // jobs that are shorter last longer than their requests
  double seconds = 0;
  for (std::size_t i = 0; i < kSides.size(); ++i) {
    const Side& side = part.sides[i];
    if (side.ios == 0) continue;
    seconds = std::max(seconds, side.seconds);
    if (!verifies && !DoesSide(*ValueOf(ways[i], "pattern"), i)) return false;
    const auto wanted = OptionBytes(*ValueOf(ways[i], "bs"));
    if (!wanted || side.counted_iops <= 0 || side.counted_bytes_per_s <= 0) continue;
    const double bytes = side.counted_bytes_per_s / side.counted_iops;
    if (bytes > *wanted * kAgree || *wanted > bytes * kAgree) return false;
  }
  const auto jobs = ToNumber(*ValueOf(ways[0], "numJobs"));
  return verifies || seconds < kLeastSeconds || !jobs || part.jobs < *jobs + 0.5;
}

Dimensions Common(const std::vector<const Dimensions*>& ways) {
  Dimensions common;
  if (ways.empty()) return common;
  for (const auto& [name, first] : *ways[0]) {
    std::vector<std::string> values;
    bool all_say = true;
    for (const Dimensions* way : ways) {
      const std::string* value = ValueOf(*way, name);
      all_say = all_say && value != nullptr;
      if (value == nullptr || std::count(values.begin(), values.end(), *value) > 0) continue;
      values.push_back(*value);
    }
    if (all_say) common.emplace_back(name, absl::StrJoin(values, "+"));
  }
  return common;
}

}  // namespace twofold::suite::fio
