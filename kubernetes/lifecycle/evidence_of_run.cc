#include "kubernetes/lifecycle/evidence_of_run.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "kubernetes/lifecycle/times/audit.h"
#include "kubernetes/lifecycle/times/events.h"
#include "kubernetes/lifecycle/times/seconds.h"
#include "kubernetes/lifecycle/watching/audit_file.h"

namespace twofold::lifecycle {
namespace {

void Append(Report& report, std::vector<EvidenceRow> rows) {
  for (EvidenceRow& row : rows) {
    const bool says_something = row.n + row.missing + row.inexact > 0;
    if (says_something) report.evidence.push_back(std::move(row));
  }
}

void Append(Report& report, const Counts& counts) {
  report.counts.insert(report.counts.end(), counts.begin(), counts.end());
}

void AddEvents(EventFollower& events, const ClockFit& clocks, Outcome& outcome) {
  Report& report = outcome.report;
  if (const Status trouble = events.trouble(); !trouble.ok()) {
    report.notes.push_back(
        absl::StrCat("not all events could be watched: ", std::string(trouble.message())));
  }
  events.With([&](const EventNotes& notes) {
    Append(report, notes.Rows(*outcome.kind, outcome.lives, clocks));
    const EventCounts counts = notes.CountsOf(outcome.lives);
    Append(report, Counts{{"events", counts.seen},
                          {"events_late", counts.late},
                          {"events_inexact", counts.inexact},
                          {"events_foreign", counts.foreign},
                          {"events_left_out", counts.left_out},
                          {"failed_scheduling", counts.failed_scheduling}});
  });
}

void AddAudit(const std::vector<std::string>& files, const ClockFit& clocks, Outcome& outcome) {
  // The first request came after the anchor was taken.
  const auto ahead = static_cast<UnixNs>(clocks.offset.low * 1e9);
  AuditNotes notes(*outcome.kind, outcome.lives, outcome.anchor.unix_ns + ahead);
  Report& report = outcome.report;
  if (const Status status = ReadAudit(files, notes); !status.ok()) {
    report.notes.push_back(
        absl::StrCat("the audit log is not all read: ", std::string(status.message())));
  }
  Append(report, notes.Rows(clocks));
  const AuditCounts& counts = notes.counts();
  Append(report, Counts{{"audit_lines", counts.lines},
                        {"audit_matched", counts.matched},
                        {"audit_torn", counts.torn},
                        {"audit_unnamed", counts.unnamed},
                        {"audit_blind", counts.blind}});
}

}  // namespace

void AddEvidence(EventFollower* events, const std::vector<std::string>& audit, Outcome& outcome) {
  Report& report = outcome.report;
  const auto& offset = report.clock_offset;
  if (!offset || offset->low > offset->high) {
    if (events != nullptr || !audit.empty()) {
      report.notes.push_back("no evidence is compared, as no offset of the clocks is known");
    }
    return;
  }
  const ClockFit clocks{outcome.anchor, *offset, report.lag ? report.lag->at_most_seconds : 0.0};
  Append(report, CompareSeconds(*outcome.kind, outcome.lives, clocks));
  if (events != nullptr) AddEvents(*events, clocks, outcome);
  if (!audit.empty()) AddAudit(audit, clocks, outcome);
}

}  // namespace twofold::lifecycle
