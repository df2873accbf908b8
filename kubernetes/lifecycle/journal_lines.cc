#include "kubernetes/lifecycle/journal_lines.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <optional>
#include <string_view>

#include "kubernetes/lifecycle/moments/fields.h"
#include "kubernetes/lifecycle/moments/trim.h"

namespace twofold::lifecycle {
namespace {

constexpr int kVersion = 1;
constexpr std::int64_t kEndNs = (std::int64_t{1} << 33) * 1'000'000'000;  // in 2242
constexpr const char* kTally = "tally";
constexpr const char* kFull = "full";

struct WhatRow {
  std::string_view name;
  bool needs_object = false;
  bool needs_other = false;
};

// In the order of the enum.
constexpr std::array<WhatRow, kWhats> kWhatRows = {{{"expect"},
                                                    {"plan"},
                                                    {"sent"},
                                                    {"replied"},
                                                    {"refused"},
                                                    {"seen", true},
                                                    {"alive"},
                                                    {"listing"},
                                                    {"listed"},
                                                    {"canary_written", false, true},
                                                    {"canary_seen"},
                                                    {"resume"}}};

constexpr std::array<std::string_view, 4> kEventNames = {"listed", "added", "modified", "deleted"};

const WhatRow& RowOf(What what) { return kWhatRows[static_cast<std::size_t>(what)]; }

std::string Dump(const Object& line) {
  return line.dump(-1, ' ', false, Object::error_handler_t::replace) + "\n";
}

Status Wrong(const std::string& field, const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat(field, ": ", what));
}

/// The place of `name` among `names`; as many as there are: nowhere.
template <typename Names, typename NameOfEach>
std::size_t PlaceOf(const Names& names, const std::string& name, NameOfEach name_of) {
  const auto found = std::find_if(names.begin(), names.end(),
                                  [&](const auto& each) { return name_of(each) == name; });
  return static_cast<std::size_t>(found - names.begin());
}

/// Unix nanoseconds; nullopt: there are none.
std::optional<std::int64_t> TimeAt(const Object& line, const char* key) {
  const auto found = line.find(key);
  if (found == line.end() || !found->is_number_integer()) return std::nullopt;
  if (found->is_number_unsigned() &&
      found->get<std::uint64_t>() >= static_cast<std::uint64_t>(kEndNs)) {
    return std::nullopt;
  }
  const auto ns = found->get<std::int64_t>();
  if (ns < 0 || ns >= kEndNs) return std::nullopt;
  return ns;
}

std::uint64_t NumberIn(const Object& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

std::uint32_t CountIn(const Object& line, const char* key) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::min(NumberIn(line, key), kMost));
}

/// Points into the line, which must be an object.
std::string_view TextIn(const Object& line, const char* key) {
  const auto found = line.find(key);
  if (found == line.end() || !found->is_string()) return {};
  return found->get_ref<const std::string&>();
}

Tally ReadTally(const Object& line) {
  Tally tally;
  SubmitCounts& sending = tally.sending;
  sending.sent = NumberIn(line, "sent");
  sending.created = NumberIn(line, "created");
  sending.late = NumberIn(line, "late");
  sending.repeated = NumberIn(line, "repeated");
  sending.throttled = NumberIn(line, "throttled");
  sending.throttled_time = Duration(
      static_cast<std::int64_t>(std::min<std::uint64_t>(NumberIn(line, "throttled_ns"), kEndNs)));
  sending.refusal = TextIn(line, "refusal");
  const auto refused = line.find("refused");
  if (refused != line.end() && refused->is_object()) {
    for (const auto& [reason, count] : refused->items()) {
      if (count.is_number_unsigned()) sending.refused[reason] = count.get<std::uint64_t>();
    }
  }
  tally.breaks = NumberIn(line, "breaks");
  tally.resumed = NumberIn(line, "resumed");
  const auto watchers = line.find("watchers");
  if (watchers != line.end() && watchers->is_array()) {
    for (const Object& host : *watchers) {
      if (host.is_string()) tally.watchers.insert(host.get<std::string>());
    }
  }
  return tally;
}

/// What the line has beside `do` and `t`.
Status ReadRest(const Object& line, const Anchor& anchor, Said& said) {
  said.space = TextIn(line, "space");
  said.name = TextIn(line, "name");
  said.why = TextIn(line, "why");
  said.slots = CountIn(line, "slots");
  said.beside = {CountIn(line, "wave"), CountIn(line, "claims")};
  const auto object = line.find("object");
  if (object != line.end()) said.object = &*object;
  if (const auto other = TimeAt(line, "other")) said.other = anchor.At(*other);
  const WhatRow& row = RowOf(said.what);
  if (row.needs_object && (said.object == nullptr || !said.object->is_object())) {
    return Wrong("object", "there is none");
  }
  if (row.needs_other && !said.other) return Wrong("other", "there is no time");
  if (!row.needs_object) return absl::OkStatus();
  const std::size_t event = PlaceOf(kEventNames, std::string(TextIn(line, "event")),
                                    [](std::string_view each) { return each; });
  if (event == kEventNames.size())
    return Wrong("event", "none of listed, added, modified, deleted");
  said.event = static_cast<Event>(event);
  return absl::OkStatus();
}

}  // namespace

std::string HeadLine(const Object& record) {
  Object bare = record;
  if (bare.contains("metadata") && bare["metadata"].is_object()) {
    bare["metadata"].erase("managedFields");
  }
  return Dump({{"journal", kVersion}, {"record", std::move(bare)}});
}

Result<Object> ReadHead(const Object& line) {
  const bool fits = line.is_object() && line.contains("journal") && line.contains("record");
  if (!fits) return Wrong("journal", "the first line has no record: this is no journal of a run");
  if (line["journal"] != kVersion) {
    return Wrong("journal", absl::StrCat("version ", line["journal"].dump(),
                                         "; this program reads ", kVersion));
  }
  return line["record"];
}

std::string LineOf(const Said& said, const Kind& kind, const Anchor& anchor) {
  Object line = {{"t", anchor.UnixNs(said.at)}, {"do", std::string(RowOf(said.what).name)}};
  const auto put = [&](const char* key, std::string_view text) {
    if (!text.empty()) line[key] = std::string(text);
  };
  put("space", said.space);
  put("name", said.name);
  put("why", said.why);
  const auto count = [&](const char* key, std::uint32_t value) {
    if (value > 0) line[key] = value;
  };
  count("slots", said.slots);
  count("wave", said.beside.wave);
  count("claims", said.beside.claims);
  if (said.other) line["other"] = anchor.UnixNs(*said.other);
  if (said.object != nullptr) {
    put("event", kEventNames[static_cast<std::size_t>(said.event)]);
    line["object"] = Trimmed(kind, *said.object);
  }
  return Dump(line);
}

std::string LineOf(const Tally& tally, std::int64_t unix_ns) {
  const SubmitCounts& sending = tally.sending;
  return Dump({{"t", unix_ns},
               {"do", kTally},
               {"sent", sending.sent},
               {"created", sending.created},
               {"late", sending.late},
               {"repeated", sending.repeated},
               {"throttled", sending.throttled},
               {"throttled_ns", static_cast<std::uint64_t>(sending.throttled_time.count())},
               {"refused", sending.refused},
               {"refusal", sending.refusal},
               {"breaks", tally.breaks},
               {"resumed", tally.resumed},
               {"watchers", tally.watchers}});
}

std::string FullLine() { return Dump({{"do", kFull}}); }

Status TakeLine(const Object& line, const Anchor& anchor, Observer& observer, Aside& aside) {
  if (!line.is_object()) return Wrong("line", "it is no JSON object");
  const std::string name(TextIn(line, "do"));
  if (name == kFull) {
    aside.tally.full = true;
    return absl::OkStatus();
  }
  const auto at = TimeAt(line, "t");
  if (!at) return Wrong("t", "there is no time in Unix nanoseconds");
  if (name == kTally) {
    const bool full = aside.tally.full;
    aside.tally = ReadTally(line);
    aside.tally.full = full;
    aside.latest = std::max(aside.latest, anchor.At(*at));
    return absl::OkStatus();
  }
  const std::size_t what = PlaceOf(kWhatRows, name, [](const WhatRow& each) { return each.name; });
  if (what == kWhats) return Wrong("do", absl::StrCat("'", name, "' is not known"));
  Said said{.what = static_cast<What>(what), .at = anchor.At(*at)};
  if (Status status = ReadRest(line, anchor, said); !status.ok()) return status;
  return Tell(observer, said);
}

}  // namespace twofold::lifecycle
