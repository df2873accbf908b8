#include "lib/show/message.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <string_view>
#include <unordered_map>

#include "lib/rpc/limits.h"
#include "lib/words/run_state.h"
#include "lib/words/word.h"
#include "twofold/v1/queue.pb.h"
#include "twofold/v1/results.pb.h"

namespace twofold::show {
namespace {

using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// ---- what descriptors do not say

enum class Rule {
  kHidden,
  kIfAny,   ///< left out when it is empty
  kId,      ///< a number that names a job: text, empty if it is 0
  kNamed,   ///< as `key`
  kSize,    ///< only how many bytes
  kParsed,  ///< text that is JSON itself
  kFlat,    ///< its fields stand among those of the message around it, set or not
  kInto,    ///< `KEY_x` becomes `x` of a map `key`
  kPairs,   ///< of a message: a list of them is a map from name to value
  kMade,    ///< the value is `make`'s
  kThen,    ///< after it comes `key`, with `make`'s value
};

struct Fact {
  const char* of;  // without the package
  Rule rule;
  const char* key = nullptr;
  Json (*make)(const Message&) = nullptr;
};

template <typename M>
const M& As(const Message& message) {
  return static_cast<const M&>(message);
}

Json StateOfQueue(const Message& message) {
  const auto& queue = As<v1::Queue>(message);
  return queue.draining() ? "draining" : queue.paused() ? "paused" : "open";
}

/// The first that is true counts.
Json StateOfWorker(const Message& message) {
  const auto& worker = As<v1::Worker>(message);
  if (!worker.connected()) return "away";
  if (worker.silent()) return "silent";
  return worker.draining() ? "draining" : worker.paused() ? "paused" : "open";
}

Json StateOfRun(const Message& message) { return StateOf(As<v1::Run>(message)); }
Json OutcomeOfJob(const Message& message) { return OutcomeOf(As<v1::JobResult>(message)); }

Json Succeeded(const Message& message) { return SucceededOf(As<v1::RunCounts>(message)); }
Json Withdrawn(const Message& message) { return WithdrawnOf(As<v1::RunCounts>(message)); }
Json Failed(const Message& message) {
  const auto& counts = As<v1::RunCounts>(message);
  return EndedOf(counts) - SucceededOf(counts) - WithdrawnOf(counts);
}

/// Statistics that need two values.
template <double (*kValue)(const v1::MetricResult&)>
Json OfSeveral(const Message& message) {
  const auto& metric = As<v1::MetricResult>(message);
  return metric.n() > 1 ? Json(kValue(metric)) : Json();
}

double Sd(const v1::MetricResult& metric) { return metric.sd(); }
double Cv(const v1::MetricResult& metric) { return metric.cv(); }
double HalfWidth(const v1::MetricResult& metric) { return metric.half_width(); }
double Lower(const v1::MetricResult& metric) { return metric.mean() - metric.half_width(); }
double Upper(const v1::MetricResult& metric) { return metric.mean() + metric.half_width(); }

Json HalfWidthOfRow(const Message& message) {
  const auto& point = As<v1::SeriesPoint>(message);
  return point.n() > 1 ? Json(point.half_width()) : Json();
}

constexpr Fact kFacts[] = {
    {"Artifact.zstd", Rule::kHidden},
    {"Dimension", Rule::kPairs},
    {"Explanation.held_by", Rule::kId},
    {"Job.id", Rule::kId},
    {"Job.requeued_as", Rule::kId},
    {"Job.worker", Rule::kFlat},
    {"JobResult.id", Rule::kId, "job"},
    {"JobResult.outcome", Rule::kMade, nullptr, OutcomeOfJob},
    {"JobResult.place", Rule::kFlat},
    {"JobResult.state", Rule::kHidden},
    {"JobResult.submitted_again_as", Rule::kId},
    {"JobUpdate.output_missed", Rule::kNamed, "missed_bytes"},
    {"Measurement.at", Rule::kIfAny},
    {"MetricResult.at", Rule::kIfAny},
    {"MetricResult.cv", Rule::kMade, nullptr, OfSeveral<Cv>},
    {"MetricResult.doubt", Rule::kIfAny},
    {"MetricResult.half_width", Rule::kMade, nullptr, OfSeveral<HalfWidth>},
    {"MetricResult.half_width", Rule::kThen, "lower", OfSeveral<Lower>},
    {"MetricResult.half_width", Rule::kThen, "upper", OfSeveral<Upper>},
    {"MetricResult.looked", Rule::kIfAny},
    {"MetricResult.sd", Rule::kMade, nullptr, OfSeveral<Sd>},
    {"PermutationResult.jobs", Rule::kIfAny},
    {"PermutationResult.number", Rule::kNamed, "permutation"},
    {"PermutationResult.series", Rule::kIfAny},
    {"PermutationResult.series_values_left_out", Rule::kIfAny},
    {"PermutationResult.varied", Rule::kParsed},
    {"Queue.epoch", Rule::kIfAny},
    {"Queue.frontend", Rule::kIfAny},
    {"Queue.name", Rule::kThen, "state", StateOfQueue},
    {"Queue.store_trouble", Rule::kIfAny},
    {"Queue.workers_busy", Rule::kInto, "workers"},
    {"Queue.workers_draining", Rule::kInto, "workers"},
    {"Queue.workers_idle", Rule::kInto, "workers"},
    {"Report.data", Rule::kSize, "data_bytes"},
    {"Run.definition", Rule::kIfAny},
    {"Run.kind", Rule::kThen, "state", StateOfRun},
    {"Run.plan", Rule::kHidden},
    {"RunCounts.ended", Rule::kThen, "failed", Failed},
    {"RunCounts.ended", Rule::kThen, "succeeded", Succeeded},
    {"RunCounts.ended", Rule::kThen, "withdrawn", Withdrawn},
    {"SeriesPoint.half_width", Rule::kMade, nullptr, HalfWidthOfRow},
    {"Usage.cpu_quota", Rule::kIfAny},
    {"Usage.throttled_ns", Rule::kIfAny},
    {"Worker.busy", Rule::kThen, "state", StateOfWorker},
};

constexpr std::string_view kPackage = "twofold.v1.";

using Facts = std::vector<const Fact*>;

/// All that is said of a field or message.
const Facts& FactsOf(const std::string& full_name) {
  static const auto facts = [] {
    std::unordered_map<std::string, Facts> all;
    for (const Fact& fact : kFacts) all[absl::StrCat(kPackage.data(), fact.of)].push_back(&fact);
    return all;
  }();
  static const Facts kNone;
  const auto found = facts.find(full_name);
  return found == facts.end() ? kNone : found->second;
}

// ---- fields

/// A value of the field: its only one, or number `i` of its list.
template <typename T>
T Get(const Message& message, const FieldDescriptor& field, int i,
      T (Reflection::*one)(const Message&, const FieldDescriptor*) const,
      T (Reflection::*many)(const Message&, const FieldDescriptor*, int) const) {
  const Reflection& reflection = *message.GetReflection();
  return field.is_repeated() ? (reflection.*many)(message, &field, i)
                             : (reflection.*one)(message, &field);
}

const Message& Inner(const Message& message, const FieldDescriptor& field, int i) {
  const Reflection& reflection = *message.GetReflection();
  return field.is_repeated() ? reflection.GetRepeatedMessage(message, &field, i)
                             : reflection.GetMessage(message, &field);
}

Json ValueOf(const Message& message, const FieldDescriptor& field, int i = 0) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return Get(message, field, i, &Reflection::GetInt32, &Reflection::GetRepeatedInt32);
    case FieldDescriptor::CPPTYPE_INT64:
      return Get(message, field, i, &Reflection::GetInt64, &Reflection::GetRepeatedInt64);
    case FieldDescriptor::CPPTYPE_UINT32:
      return Get(message, field, i, &Reflection::GetUInt32, &Reflection::GetRepeatedUInt32);
    case FieldDescriptor::CPPTYPE_UINT64:
      return Get(message, field, i, &Reflection::GetUInt64, &Reflection::GetRepeatedUInt64);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return Get(message, field, i, &Reflection::GetDouble, &Reflection::GetRepeatedDouble);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return Get(message, field, i, &Reflection::GetFloat, &Reflection::GetRepeatedFloat);
    case FieldDescriptor::CPPTYPE_BOOL:
      return Get(message, field, i, &Reflection::GetBool, &Reflection::GetRepeatedBool);
    case FieldDescriptor::CPPTYPE_ENUM:
      return Word(*field.enum_type(), Get(message, field, i, &Reflection::GetEnumValue,
                                          &Reflection::GetRepeatedEnumValue));
    case FieldDescriptor::CPPTYPE_STRING:
      return Get(message, field, i, &Reflection::GetString, &Reflection::GetRepeatedString);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return ToJson(Inner(message, field, i));
  }
  return nullptr;
}

int SizeOf(const Message& message, const FieldDescriptor& field) {
  return message.GetReflection()->FieldSize(message, &field);
}

/// Maps by key in order, as they have none; pairs in their own.
Json MapOf(const Message& message, const FieldDescriptor& field) {
  std::map<std::string, Json> sorted;
  Json map = Json::object();
  for (int i = 0; i < SizeOf(message, field); ++i) {
    const Message& entry = Inner(message, field, i);
    const std::string key = ValueOf(entry, *entry.GetDescriptor()->field(0));
    (field.is_map() ? sorted[key] : map[key]) = ValueOf(entry, *entry.GetDescriptor()->field(1));
  }
  for (auto& [key, value] : sorted) map[key] = std::move(value);
  return map;
}

bool IsPairs(const FieldDescriptor& field) {
  if (field.message_type() == nullptr) return false;
  const Facts& facts = FactsOf(field.message_type()->full_name());
  return !facts.empty() && facts.front()->rule == Rule::kPairs;
}

Json ListOrValue(const Message& message, const FieldDescriptor& field) {
  if (!field.is_repeated()) return ValueOf(message, field);
  if (field.is_map() || IsPairs(field)) return MapOf(message, field);
  Json list = Json::array();
  for (int i = 0; i < SizeOf(message, field); ++i) list.push_back(ValueOf(message, field, i));
  return list;
}

bool IsEmpty(const Message& message, const FieldDescriptor& field) {
  return field.is_repeated() ? SizeOf(message, field) == 0
                             : !message.GetReflection()->HasField(message, &field);
}

void AddFields(const Message& message, Json& to);

/// A field about which the table says nothing. Times change their unit, and their name with it.
void AddPlain(const Message& message, const FieldDescriptor& field, const std::string& key,
              Json& to) {
  constexpr std::string_view kNs = "_ns";
  if (!field.is_repeated() && field.message_type() != nullptr && IsEmpty(message, field)) return;
  Json value = ListOrValue(message, field);
  if (!key.ends_with(kNs)) {
    to[key] = std::move(value);
    return;
  }
  const std::string name = absl::StrCat(key.substr(0, key.size() - 2), "seconds");
  const bool unknown = name.ends_with("_unix_seconds") && value == 0;
  to[name] = unknown ? Json() : Json(value.get<double>() / 1e9);
}

Json IdText(std::uint64_t id) { return id == 0 ? "" : std::to_string(id); }

void AddBy(const Fact& fact, const Message& message, const FieldDescriptor& field, Json& to) {
  const std::string key = fact.key == nullptr ? field.name() : fact.key;
  switch (fact.rule) {
    case Rule::kIfAny:
      if (!IsEmpty(message, field)) AddPlain(message, field, key, to);
      return;
    case Rule::kId:
      to[key] = IdText(ValueOf(message, field));
      return;
    case Rule::kNamed:
      return AddPlain(message, field, key, to);
    case Rule::kSize:
      to[key] = ValueOf(message, field).get_ref<const std::string&>().size();
      return;
    case Rule::kParsed:
      to[key] = Parsed(ValueOf(message, field));
      return;
    case Rule::kFlat:
      return AddFields(Inner(message, field, 0), to);
    case Rule::kInto:
      to[key][field.name().substr(key.size() + 1)] = ValueOf(message, field);
      return;
    case Rule::kMade:
    case Rule::kThen:
      to[key] = fact.make(message);
      return;
    case Rule::kHidden:
    case Rule::kPairs:
      return;
  }
}

void AddFields(const Message& message, Json& to) {
  const auto& descriptor = *message.GetDescriptor();
  for (int i = 0; i < descriptor.field_count(); ++i) {
    const FieldDescriptor& field = *descriptor.field(i);
    const Facts& facts = FactsOf(field.full_name());
    const bool is_plain = facts.empty() || facts.front()->rule == Rule::kThen;
    if (is_plain) AddPlain(message, field, field.name(), to);
    for (const Fact* fact : facts) AddBy(*fact, message, field, to);
  }
}

/// How many lists and maps are inside each other, if it is JSON.
std::size_t DepthOf(std::string_view text) {
  std::size_t depth = 0;
  std::size_t most = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '[' || c == '{')) {
      most = std::max(most, ++depth);
    } else if (!quoted && (c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return most;
}

}  // namespace

Json ToJson(const Message& message) {
  Json json = Json::object();
  AddFields(message, json);
  return json;
}

std::string Word(const EnumDescriptor& type, int value) {
  const auto* const known = type.FindValueByNumber(value);
  if (known == nullptr) return "unknown";
  const std::string word = twofold::Word(*known);
  return word == "unspecified" ? "" : word;
}

std::string OutcomeOf(const v1::JobResult& job) {
  if (job.state() == v1::JOB_STATE_WAITING || job.state() == v1::JOB_STATE_RUNNING) {
    return Word(job.state());
  }
  // Of a frontend that may be newer than this program.
  const std::string word = Word(job.outcome());
  return word.empty() ? "unknown" : word;
}

Json Parsed(const std::string& text) {
  if (DepthOf(text) > rpc::kMaxVariedDepth) return nullptr;
  Json json = Json::parse(text, nullptr, false);
  return json.is_discarded() ? Json() : json;
}

std::string WithKeysInOrder(const std::string& text) {
  const Json json = Parsed(text);
  return json.is_null() ? text : nlohmann::json(json).dump();
}

std::vector<std::string> NamesInTheTable() {
  std::vector<std::string> names;
  std::transform(std::begin(kFacts), std::end(kFacts), std::back_inserter(names),
                 [](const Fact& fact) { return absl::StrCat(kPackage.data(), fact.of); });
  return names;
}

}  // namespace twofold::show
