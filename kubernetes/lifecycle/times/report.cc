#include "kubernetes/lifecycle/times/report.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/time/time.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kubernetes/lifecycle/times/steps.h"
#include "lib/stats/quantile.h"

namespace twofold::lifecycle {
namespace {

using show::Json;

/// The moments of all workloads, computed once.
std::vector<Sights> AllSights(const std::vector<Life>& lives) {
  std::vector<Sights> all;
  all.reserve(lives.size());
  for (const Life& life : lives) all.push_back(SightsOf(life));
  return all;
}

bool HasWaves(const std::vector<Life>& lives) {
  return std::any_of(lives.begin(), lives.end(),
                     [](const Life& life) { return life.planned.wave > 0; });
}

std::vector<SpanSummary> Spans(const Kind& kind, const std::vector<Life>& lives,
                               const std::vector<Sights>& all) {
  std::vector<SpanSummary> summaries;
  for (const Span& span : SpansOf(kind, HasGangs(lives), HasVolumes(lives))) {
    std::vector<Between> values;
    for (const Sights& sights : all) {
      if (const auto value = Measure(span, sights)) values.push_back(*value);
    }
    summaries.push_back(Summarize(span.name, values));
    summaries.back().optional = !IsOnTheWay(span.to);
  }
  return summaries;
}

Counts CountsOf(const Kind& kind, const Observer& observer, const std::vector<Sights>& all) {
  Counts counts = {{"workloads", all.size()}};
  std::array<std::uint64_t, kStates> states = {};
  std::uint64_t restarts = 0;
  std::uint64_t evictions = 0;
  std::uint64_t lost_pods = 0;
  std::uint64_t recreated = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Life& life = observer.lives()[i];
    ++states[static_cast<std::size_t>(StateOf(kind, life, all[i]))];
    restarts += RestartsOf(life);
    evictions += EvictionsOf(life);
    lost_pods += LostPodsOf(life);
    recreated += life.recreated;
  }
  for (std::size_t i = 0; i < kStates; ++i) {
    counts.emplace_back(Name(static_cast<State>(i)), states[i]);
  }
  const Unusual& unusual = observer.unusual();
  for (const auto& [name, count] : Counts{{"restarts", restarts},
                                          {"evictions", evictions},
                                          {"lost_pods", lost_pods},
                                          {"recreated", recreated},
                                          {"left_out_pods", unusual.left_out},
                                          {"foreign_events", unusual.foreign},
                                          {"stale_events", unusual.stale},
                                          {"broken_events", unusual.broken},
                                          {"relists", unusual.relists}}) {
    counts.emplace_back(name, count);
  }
  return counts;
}

std::vector<std::pair<std::string, double>> Pending(const std::vector<Life>& lives, Instant now) {
  TimeByReason sums = {};
  for (const Life& life : lives) {
    const TimeByReason one = PendingOf(life, now);
    for (std::size_t i = 0; i < kReasons; ++i) sums[i] += one[i];
  }
  std::vector<std::pair<std::string, double>> pending;
  for (std::size_t i = 0; i < kReasons; ++i) {
    pending.emplace_back(Name(static_cast<Reason>(i)), ToSeconds(sums[i]));
  }
  return pending;
}

std::optional<WatchLag> LagOf(const std::vector<CanaryLag>& lags) {
  if (lags.empty()) return std::nullopt;
  std::vector<double> after_reply;
  WatchLag lag{.canaries = lags.size()};
  for (const CanaryLag& each : lags) {
    after_reply.push_back(std::max(0.0, ToSeconds(each.after_reply)));
    lag.at_most_seconds = std::max(lag.at_most_seconds, ToSeconds(each.at_most));
  }
  std::sort(after_reply.begin(), after_reply.end());
  lag.p99_seconds = stats::QuantileOf(after_reply, 0.99)->value;
  return lag;
}

// ---- showing

/// JSON has no infinity: what is not known is null.
Json Known(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json SpanJson(const SpanSummary& span) {
  Json json = {{"name", span.name},         {"n", span.n},
               {"missing", span.missing},   {"inexact", span.inexact},
               {"negative", span.negative}, {"mean_seconds", Json()}};
  if (span.n > 0) {
    json["mean_seconds"] = span.mean;
    json["mean_lower_seconds"] = Known(span.mean_lower);
    json["mean_upper_seconds"] = Known(span.mean_upper);
    json["min_seconds"] = span.least;
    json["max_seconds"] = span.most;
  }
  for (const SpanQuantile& each : span.quantiles) {
    const std::string name = QuantileName(each.q);
    json[name + "_seconds"] = Known(each.value);
    json[name + "_lower_seconds"] = Known(each.lower);
    json[name + "_upper_seconds"] = Known(each.upper);
  }
  return json;
}

Json OrNull(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

/// A list of what `json_of` makes of each.
template <typename Each>
Json ListOf(const std::vector<Each>& all, Json (*json_of)(const Each&)) {
  Json list = Json::array();
  for (const Each& each : all) list.push_back(json_of(each));
  return list;
}

Json PlateauJson(const Plateau& plateau) {
  return {{"step", plateau.step},
          {"rate", plateau.rate},
          {"seconds", plateau.seconds},
          {"waiting", plateau.waiting},
          {"limiter", plateau.limiter}};
}

Json SaturationJson(const Saturation& fill) {
  return {{"workloads", fill.workloads},
          {"created", fill.created},
          {"ready", fill.ready},
          {"created_rate", OrNull(fill.created_rate)},
          {"scheduled_rate", OrNull(fill.scheduled_rate)},
          {"ready_rate", OrNull(fill.ready_rate)},
          {"all_ready_seconds", OrNull(fill.all_ready_seconds)},
          {"plateaus", ListOf(fill.plateaus, PlateauJson)}};
}

const show::Columns& SpanColumns() {
  static const show::Columns columns = [] {
    show::Columns all = {{"SPAN", "name"},
                         {"N", "n"},
                         {.heading = "MISSING", .path = "missing", .if_any = true},
                         {.heading = "INEXACT", .path = "inexact", .if_any = true},
                         {.heading = "NEGATIVE", .path = "negative", .if_any = true},
                         {.heading = "MEAN s", .path = "mean_seconds", .decimals = 3}};
    for (const char* stat : {"p50", "p90", "p99"}) {
      const std::string name = stat;
      all.push_back({.heading = name + " s", .path = name + "_seconds", .decimals = 3});
      all.push_back({.heading = "from", .path = name + "_lower_seconds", .decimals = 3});
      all.push_back({.heading = "to", .path = name + "_upper_seconds", .decimals = 3});
    }
    all.push_back({.heading = "MAX s", .path = "max_seconds", .decimals = 3});
    return all;
  }();
  return columns;
}

/// "workloads 400, complete 398, never_seen 2": of the others what is 0 is left out.
std::string CountsLine(const Counts& counts) {
  std::string line;
  for (const auto& [name, count] : counts) {
    if (count > 0 || line.empty())
      absl::StrAppend(&line, line.empty() ? "" : ", ", name, " ", count);
  }
  return line + "\n";
}

std::string PendingLine(const Report& report) {
  std::string line;
  for (const auto& [reason, seconds] : report.pending) {
    if (seconds <= 0.0) continue;
    absl::StrAppend(&line, line.empty() ? "pending because: " : ", ", reason, " ",
                    absl::StrFormat("%.1f s", seconds));
  }
  return line.empty() ? "" : line + "\n";
}

std::string PerSecondText(const std::optional<double>& rate) {
  return rate ? absl::StrFormat("%.1f/s", *rate) : "-";
}

std::string SaturationLine(const Saturation& fill) {
  const std::string end = fill.all_ready_seconds
                              ? absl::StrFormat("all ready after %.1f s", *fill.all_ready_seconds)
                              : absl::StrFormat("%d not ready", fill.workloads - fill.ready);
  return absl::StrFormat("fill: %d workloads, created %s, pods scheduled %s, ready %s, %s\n",
                         fill.workloads, PerSecondText(fill.created_rate),
                         PerSecondText(fill.scheduled_rate), PerSecondText(fill.ready_rate), end);
}

std::string OffsetLine(const Between& offset) {
  if (offset.low > offset.high) {
    return "clocks: no offset fits all instants of the API server; was a clock set, or are there "
           "several?\n";
  }
  return absl::StrFormat("clocks: the API server's is ahead by %.0f to %.0f ms\n", offset.low * 1e3,
                         offset.high * 1e3);
}

std::string Words(const Report& report) {
  std::string text = CountsLine(report.counts) + PendingLine(report);
  if (report.fill) {
    text += SaturationLine(*report.fill);
    for (const Plateau& plateau : report.fill->plateaus) {
      absl::StrAppend(&text, "fill ", Describe(plateau), "\n");
    }
  }
  for (const Plateau& plateau : report.plateaus) absl::StrAppend(&text, Describe(plateau), "\n");
  if (report.lag) {
    text += absl::StrFormat("watch lag: p99 %.1f ms after the reply, by %d canaries\n",
                            report.lag->p99_seconds * 1e3, report.lag->canaries);
  }
  if (report.clock_offset) text += OffsetLine(*report.clock_offset);
  for (const std::string& note : report.notes) absl::StrAppend(&text, "note: ", note, "\n");
  return text;
}

// ---- times.csv

std::string UtcMs(std::int64_t unix_ns) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::FromUnixNanos(unix_ns),
                          absl::UTCTimeZone());
}

Json TimesRow(const Kind& kind, const Life& life, const std::vector<Moment>& moments,
              const std::vector<Span>& spans, const Anchor& anchor) {
  const Sights sights = SightsOf(life);
  Json row = {{"name", life.name},
              {"namespace", life.space},
              {"state", std::string(Name(StateOf(kind, life, sights)))}};
  std::size_t late = 0;
  for (const Moment moment : moments) {
    const auto& sight = Of(sights, moment);
    if (sight && sight->IsLate()) ++late;
    const std::string name(Name(moment));
    row[name] = sight ? Json(UtcMs(anchor.UnixNs(sight->at))) : Json();
    row[name + "_cluster"] = sight && sight->cluster_second
                                 ? Json(UtcMs(*sight->cluster_second * 1'000'000'000))
                                 : Json();
  }
  for (const Span& span : spans) {
    const auto value = Measure(span, sights);
    row[span.name + "_ms"] = value && value->Came() ? Json(value->high * 1e3) : Json();
  }
  if (life.planned.wave > 0) row["wave"] = life.planned.wave;
  row["late"] = late;
  row["restarts"] = RestartsOf(life);
  row["evictions"] = EvictionsOf(life);
  return row;
}

show::Columns TimesColumns(const std::vector<Moment>& moments, const std::vector<Span>& spans,
                           bool waves) {
  show::Columns columns = {{"", "name"}, {"", "namespace"}, {"", "state"}};
  if (waves) columns.push_back({"", "wave"});
  for (const Moment moment : moments) columns.push_back({"", std::string(Name(moment))});
  // What we do ourselves, Kubernetes does not write down.
  for (const Moment moment : moments) {
    if (moment > Moment::kReplied)
      columns.push_back({"", absl::StrCat(std::string(Name(moment)), "_cluster")});
  }
  for (const Span& span : spans) columns.push_back({"", span.name + "_ms"});
  for (const char* last : {"late", "restarts", "evictions"}) columns.push_back({"", last});
  return columns;
}

}  // namespace

Report ReportOf(const Kind& kind, const Observer& observer, const Anchor& anchor, Instant now) {
  const std::vector<Sights> all = AllSights(observer.lives());
  Report report;
  report.kind = kind.name;
  report.spans = Spans(kind, observer.lives(), all);
  report.counts = CountsOf(kind, observer, all);
  report.pending = Pending(observer.lives(), now);
  const std::vector<Step> steps = StepsOf(kind, observer, all, now);
  report.plateaus = PlateausOf(steps);
  if (const auto note = QueueNote(QueuesOf(steps, report.plateaus, now))) {
    report.notes.push_back(*note);
  }
  report.lag = LagOf(observer.lags());
  report.clock_offset = ClockOffset(observer.lives(), anchor);
  return report;
}

Json ToJson(const Report& report) {
  Json json = {{"kind", report.kind}, {"load", Json::object()}};
  for (const auto& [field, value] : report.load) json["load"][field] = value;
  json["spans"] = ListOf(report.spans, SpanJson);
  for (const auto& [name, count] : report.counts) json["counts"][name] = count;
  json["pending_seconds"] = Json::object();
  for (const auto& [reason, seconds] : report.pending) json["pending_seconds"][reason] = seconds;
  json["plateaus"] = ListOf(report.plateaus, PlateauJson);
  json["fill"] = report.fill ? SaturationJson(*report.fill) : Json();
  json["watch_lag"] = Json();
  if (report.lag) {
    json["watch_lag"] = {{"canaries", report.lag->canaries},
                         {"p99_seconds", report.lag->p99_seconds},
                         {"at_most_seconds", report.lag->at_most_seconds}};
  }
  json["clock_offset"] = Json();
  if (report.clock_offset) {
    json["clock_offset"] = {{"low_seconds", report.clock_offset->low},
                            {"high_seconds", report.clock_offset->high}};
  }
  if (!report.evidence.empty()) json["evidence"] = ToJson(report.evidence);
  json["notes"] = report.notes;
  return json;
}

std::string Print(show::Form form, const Report& report) {
  if (form == show::Form::kJson) return show::Line(ToJson(report));
  if (form == show::Form::kCsv)
    return show::Print(form, SpanColumns(), ListOf(report.spans, SpanJson));
  std::vector<SpanSummary> spans = report.spans;
  std::erase_if(spans, [](const SpanSummary& span) { return !IsShown(span); });
  const std::string evidence = PrintEvidence(form, report.evidence);
  const std::string after =
      show::Beneath(form, Words(report)) + (evidence.empty() ? "" : "\n" + evidence);
  if (spans.empty()) return after;
  const char* between = form == show::Form::kMarkdown ? "\n" : "";
  return show::Print(form, SpanColumns(), ListOf(spans, SpanJson)) + between + after;
}

std::string TimesCsv(const Kind& kind, const std::vector<Life>& lives, const Anchor& anchor) {
  const bool gang = HasGangs(lives);
  const bool volumes = HasVolumes(lives);
  const std::vector<Moment> moments = kind.Moments(gang, volumes);
  const std::vector<Span> spans = SpansOf(kind, gang, volumes);
  const show::Columns columns = TimesColumns(moments, spans, HasWaves(lives));
  std::string csv = show::CsvHeading(columns);
  for (const Life& life : lives) {
    csv += show::CsvLines(columns, Json::array({TimesRow(kind, life, moments, spans, anchor)}));
  }
  return csv;
}

}  // namespace twofold::lifecycle
