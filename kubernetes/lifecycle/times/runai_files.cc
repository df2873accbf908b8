#include "kubernetes/lifecycle/times/runai_files.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/time/time.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "lib/common/printable.h"

namespace twofold::lifecycle {
namespace {

using show::Json;

constexpr std::size_t kMostEntries = 200'000;
constexpr std::size_t kLongestName = 253;
constexpr std::int64_t kMicros = 1'000'000;
constexpr const char* kSubmittedHeading = "Workload Submitted";  // in times.csv

struct RunaiField {
  RunaiMoment moment;
  const char* key;      // in sampled.json
  const char* heading;  // in times.csv
  bool required;
  std::optional<RunaiMoment> none;  // the same time as this one means "none"
  bool of_each = false;             // but not if another workload has one: then each has
};

constexpr auto kDecided = RunaiMoment::kDecision;
constexpr std::array<RunaiField, kRunaiMoments - 1> kRunaiFields = {{
    {RunaiMoment::kWorkload, "workloadCreatedTimestamp", "Workload Created", true, {}},
    {RunaiMoment::kJob, "jobCreatedTimestamp", "Job Created", true, {}},
    {RunaiMoment::kFirstPod, "firstPodCreatedTimestamp", "First Pod Created", true, {}},
    {RunaiMoment::kLastPod, "lastPodCreatedTimestamp", "Last Pod Created", true, {}},
    {RunaiMoment::kPodGroup, "podGroupCreatedTimestamp", "Pod Group Created", true, {}},
    {RunaiMoment::kDecision, "podSchedulingDecisionTimestamp", "Pod Scheduling Decision", true, {}},
    {RunaiMoment::kFirstEviction, "firstEvictionTimestamp", "First Eviction", false, kDecided},
    {RunaiMoment::kPvcRequest, "firstPVCBindRequestTimestamp", "First PVC Bind Request", false,
     kDecided},
    {RunaiMoment::kPvcBind, "firstPVCBindTimestamp", "First PVC Bind", false, kDecided},
    {RunaiMoment::kBackend, "backendJobCreatedTimestamp", "Backend Job Created", false,
     RunaiMoment::kWorkload, true},
}};

// The tool takes the last bind from itself, which is always 0.
constexpr std::array<RunaiSpan, kRunaiSpanCount> kRunaiSpans = {{
    {"Workload Creation (s)", "workload_creation", RunaiMoment::kSubmitted, RunaiMoment::kWorkload},
    {"Job Creation (s)", "job_creation", RunaiMoment::kWorkload, RunaiMoment::kJob},
    {"First Pod Creation (s)", "first_pod_creation", RunaiMoment::kJob, RunaiMoment::kFirstPod},
    {"Last Pod Creation (s)", "last_pod_creation", RunaiMoment::kJob, RunaiMoment::kLastPod},
    {"Pod Group Creation (s)", "pod_group_creation", RunaiMoment::kFirstPod,
     RunaiMoment::kPodGroup},
    {"Pod Scheduling Decision (s)", "decision", RunaiMoment::kPodGroup, RunaiMoment::kDecision},
    {"First Eviction (s)", "first_eviction", RunaiMoment::kPodGroup, RunaiMoment::kFirstEviction},
    {"First PVC Bind Request (s)", "pvc_request", RunaiMoment::kPodGroup, RunaiMoment::kPvcRequest},
    {"First PVC Bind (s)", "pvc_bind", RunaiMoment::kPvcRequest, RunaiMoment::kPvcBind},
    {"Backend Job Creation (s)", "backend_creation", RunaiMoment::kPodGroup, RunaiMoment::kBackend},
    {"Total Pod Scheduling Decision (s)", "total_decision", RunaiMoment::kSubmitted,
     RunaiMoment::kDecision},
    {"Total Backend Job Creation (s)", "total_backend", RunaiMoment::kSubmitted,
     RunaiMoment::kBackend},
}};

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
std::optional<RunaiInstant> InstantOf(std::string text) {
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
  return RunaiInstant{us, text.find('.') == std::string::npos};
}

using RunaiKey = std::pair<std::string, std::string>;  // namespace, name

Status ReadSubmitted(const Json& list, std::map<RunaiKey, RunaiInstant>& submitted,
                     RunaiData& data) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (const char* key : {"jobName", "jobNamespace", "submitTimestamp"}) {
      if (!WordOf(list[i], key))
        return BadEntry("submitted.json", i, absl::StrCat(key, ": no text"));
    }
    auto instant = InstantOf(*WordOf(list[i], "submitTimestamp"));
    if (!instant) return BadEntry("submitted.json", i, "submitTimestamp: no time in ISO 8601");
    instant->whole_second = false;  // the tool leaves a fraction of zero out
    const RunaiKey key(*WordOf(list[i], "jobNamespace"), *WordOf(list[i], "jobName"));
    if (!submitted.insert_or_assign(key, *instant).second) data.resubmitted.push_back(key.second);
  }
  return absl::OkStatus();
}

Result<RunaiWorkload> WorkloadOf(const Json& entry, std::size_t number) {
  RunaiWorkload row;
  for (const auto& [key, to] : {std::pair{"jobName", &row.name}, {"jobNamespace", &row.space}}) {
    const auto word = WordOf(entry, key);
    if (!word) return BadEntry("sampled.json", number, absl::StrCat(key, ": no text"));
    *to = *word;
  }
  row.project = WordOf(entry, "projectName").value_or("");
  for (const RunaiField& field : kRunaiFields) {
    const auto word = WordOf(entry, field.key);
    if (!word && !field.required) continue;
    const auto instant = InstantOf(word.value_or(""));
    if (!instant) {
      return BadEntry("sampled.json", number, absl::StrCat(field.key, ": no time in ISO 8601"));
    }
    Of(row, field.moment) = *instant;
  }
  return row;
}

bool MayMeanNone(const RunaiField& field, const RunaiWorkload& row) {
  const auto& own = Of(row, field.moment);
  const auto& none = field.none ? Of(row, *field.none) : std::nullopt;
  return own && none && own->unix_us == none->unix_us;
}

/// Takes out what means "none", or may mean it.
void TakeOutNone(const RunaiField& field, RunaiData& data) {
  const bool asked_for = std::any_of(data.rows.begin(), data.rows.end(), [&](const auto& row) {
    return Of(row, field.moment) && !MayMeanNone(field, row);
  });
  if (asked_for && field.of_each) return;
  for (RunaiWorkload& row : data.rows) {
    if (!MayMeanNone(field, row)) continue;
    Of(row, field.moment).reset();
    if (asked_for) ++data.doubtful[field.key];
  }
}

/// "firstEvictionTimestamp 38, firstPVCBindTimestamp 35": of how many workloads.
std::string DoubtfulNote(const RunaiData& data) {
  const auto name = [](std::string* out, const auto& each) {
    absl::StrAppend(out, each.first, " ", each.second);
  };
  return absl::StrCat(
      "left out, of so many workloads of the file: ", absl::StrJoin(data.doubtful, ", ", name),
      "; they have the very time of the decision, which is how the tool writes "
      "\"none\", so what truly came in that second is left out with them");
}

// ---- writing

std::string RunaiTime(const RunaiInstant& instant, const char* form) {
  return absl::FormatTime(form, absl::FromUnixMicros(instant.unix_us), absl::UTCTimeZone());
}

Json RunaiRow(const RunaiWorkload& row) {
  Json json = {{"jobName", row.name}, {"jobNamespace", row.space}, {"projectName", row.project}};
  for (const RunaiField& field : kRunaiFields) {
    const auto& instant = Of(row, field.moment);
    json[field.heading] = instant ? Json(RunaiTime(*instant, "%Y-%m-%d %H:%M:%E*S")) : Json();
  }
  const auto& submitted = Of(row, RunaiMoment::kSubmitted);
  json[kSubmittedHeading] = submitted ? Json(RunaiTime(*submitted, "%Y-%m-%d %H:%M:%E*S")) : Json();
  for (const RunaiSpan& span : kRunaiSpans) {
    const auto value = Measure(span, row);
    json[span.heading] = value ? Json(std::round(value->Middle() * 1e6) / 1e6) : Json();
  }
  return json;
}

show::Columns RunaiColumns() {
  show::Columns columns = {{"", "jobName"}, {"", "jobNamespace"}, {"", "projectName"}};
  for (const RunaiField& field : kRunaiFields) columns.push_back({"", field.heading});
  columns.push_back({"", kSubmittedHeading});
  for (const RunaiSpan& span : kRunaiSpans) columns.push_back({"", span.heading});
  return columns;
}

std::optional<RunaiInstant> SeenAt(const Sights& sights, Moment moment, const Anchor& anchor) {
  const auto& sight = Of(sights, moment);
  if (!sight) return std::nullopt;
  return RunaiInstant{anchor.UnixNs(sight->at) / 1000, false};
}

bool EndsBeforeItBegins(const RunaiWorkload& row) {
  return std::any_of(kRunaiSpans.begin(), kRunaiSpans.end(), [&](const RunaiSpan& span) {
    const auto value = Measure(span, row);
    return value && value->IsNegative();
  });
}

}  // namespace

const std::array<RunaiSpan, kRunaiSpanCount>& RunaiSpans() { return kRunaiSpans; }

std::optional<Between> Measure(const RunaiSpan& span, const RunaiWorkload& row) {
  const auto& from = Of(row, span.from);
  const auto& to = Of(row, span.to);
  if (!from || !to) return std::nullopt;
  const double seconds = static_cast<double>(to->unix_us - from->unix_us) / kMicros;
  return Between{seconds - (from->whole_second ? 1.0 : 0.0),
                 seconds + (to->whole_second ? 1.0 : 0.0), to->whole_second};
}

std::string Words(RunaiMoment moment) {
  const auto field = std::find_if(kRunaiFields.begin(), kRunaiFields.end(),
                                  [&](const RunaiField& each) { return each.moment == moment; });
  return absl::AsciiStrToLower(field == kRunaiFields.end() ? kSubmittedHeading : field->heading);
}

Result<RunaiData> ReadRunai(std::string_view submitted_text, std::string_view sampled_text) {
  const auto submitted_list = ListIn("submitted.json", submitted_text);
  if (!submitted_list.ok()) return submitted_list.status();
  const auto sampled_list = ListIn("sampled.json", sampled_text);
  if (!sampled_list.ok()) return sampled_list.status();
  RunaiData data;
  std::map<RunaiKey, RunaiInstant> submitted;
  if (Status status = ReadSubmitted(*submitted_list, submitted, data); !status.ok()) return status;
  std::set<RunaiKey> sampled;
  for (std::size_t i = 0; i < sampled_list->size(); ++i) {
    auto row = WorkloadOf((*sampled_list)[i], i);
    if (!row.ok()) return row.status();
    const RunaiKey key(row->space, row->name);
    if (!sampled.insert(key).second) {
      return BadEntry("sampled.json", i,
                      absl::StrCat("jobName: '", Printable(row->name, 80), "' is there twice"));
    }
    const auto found = submitted.find(key);
    if (found != submitted.end()) Of(*row, RunaiMoment::kSubmitted) = found->second;
    if (found == submitted.end()) data.not_submitted.push_back(row->name);
    data.rows.push_back(*std::move(row));
  }
  for (const RunaiField& field : kRunaiFields) TakeOutNone(field, data);
  for (const auto& [key, instant] : submitted) {
    if (!sampled.contains(key)) data.not_sampled.push_back(key.second);
  }
  return data;
}

std::size_t SkipErrors(RunaiData& data) { return std::erase_if(data.rows, EndsBeforeItBegins); }

Report ReportOf(const RunaiData& data) {
  Report report;
  report.kind = "sampled";
  for (const RunaiSpan& span : kRunaiSpans) {
    std::vector<Between> values;
    for (const RunaiWorkload& row : data.rows) {
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

std::string RunaiTimesCsv(const std::vector<RunaiWorkload>& rows) {
  const show::Columns columns = RunaiColumns();
  std::string csv = show::CsvHeading(columns);
  for (const RunaiWorkload& row : rows) {
    csv += show::CsvLines(columns, Json::array({RunaiRow(row)}));
  }
  return csv;
}

std::string SubmittedJson(const std::vector<RunaiWorkload>& rows) {
  Json list = Json::array();
  for (const RunaiWorkload& row : rows) {
    const auto& submitted = Of(row, RunaiMoment::kSubmitted);
    if (!submitted) continue;
    list.push_back({{"jobName", row.name},
                    {"projectName", row.project},
                    {"jobNamespace", row.space},
                    {"submitTimestamp", RunaiTime(*submitted, "%Y-%m-%dT%H:%M:%E6S+00:00")}});
  }
  return show::Line(list);
}

std::string SampledJson(const std::vector<RunaiWorkload>& rows) {
  Json list = Json::array();
  for (const RunaiWorkload& row : rows) {
    Json json = {{"jobName", row.name}, {"jobNamespace", row.space}, {"projectName", row.project}};
    bool complete = true;
    for (const RunaiField& field : kRunaiFields) {
      const auto& own = Of(row, field.moment);
      const auto& instant = !own && field.none ? Of(row, *field.none) : own;
      complete = complete && instant.has_value();
      if (instant) json[field.key] = RunaiTime(*instant, "%Y-%m-%dT%H:%M:%E*SZ");
    }
    if (complete) list.push_back(std::move(json));  // as the tool: its readers expect each field
  }
  return show::Line(list);
}

RunaiWorkload RunaiOf(const Life& life, const Anchor& anchor) {
  const Sights sights = SightsOf(life);
  RunaiWorkload row{.name = life.name, .space = life.space, .project = life.space};
  constexpr std::string_view kRunaiSpace = "runai-";
  if (life.space.starts_with(kRunaiSpace)) row.project = life.space.substr(kRunaiSpace.size());
  const auto put = [&](RunaiMoment seed, Moment moment) {
    Of(row, seed) = SeenAt(sights, moment, anchor);
  };
  put(RunaiMoment::kSubmitted, Moment::kSent);
  put(RunaiMoment::kWorkload, Moment::kCreated);
  // Without a child the workload's own object is the job, and without a group its first pod.
  put(RunaiMoment::kJob,
      Of(sights, Moment::kChildCreated) ? Moment::kChildCreated : Moment::kCreated);
  put(RunaiMoment::kFirstPod, Moment::kFirstPod);
  put(RunaiMoment::kLastPod, Moment::kLastPod);
  put(RunaiMoment::kPodGroup,
      Of(sights, Moment::kGroupCreated) ? Moment::kGroupCreated : Moment::kFirstPod);
  put(RunaiMoment::kPvcRequest, Moment::kVolumeRequested);
  put(RunaiMoment::kPvcBind, Moment::kVolumeBound);
  put(RunaiMoment::kDecision,
      Of(sights, Moment::kFirstDecided) ? Moment::kFirstDecided : Moment::kFirstScheduled);
  return row;
}

}  // namespace twofold::lifecycle
