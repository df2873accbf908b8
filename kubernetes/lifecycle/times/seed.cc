#include "kubernetes/lifecycle/times/seed.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/time/time.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "kubernetes/lifecycle/times/choice.h"
#include "lib/common/printable.h"

namespace twofold::lifecycle {
namespace {

using show::Json;

constexpr std::size_t kMostEntries = 200'000;
constexpr std::size_t kLongestName = 253;
constexpr std::int64_t kMicros = 1'000'000;
constexpr const char* kSubmittedHeading = "Workload Submitted";  // in times.csv

struct SeedField {
  SeedMoment moment;
  const char* key;      // in sampled.json
  const char* heading;  // in times.csv
  bool required;
  std::optional<SeedMoment> none;  // the same time as this one means "none"
  bool of_each = false;            // but not if another workload has one: then each has
};

constexpr auto kDecided = SeedMoment::kDecision;
constexpr std::array<SeedField, kSeedMoments - 1> kSeedFields = {{
    {SeedMoment::kWorkload, "workloadCreatedTimestamp", "Workload Created", true, {}},
    {SeedMoment::kJob, "jobCreatedTimestamp", "Job Created", true, {}},
    {SeedMoment::kFirstPod, "firstPodCreatedTimestamp", "First Pod Created", true, {}},
    {SeedMoment::kLastPod, "lastPodCreatedTimestamp", "Last Pod Created", true, {}},
    {SeedMoment::kPodGroup, "podGroupCreatedTimestamp", "Pod Group Created", true, {}},
    {SeedMoment::kDecision, "podSchedulingDecisionTimestamp", "Pod Scheduling Decision", true, {}},
    {SeedMoment::kFirstEviction, "firstEvictionTimestamp", "First Eviction", false, kDecided},
    {SeedMoment::kPvcRequest, "firstPVCBindRequestTimestamp", "First PVC Bind Request", false,
     kDecided},
    {SeedMoment::kPvcBind, "firstPVCBindTimestamp", "First PVC Bind", false, kDecided},
    {SeedMoment::kBackend, "backendJobCreatedTimestamp", "Backend Job Created", false,
     SeedMoment::kWorkload, true},
}};

// The tool takes the last bind from itself, which is always 0.
constexpr std::array<SeedSpan, kSeedSpanCount> kSeedSpans = {{
    {"Workload Creation (s)", "workload_creation", SeedMoment::kSubmitted, SeedMoment::kWorkload},
    {"Job Creation (s)", "job_creation", SeedMoment::kWorkload, SeedMoment::kJob},
    {"First Pod Creation (s)", "first_pod_creation", SeedMoment::kJob, SeedMoment::kFirstPod},
    {"Last Pod Creation (s)", "last_pod_creation", SeedMoment::kJob, SeedMoment::kLastPod},
    {"Pod Group Creation (s)", "pod_group_creation", SeedMoment::kFirstPod, SeedMoment::kPodGroup},
    {"Pod Scheduling Decision (s)", "decision", SeedMoment::kPodGroup, SeedMoment::kDecision},
    {"First Eviction (s)", "first_eviction", SeedMoment::kPodGroup, SeedMoment::kFirstEviction},
    {"First PVC Bind Request (s)", "pvc_request", SeedMoment::kPodGroup, SeedMoment::kPvcRequest},
    {"First PVC Bind (s)", "pvc_bind", SeedMoment::kPvcRequest, SeedMoment::kPvcBind},
    {"Backend Job Creation (s)", "backend_creation", SeedMoment::kPodGroup, SeedMoment::kBackend},
    {"Total Pod Scheduling Decision (s)", "total_decision", SeedMoment::kSubmitted,
     SeedMoment::kDecision},
    {"Total Backend Job Creation (s)", "total_backend", SeedMoment::kSubmitted,
     SeedMoment::kBackend},
}};

const std::optional<SeedInstant>& At(const SeedWorkload& row, SeedMoment moment) {
  return row.instants[static_cast<std::size_t>(moment)];
}
std::optional<SeedInstant>& At(SeedWorkload& row, SeedMoment moment) {
  return row.instants[static_cast<std::size_t>(moment)];
}

// ---- reading

Status BadEntry(const char* file, std::size_t entry, const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat(file, ": entry ", entry, ": ", what));
}

Result<Json> ListIn(const char* file, std::string_view text) {
  // A depth of three is enough for these files, and bounds what brackets can ask for.
  const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth < 4; };
  Json list = Json::parse(text, shallow, false);
  if (!list.is_array()) {
    return absl::InvalidArgumentError(absl::StrCat(
        file, ": no JSON list; it is written whole by the tool, so a torn file must be made anew"));
  }
  if (list.size() > kMostEntries) {
    return absl::InvalidArgumentError(
        absl::StrCat(file, ": ", list.size(), " entries; ", kMostEntries, " are the most"));
  }
  return list;
}

std::optional<std::string> WordOf(const Json& entry, const char* key) {
  const auto found = entry.is_object() ? entry.find(key) : entry.end();
  if (!entry.is_object() || found == entry.end() || !found->is_string()) return std::nullopt;
  auto word = found->get<std::string>();
  if (word.empty() || word.size() > kLongestName) return std::nullopt;
  return word;
}

/// With microseconds if they are written, and in UTC if no zone is.
std::optional<SeedInstant> InstantOf(std::string text) {
  absl::Time time;
  std::string error;
  std::replace(text.begin(), text.end(), ' ', 'T');
  const bool read = absl::ParseTime(absl::RFC3339_full, text, &time, &error) ||
                    absl::ParseTime("%Y-%m-%dT%H:%M:%E*S", text, &time, &error);
  // ISO 8601 has years of four digits; microseconds of all of them can be subtracted.
  static const absl::Time kFirst = absl::FromCivil(absl::CivilYear(1), absl::UTCTimeZone());
  static const absl::Time kEnd = absl::FromCivil(absl::CivilYear(10'000), absl::UTCTimeZone());
  if (!read || time < kFirst || time >= kEnd) return std::nullopt;
  const std::int64_t us = absl::ToUnixMicros(time);
  return SeedInstant{us, text.find('.') == std::string::npos};
}

using SeedKey = std::pair<std::string, std::string>;  // namespace, name

Status ReadSubmitted(const Json& list, std::map<SeedKey, SeedInstant>& submitted, SeedData& data) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (const char* key : {"jobName", "jobNamespace", "submitTimestamp"}) {
      if (!WordOf(list[i], key))
        return BadEntry("submitted.json", i, absl::StrCat(key, ": no text"));
    }
    auto instant = InstantOf(*WordOf(list[i], "submitTimestamp"));
    if (!instant) return BadEntry("submitted.json", i, "submitTimestamp: no time in ISO 8601");
    instant->whole_second = false;  // the tool leaves a fraction of zero out
    const SeedKey key(*WordOf(list[i], "jobNamespace"), *WordOf(list[i], "jobName"));
    if (!submitted.insert_or_assign(key, *instant).second) data.resubmitted.push_back(key.second);
  }
  return absl::OkStatus();
}

Result<SeedWorkload> WorkloadOf(const Json& entry, std::size_t number) {
  SeedWorkload row;
  for (const auto& [key, to] : {std::pair{"jobName", &row.name}, {"jobNamespace", &row.space}}) {
    const auto word = WordOf(entry, key);
    if (!word) return BadEntry("sampled.json", number, absl::StrCat(key, ": no text"));
    *to = *word;
  }
  row.project = WordOf(entry, "projectName").value_or("");
  for (const SeedField& field : kSeedFields) {
    const auto word = WordOf(entry, field.key);
    if (!word && !field.required) continue;
    const auto instant = InstantOf(word.value_or(""));
    if (!instant) {
      return BadEntry("sampled.json", number, absl::StrCat(field.key, ": no time in ISO 8601"));
    }
    At(row, field.moment) = *instant;
  }
  return row;
}

bool MayMeanNone(const SeedField& field, const SeedWorkload& row) {
  const auto& own = At(row, field.moment);
  const auto& none = field.none ? At(row, *field.none) : std::nullopt;
  return own && none && own->unix_us == none->unix_us;
}

/// Takes out what means "none", or may mean it.
void TakeOutNone(const SeedField& field, SeedData& data) {
  const bool asked_for = std::any_of(data.rows.begin(), data.rows.end(), [&](const auto& row) {
    return At(row, field.moment) && !MayMeanNone(field, row);
  });
  if (asked_for && field.of_each) return;
  for (SeedWorkload& row : data.rows) {
    if (!MayMeanNone(field, row)) continue;
    At(row, field.moment).reset();
    if (asked_for) ++data.doubtful[field.key];
  }
}

/// "firstEvictionTimestamp 38, firstPVCBindTimestamp 35": of how many workloads.
std::string DoubtfulNote(const SeedData& data) {
  const auto name = [](std::string* out, const auto& each) {
    absl::StrAppend(out, each.first, " ", each.second);
  };
  return absl::StrCat(
      "left out, of so many workloads of the file: ", absl::StrJoin(data.doubtful, ", ", name),
      "; they have the very time of the decision, which is how the tool writes "
      "\"none\", so what truly came in that second is left out with them");
}

// ---- writing

std::string SeedTime(const SeedInstant& instant, const char* form) {
  return absl::FormatTime(form, absl::FromUnixMicros(instant.unix_us), absl::UTCTimeZone());
}

Json SeedRow(const SeedWorkload& row) {
  Json json = {{"jobName", row.name}, {"jobNamespace", row.space}, {"projectName", row.project}};
  for (const SeedField& field : kSeedFields) {
    const auto& instant = At(row, field.moment);
    json[field.heading] = instant ? Json(SeedTime(*instant, "%Y-%m-%d %H:%M:%E*S")) : Json();
  }
  const auto& submitted = At(row, SeedMoment::kSubmitted);
  json[kSubmittedHeading] = submitted ? Json(SeedTime(*submitted, "%Y-%m-%d %H:%M:%E*S")) : Json();
  for (const SeedSpan& span : kSeedSpans) {
    const auto value = Measure(span, row);
    json[span.heading] = value ? Json(std::round(value->Middle() * 1e6) / 1e6) : Json();
  }
  return json;
}

show::Columns SeedColumns() {
  show::Columns columns = {{"", "jobName"}, {"", "jobNamespace"}, {"", "projectName"}};
  for (const SeedField& field : kSeedFields) columns.push_back({"", field.heading});
  columns.push_back({"", kSubmittedHeading});
  for (const SeedSpan& span : kSeedSpans) columns.push_back({"", span.heading});
  return columns;
}

std::optional<SeedInstant> SeenAt(const Sights& sights, Moment moment, const Anchor& anchor) {
  const auto& sight = Of(sights, moment);
  if (!sight) return std::nullopt;
  return SeedInstant{anchor.UnixNs(sight->at) / 1000, false};
}

bool EndsBeforeItBegins(const SeedWorkload& row) {
  return std::any_of(kSeedSpans.begin(), kSeedSpans.end(), [&](const SeedSpan& span) {
    const auto value = Measure(span, row);
    return value && value->IsNegative();
  });
}

}  // namespace

const std::array<SeedSpan, kSeedSpanCount>& SeedSpans() { return kSeedSpans; }

std::optional<Between> Measure(const SeedSpan& span, const SeedWorkload& row) {
  const auto& from = At(row, span.from);
  const auto& to = At(row, span.to);
  if (!from || !to) return std::nullopt;
  const double seconds = static_cast<double>(to->unix_us - from->unix_us) / kMicros;
  return Between{seconds - (from->whole_second ? 1.0 : 0.0),
                 seconds + (to->whole_second ? 1.0 : 0.0), to->whole_second};
}

std::string Words(SeedMoment moment) {
  const auto field = std::find_if(kSeedFields.begin(), kSeedFields.end(),
                                  [&](const SeedField& each) { return each.moment == moment; });
  return absl::AsciiStrToLower(field == kSeedFields.end() ? kSubmittedHeading : field->heading);
}

Result<SeedData> ReadSeed(std::string_view submitted_text, std::string_view sampled_text) {
  const auto submitted_list = ListIn("submitted.json", submitted_text);
  if (!submitted_list.ok()) return submitted_list.status();
  const auto sampled_list = ListIn("sampled.json", sampled_text);
  if (!sampled_list.ok()) return sampled_list.status();
  SeedData data;
  std::map<SeedKey, SeedInstant> submitted;
  if (Status status = ReadSubmitted(*submitted_list, submitted, data); !status.ok()) return status;
  std::set<SeedKey> sampled;
  for (std::size_t i = 0; i < sampled_list->size(); ++i) {
    auto row = WorkloadOf((*sampled_list)[i], i);
    if (!row.ok()) return row.status();
    const SeedKey key(row->space, row->name);
    if (!sampled.insert(key).second) {
      return BadEntry("sampled.json", i,
                      absl::StrCat("jobName: '", Printable(row->name, 80), "' is there twice"));
    }
    const auto found = submitted.find(key);
    if (found != submitted.end()) At(*row, SeedMoment::kSubmitted) = found->second;
    if (found == submitted.end()) data.not_submitted.push_back(row->name);
    data.rows.push_back(*std::move(row));
  }
  for (const SeedField& field : kSeedFields) TakeOutNone(field, data);
  for (const auto& [key, instant] : submitted) {
    if (!sampled.contains(key)) data.not_sampled.push_back(key.second);
  }
  return data;
}

void Cut(SeedData& data, std::size_t head, std::size_t tail) {
  KeepHeadAndTail(data.rows, head, tail);
}

std::size_t SkipErrors(SeedData& data) { return std::erase_if(data.rows, EndsBeforeItBegins); }

Report ReportOf(const SeedData& data) {
  Report report;
  report.kind = "sampled";
  for (const SeedSpan& span : kSeedSpans) {
    std::vector<Between> values;
    for (const SeedWorkload& row : data.rows) {
      if (const auto value = Measure(span, row)) values.push_back(*value);
    }
    report.spans.push_back(Summarize(span.name, values));
  }
  report.counts = {{"workloads", data.rows.size()},
                   {"not_sampled", data.not_sampled.size()},
                   {"not_submitted", data.not_submitted.size()},
                   {"resubmitted", data.resubmitted.size()}};
  report.notes = {
      "the cluster's instants are whole seconds: a value may be up to a second off in both "
      "directions, "
      "means are nearly true, and each percentile lies somewhere between its `from` and `to`",
      "spans from submission on compare two clocks, that of the submitting machine and the API "
      "server's",
      "the decision is that of the first pod by name, and moves when a pod is bound later; last "
      "pods "
      "include pods that replace others",
  };
  if (!data.doubtful.empty()) report.notes.push_back(DoubtfulNote(data));
  return report;
}

std::string SeedTimesCsv(const std::vector<SeedWorkload>& rows) {
  const show::Columns columns = SeedColumns();
  std::string csv = show::CsvHeading(columns);
  for (const SeedWorkload& row : rows) {
    csv += show::CsvLines(columns, Json::array({SeedRow(row)}));
  }
  return csv;
}

std::string SubmittedJson(const std::vector<SeedWorkload>& rows) {
  Json list = Json::array();
  for (const SeedWorkload& row : rows) {
    const auto& submitted = At(row, SeedMoment::kSubmitted);
    if (!submitted) continue;
    list.push_back({{"jobName", row.name},
                    {"projectName", row.project},
                    {"jobNamespace", row.space},
                    {"submitTimestamp", SeedTime(*submitted, "%Y-%m-%dT%H:%M:%E6S+00:00")}});
  }
  return show::Line(list);
}

std::string SampledJson(const std::vector<SeedWorkload>& rows) {
  Json list = Json::array();
  for (const SeedWorkload& row : rows) {
    Json json = {{"jobName", row.name}, {"jobNamespace", row.space}, {"projectName", row.project}};
    bool complete = true;
    for (const SeedField& field : kSeedFields) {
      const auto& own = At(row, field.moment);
      const auto& instant = !own && field.none ? At(row, *field.none) : own;
      complete = complete && instant.has_value();
      if (instant) json[field.key] = SeedTime(*instant, "%Y-%m-%dT%H:%M:%E*SZ");
    }
    if (complete) list.push_back(std::move(json));  // as the tool: its readers expect each field
  }
  return show::Line(list);
}

SeedWorkload SeedOf(const Life& life, const Anchor& anchor) {
  const Sights sights = SightsOf(life);
  SeedWorkload row{.name = life.name, .space = life.space, .project = life.space};
  constexpr std::string_view kRunaiSpace = "runai-";
  if (life.space.starts_with(kRunaiSpace)) row.project = life.space.substr(kRunaiSpace.size());
  const auto put = [&](SeedMoment seed, Moment moment) {
    At(row, seed) = SeenAt(sights, moment, anchor);
  };
  put(SeedMoment::kSubmitted, Moment::kSent);
  put(SeedMoment::kWorkload, Moment::kCreated);
  // Without a child the workload's own object is the job, and without a group its first pod.
  put(SeedMoment::kJob,
      Of(sights, Moment::kChildCreated) ? Moment::kChildCreated : Moment::kCreated);
  put(SeedMoment::kFirstPod, Moment::kFirstPod);
  put(SeedMoment::kLastPod, Moment::kLastPod);
  put(SeedMoment::kPodGroup,
      Of(sights, Moment::kGroupCreated) ? Moment::kGroupCreated : Moment::kFirstPod);
  put(SeedMoment::kPvcRequest, Moment::kVolumeRequested);
  put(SeedMoment::kPvcBind, Moment::kVolumeBound);
  put(SeedMoment::kDecision,
      Of(sights, Moment::kFirstDecided) ? Moment::kFirstDecided : Moment::kFirstScheduled);
  return row;
}

}  // namespace twofold::lifecycle
