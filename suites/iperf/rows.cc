#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "lib/suite/plausible.h"
#include "lib/suite/text.h"
#include "suites/iperf/iperf.h"

namespace twofold::suite::iperf {
namespace {

// iperf counts bytes by powers of 1024 and bits by powers of 1000.
double Factor(std::string_view unit, double base) {
  double factor = 1;
  for (const char prefix : {'K', 'M', 'G', 'T'}) {
    factor *= base;
    if (unit.starts_with(prefix)) return factor;
  }
  return 1;
}

std::optional<double> Quantity(std::string_view number, std::string_view unit,
                               std::string_view ending, double base) {
  const auto value = ToNumber(number);
  if (!value || !unit.ends_with(ending)) return std::nullopt;
  return *value * Factor(unit, base);
}

/// Takes "[  5]" from the beginning of a line, and returns what is inside; nullopt: it is not
/// there.
std::optional<std::string_view> TakeBrackets(std::string_view& line) {
  const std::size_t close = line.find(']');
  if (!line.starts_with('[') || close == line.npos) return std::nullopt;
  const std::string_view inside = Strip(line.substr(1, close - 1));
  line.remove_prefix(close + 1);
  return inside;
}

// "10.0000": a multiple of 0.1 s, with four digits.
bool IsRound(std::string_view end) {
  constexpr std::string_view kRound = "000";
  const std::size_t point = end.find('.');
  return point != std::string_view::npos && end.size() == point + 5 && end.ends_with(kRound);
}

// "10.0", or "10.00" where it is a multiple of 0.1 s, of versions before 2.1.
bool IsCoarse(std::string_view end) {
  const std::size_t digits = end.size() - std::min(end.find('.') + 1, end.size());
  return digits == 1 || (digits == 2 && end.ends_with('0'));
}

// Bits a second by what was counted: "1.04" (1 GByte) tells within a percent, "0.01" does not.
double CountedRate(std::string_view digits, double bytes, double seconds) {
  constexpr std::ptrdiff_t kLeastDigits = 3;
  constexpr double kLeastSeconds = 1;  // old versions print tenths
  digits.remove_prefix(std::min(digits.find_first_not_of("0."), digits.size()));
  const auto known = std::count_if(digits.begin(), digits.end(), [](char c) { return c != '.'; });
  return known >= kLeastDigits && seconds >= kLeastSeconds ? 8 * bytes / seconds : 0;
}

}  // namespace

std::optional<Row> ToRow(std::string_view line) {
  Row row;
  const auto id = TakeBrackets(line);
  if (!id) return std::nullopt;
  row.id = id->starts_with(kSum) ? kSum : *id;
  row.role = TakeBrackets(line).value_or("");
  auto words = Words(line);
  if (words.empty()) return std::nullopt;
  std::string_view interval = words[0];
  const auto start = TakeNumber(interval);
  if (!start || !interval.starts_with('-')) return std::nullopt;
  // "0.0- 2.0" of iperf 2.0
  if (interval == "-") words.erase(words.begin());
  if (words.size() < 6 || words[1] != "sec") return std::nullopt;
  const std::string_view end_text = interval == "-" ? words[0] : interval.substr(1);
  const auto end = ToNumber(end_text);
  const auto bytes = Quantity(words[2], words[3], "Bytes", 1024);
  auto bits = Quantity(words[4], words[5], "bits/sec", 1000);
  if (!bits) {
    const auto bytes_per_second = Quantity(words[4], words[5], "Bytes/sec", 1024);  // --format M
    if (bytes_per_second) bits = *bytes_per_second * 8;
  }
  if (!end || !bytes || !bits) return std::nullopt;
  row.start = *start;
  row.end = *end;
  row.is_round = IsRound(end_text);
  row.is_coarse = IsCoarse(end_text);
  row.bytes = *bytes;
  row.bits_per_second = *bits;
  row.counted_bits_per_s = CountedRate(words[2], *bytes, *end - *start);
  row.rest.assign(words.begin() + 6, words.end());
  return row;
}

namespace {

// Ends of intervals are late or early by less than this share of one; the last may be a part of
// one.
constexpr double kOffGrid = 0.2;

void PutOnGrid(std::vector<std::vector<double>>& intervals) {
  if (intervals.empty()) return;
  const double width = std::round(intervals[0][0] * 10) / 10;
  if (width <= 0) return;
  double last = 0;
  for (auto& interval : intervals) {
    const double count = std::round(interval[0] / width);
    const double end = std::round(count * width * 1000) / 1000;
    if (end > last && std::abs(interval[0] - end) < kOffGrid * width) interval[0] = end;
    last = interval[0];
  }
}

// Time that no interval is of, as if its line were lost.
void NoteGaps(const Flow& flow, Measurements& result) {
  constexpr double kLeast = 0.1;  // s: each side has its own clock
  double last = 0;
  double width = 0;
  const auto text = [](double seconds) { return NumberText(std::round(seconds * 10) / 10); };
  const auto check = [&](double start) {
    if (start - last <= std::max(kLeast, kOffGrid * width)) return;
    result.notes.push_back(absl::StrCat("intervals of direction ", flow.direction,
                                        " do not join: none is of ", text(last), " to ",
                                        text(start), " s"));
  };
  for (const auto& [start, end] : flow.times) {
    check(start);
    last = end;
    width = end - start;
  }
  check(flow.seconds);
}

}  // namespace

std::string Otherwise(const Done& done, const v1::suites::IperfSpec* spec) {
  constexpr double kShortest = 0.99;  // they keep the time to some milliseconds
  if (spec == nullptr) return {};
  if (done.streams != 0 && done.streams != spec->streams()) {
    return absl::StrCat("it has ", done.streams, " streams, not ", spec->streams());
  }
  if (done.seconds < kShortest * spec->duration()) {
    return absl::StrCat("it ends after ", NumberText(done.seconds), " s, not ", spec->duration());
  }
  const bool backward = spec->reverse() || spec->bidirectional();
  if (done.forward == spec->reverse() || done.reverse != backward) {
    return "its directions are not those that the spec asks for";
  }
  if (done.udp != (spec->protocol() == "UDP")) {
    return absl::StrCat("it is of ", done.udp ? "UDP" : "TCP", ", not of ", spec->protocol());
  }
  if (done.bitrate != 0 && spec->bitrate() != 0 && done.bitrate != spec->bitrate()) {
    return absl::StrCat("it was held to ", NumberText(done.bitrate), " Mbit/s, not ",
                        spec->bitrate());
  }
  if (done.length == 0 || spec->length() == 0 || done.length == spec->length()) return {};
  return absl::StrCat("it has a length of ", NumberText(done.length), " B, not ", spec->length());
}

void AddFlow(Flow flow, Measurements& result) {
  using enum Better;
  const Dimensions direction = {{"direction", flow.direction}};
  const auto add = [&](const char* name, double value, const char* unit, Better better,
                       bool headline) {
    result.measurements.push_back({name, value, unit, better, headline, direction});
  };
  const auto add_rate = [&](const char* name, double bits, double of_parts, double counted,
                            bool headline) {
    std::string fault = FaultOfTotal(bits / kGiga, of_parts / kGiga, "Gbit/s");
    if (fault.empty()) fault = FaultOfRate(bits / kGiga, counted / kGiga, "Gbit/s");
    if (fault.empty()) return add(name, bits / kGiga, "Gbit/s", kHigher, headline);
    result.failures.push_back({name, LeftOut(direction, fault)});
  };
  add_rate("throughput", flow.received_bits_per_s, flow.parts_received_bits_per_s,
           flow.counted_received_bits_per_s, true);
  add_rate("throughput_sent", flow.sent_bits_per_s, flow.parts_sent_bits_per_s,
           flow.counted_sent_bits_per_s, false);
  if (flow.loss) {
    const std::string fault = FaultOfShare(flow.lost_percent);
    if (fault.empty()) {
      add("lost", flow.lost_percent, "%", kLower, true);
    } else {
      result.failures.push_back({"lost", LeftOut(direction, fault)});
    }
    add("lost_packets", flow.loss->lost, "", kLower, false);
    add("packets", flow.loss->packets, "", kNone, false);
    add("jitter", flow.loss->jitter_ms, "ms", kLower, true);
  } else if (flow.retransmits) {
    add("retransmits", *flow.retransmits, "", kLower, true);
  }
  if (flow.intervals.empty()) return;
  NoteGaps(flow, result);
  PutOnGrid(flow.intervals);
  result.series.push_back({"throughput_over_time",
                           direction,
                           {{"time", "s"}, {"throughput", "Gbit/s", kHigher}},
                           std::move(flow.intervals)});
}

void SayHow(const Done& done, Measurements& result) {
  constexpr double kUsualLength = 131072;  // of TCP
  Dimensions how;
  const auto say = [&](bool is_said, const char* name, const auto& value) {
    if (is_said) how.emplace_back(name, absl::StrCat(value));
  };
  say(done.udp, "protocol", "UDP");
  say(done.streams > 0, "streams", done.streams);
  say(done.forward && done.reverse, "bidirectional", "true");
  say(done.bitrate > 0, "bitrate", NumberText(done.bitrate));
  say(done.length > 0 && (done.udp || done.length != kUsualLength), "length",
      NumberText(done.length));
  const auto add = [&](Dimensions& dimensions) {
    dimensions.insert(dimensions.end(), how.begin(), how.end());
  };
  for (Measurement& one : result.measurements) add(one.dimensions);
  for (Series& series : result.series) add(series.dimensions);
}

std::string FaultOfShare(double percent) {
  return percent > 100 ? absl::StrCat(NumberText(percent), " % is more than all") : "";
}

std::optional<Loss> ToLoss(const Row& row) {
  if (row.rest.size() < 3 || row.rest[1] != "ms") return std::nullopt;
  std::string_view share = row.rest[2];
  const auto jitter = ToNumber(row.rest[0]);
  const auto lost = TakeNumber(share);
  if (!jitter || !lost || !share.starts_with('/')) return std::nullopt;
  share.remove_prefix(1);
  if (share.empty() && row.rest.size() > 3) share = row.rest[3];  // "12/  893 (1.3%)"
  const auto packets = ToNumber(share);
  if (!packets) return std::nullopt;
  return Loss{*jitter, *lost, *packets};
}

}  // namespace twofold::suite::iperf
