#include "kubernetes/lifecycle/journal/journal_lines.h"

#include <absl/strings/str_cat.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <variant>

#include "kubernetes/lifecycle/moments/kind.h"
#include "kubernetes/lifecycle/moments/observer.h"
#include "kubernetes/lifecycle/moments/trim.h"

namespace twofold::lifecycle {
namespace {

using Line = v1::LifecycleLine;

constexpr std::uint32_t kVersion = 1;
constexpr std::int64_t kEndNs = (std::int64_t{1} << 33) * 1'000'000'000;  // in 2242
constexpr int kDeepest = 100;  // as protobuf has it; objects of Kubernetes have some twenty levels
constexpr std::array<std::string_view, 4> kEventNames = {"listed", "added", "modified", "deleted"};

Status Wrong(const std::string& field, const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat(field, ": ", what));
}

std::string Dump(const Object& object) {
  return object.dump(-1, ' ', false, Object::error_handler_t::replace);
}

/// With its end. Empty: it has text that is no UTF-8, so no JSON.
std::string Text(const Line& line) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  std::string text;
  const auto made = google::protobuf::util::MessageToJsonString(line, &text, options);
  return made.ok() ? text + "\n" : "";
}

// ---- writing

/// Fills the member of a line that is the input's.
class LineWriter {
 public:
  LineWriter(Line& line, const Kind& kind, const Anchor& anchor)
      : line_(line), kind_(kind), anchor_(anchor) {}

  void operator()(const input::Expect& one) { SetPlanned(one, *line_.mutable_expect()); }
  void operator()(const input::Plan& one) { SetPlanned(one, *line_.mutable_plan()); }
  void operator()(const input::Sent& one) { SetNames(one, *line_.mutable_sent()); }
  void operator()(const input::Replied& one) { SetNames(one, *line_.mutable_replied()); }
  void operator()(const input::Refused& one) {
    SetNames(one, *line_.mutable_refused());
    line_.mutable_refused()->set_why(std::string(one.why));
  }
  void operator()(const input::Seen& one) {
    Line::Seen& seen = *line_.mutable_seen();
    seen.set_event(std::string(kEventNames[static_cast<std::size_t>(one.event)]));
    seen.set_object(Dump(Trimmed(kind_, one.object)));
    if (one.blind_since) seen.set_blind_since(anchor_.UnixNs(*one.blind_since));
  }
  void operator()(const input::Alive& one) { SetKind(one, *line_.mutable_alive()); }
  void operator()(const input::Listing& one) { SetKind(one, *line_.mutable_listing()); }
  void operator()(const input::Listed& one) { SetKind(one, *line_.mutable_listed()); }
  void operator()(const input::CanaryWritten& one) {
    line_.mutable_canary_written()->set_name(std::string(one.name));
    line_.mutable_canary_written()->set_replied(anchor_.UnixNs(one.replied));
  }
  void operator()(const input::CanarySeen& one) {
    line_.mutable_canary_seen()->set_name(std::string(one.name));
  }
  void operator()(const input::Resume&) { line_.mutable_resume(); }

 private:
  template <typename One>
  void SetNames(const One& one, Line::Workload& to) {
    to.set_space(std::string(one.space));
    to.set_name(std::string(one.name));
  }
  template <typename One>
  void SetPlanned(const One& one, Line::Workload& to) {
    SetNames(one, to);
    to.set_slots(one.slots);
    to.set_wave(one.beside.wave);
    to.set_claims(one.beside.claims);
  }
  template <typename One>
  void SetKind(const One& one, Line::Stream& to) {
    to.set_name(std::string(one.object_kind));
  }

  Line& line_;
  const Kind& kind_;
  const Anchor& anchor_;
};

// ---- reading

Status ReadMessage(const std::string& text, Line& line) {
  const auto read = google::protobuf::util::JsonStringToMessage(text, &line);
  if (read.ok()) return absl::OkStatus();
  // "(plan.slots): invalid value 99999999999 for type TYPE_UINT32"
  std::string why(read.message());
  std::erase_if(why, [](char c) { return c == '(' || c == ')'; });
  return absl::InvalidArgumentError(why);
}

/// A line of an earlier version: what it is about stands under "do", beside what it says of that.
Status ReadEarlier(Object object, Line& read) {
  Object line = Object::object();
  if (object.contains("journal")) {
    line["head"] = {{"version", object["journal"]}, {"record", Dump(object["record"])}};
  } else {
    const std::string what = TextAt(object, "/do");
    if (Line::descriptor()->FindFieldByName(what) == nullptr) {
      return Wrong("do", absl::StrCat("'", what, "' is not known"));
    }
    if (object.contains("t")) line["t"] = object["t"];
    object.erase("t");
    object.erase("do");
    if (object.contains("object")) object["object"] = Dump(object["object"]);
    if (object.contains("other")) {
      object[what == "seen" ? "blind_since" : "replied"] = object["other"];
      object.erase("other");
    }
    line[what] = std::move(object);
  }
  read.Clear();
  return ReadMessage(Dump(line), read);
}

bool IsTime(std::int64_t unix_ns) { return 0 <= unix_ns && unix_ns < kEndNs; }

template <typename One>
One PlannedIn(const Line::Workload& line, Instant at) {
  return {line.space(), line.name(), line.slots(), at, {line.wave(), line.claims()}};
}

Status TellSeen(Observer& observer, const Line::Seen& line, Instant at, const Anchor& anchor) {
  const Object object = Object::parse(line.object(), nullptr, false);
  if (!object.is_object()) return Wrong("object", "there is none");
  const auto* const event = std::find(kEventNames.begin(), kEventNames.end(), line.event());
  if (event == kEventNames.end()) {
    return Wrong("event", "none of listed, added, modified, deleted");
  }
  const auto blind_since =
      line.has_blind_since() ? std::optional(anchor.At(line.blind_since())) : std::nullopt;
  observer.Tell(
      input::Seen{static_cast<Event>(event - kEventNames.begin()), object, at, blind_since});
  return absl::OkStatus();
}

/// Errors   kInvalidArgument: a time that a line of its sort has is none.
Status CheckTimes(const Line& line) {
  const bool timeless = line.has_head() || line.has_full();
  if (!timeless && !(line.has_t() && IsTime(line.t()))) {
    return Wrong("t", "there is no time in Unix nanoseconds");
  }
  const Line::Canary& written = line.canary_written();
  if (line.has_canary_written() && !(written.has_replied() && IsTime(written.replied()))) {
    return Wrong("replied", "there is no time");
  }
  if (line.seen().has_blind_since() && !IsTime(line.seen().blind_since())) {
    return Wrong("blind_since", "is no time");
  }
  return absl::OkStatus();
}

}  // namespace

std::string HeadLine(const Object& record) {
  Object bare = record;
  if (bare.contains("metadata") && bare["metadata"].is_object()) {
    bare["metadata"].erase("managedFields");
  }
  Line line;
  line.mutable_head()->set_version(kVersion);
  line.mutable_head()->set_record(Dump(bare));
  return Text(line);
}

std::string LineOf(const Input& input, const Kind& kind, const Anchor& anchor) {
  Line line;
  line.set_t(std::visit([&](const auto& one) { return anchor.UnixNs(one.at); }, input));
  std::visit(LineWriter(line, kind, anchor), input);
  return Text(line);
}

std::string LineOf(const Tally& tally, std::int64_t unix_ns) {
  const SendCounts& sending = tally.sending;
  Line line;
  line.set_t(unix_ns);
  Line::Tally& to = *line.mutable_tally();
  to.set_sent(sending.sent);
  to.set_created(sending.created);
  to.set_late(sending.late);
  to.set_repeated(sending.repeated);
  to.set_throttled(sending.throttled);
  to.set_throttled_ns(static_cast<std::uint64_t>(sending.throttled_time.count()));
  to.mutable_refused()->insert(sending.refused.begin(), sending.refused.end());
  to.set_refusal(sending.refusal);
  to.set_breaks(tally.breaks);
  to.set_resumed(tally.resumed);
  to.mutable_watchers()->Assign(tally.watchers.begin(), tally.watchers.end());
  return Text(line);
}

std::string FullLine() {
  Line line;
  line.mutable_full();
  return Text(line);
}

Result<Line> ReadLine(const std::string& text) {
  Line line;
  Status status = ReadMessage(text, line);
  if (!status.ok()) {
    // What lies deeper is left out: to write it again would take the stack.
    const auto is_shallow = [](int depth, auto, const Object&) { return depth <= kDeepest; };
    Object earlier = Object::parse(text, is_shallow, false);
    if (!earlier.is_object()) return absl::InvalidArgumentError("it is no JSON object");
    const bool is_earlier = earlier.contains("do") || earlier.contains("journal");
    if (is_earlier) status = ReadEarlier(std::move(earlier), line);
  }
  if (status.ok()) status = CheckTimes(line);
  if (!status.ok()) return status;
  return line;
}

Result<Object> RecordIn(const Line& line) {
  if (!line.has_head()) {
    return Wrong("journal", "the first line has no record: this is no journal of a run");
  }
  if (line.head().version() != kVersion) {
    return Wrong("journal", absl::StrCat("version ", line.head().version(), "; this program reads ",
                                         kVersion));
  }
  Object record = Object::parse(line.head().record(), nullptr, false);
  if (!record.is_object()) return Wrong("record", "it is no JSON object");
  return record;
}

Tally TallyOf(const Line::Tally& line) {
  Tally tally;
  SendCounts& sending = tally.sending;
  sending.sent = line.sent();
  sending.created = line.created();
  sending.late = line.late();
  sending.repeated = line.repeated();
  sending.throttled = line.throttled();
  sending.throttled_time =
      Duration(static_cast<std::int64_t>(std::min<std::uint64_t>(line.throttled_ns(), kEndNs)));
  sending.refused = {line.refused().begin(), line.refused().end()};
  sending.refusal = line.refusal();
  tally.breaks = line.breaks();
  tally.resumed = line.resumed();
  tally.watchers = {line.watchers().begin(), line.watchers().end()};
  return tally;
}

Status Tell(Observer& observer, const Line& line, const Anchor& anchor) {
  const Instant at = anchor.At(line.t());
  const auto tell = [&](const Input& input) { return observer.Tell(input); };
  switch (line.what_case()) {
    case Line::kExpect:
      return tell(PlannedIn<input::Expect>(line.expect(), at));
    case Line::kPlan:
      return tell(PlannedIn<input::Plan>(line.plan(), at));
    case Line::kSent:
      return tell(input::Sent{line.sent().space(), line.sent().name(), at});
    case Line::kReplied:
      return tell(input::Replied{line.replied().space(), line.replied().name(), at});
    case Line::kRefused:
      return tell(
          input::Refused{line.refused().space(), line.refused().name(), line.refused().why(), at});
    case Line::kSeen:
      return TellSeen(observer, line.seen(), at, anchor);
    case Line::kAlive:
      return tell(input::Alive{line.alive().name(), at});
    case Line::kListing:
      return tell(input::Listing{line.listing().name(), at});
    case Line::kListed:
      return tell(input::Listed{line.listed().name(), at});
    case Line::kCanaryWritten:
      return tell(input::CanaryWritten{line.canary_written().name(), at,
                                       anchor.At(line.canary_written().replied())});
    case Line::kCanarySeen:
      return tell(input::CanarySeen{line.canary_seen().name(), at});
    case Line::kResume:
      return tell(input::Resume{at});
    default:
      return Wrong("do", "it says nothing that is known");
  }
}

}  // namespace twofold::lifecycle
