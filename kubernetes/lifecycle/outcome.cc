#include "kubernetes/lifecycle/outcome.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <chrono>
#include <set>

namespace twofold::lifecycle {
namespace {

constexpr const char* kLateSends = "late_sends";

std::string RefusalNote(const SendCounts& counts) {
  std::string reasons;
  for (const auto& [reason, count] : counts.refused) {
    absl::StrAppend(&reasons, reasons.empty() ? "" : ", ", count, " ", reason);
  }
  return absl::StrCat("not all workloads were created: ", reasons, "; the first: ", counts.refusal);
}

std::string LateNote(const SendCounts& counts) {
  return absl::StrFormat(
      "the generator was late: %d of %d workloads were sent more than %d ms after their instant, "
      "so the rate was not kept; take more --connections, or a lower --rate",
      counts.late, counts.sent,
      std::chrono::duration_cast<std::chrono::milliseconds>(kLate).count());
}

/// Of a sender whose counts are not known: somebody else sends, or did.
void NoteUnseen(const std::vector<Life>& lives, Report& report) {
  const auto unseen = std::count_if(lives.begin(), lives.end(), [](const Life& life) {
    return !Of(life.own, Moment::kSent) && !Of(life.own, Moment::kCreated);
  });
  const auto unstamped = std::count_if(lives.begin(), lives.end(), [](const Life& life) {
    return !Of(life.own, Moment::kSent) && Of(life.own, Moment::kCreated);
  });
  if (unseen > 0) {
    report.notes.push_back(absl::StrCat(
        unseen, " of ", lives.size(),
        " workloads were not seen: not sent, refused, or gone before the watch began"));
  }
  if (unstamped > 0) {
    report.notes.push_back(absl::StrCat(
        unstamped, " of ", lives.size(),
        " workloads do not say when they were sent, so they are in no span that begins there"));
  }
}

void NoteJournal(const Tally& tally, Report& report) {
  if (tally.resumed > 0) {
    report.notes.push_back(absl::StrCat(
        "the watching was broken off and resumed ", tally.resumed,
        " times: what came meanwhile has an interval, and the sender's counts may lack the last "
        "moments before"));
  }
  if (tally.full) {
    report.notes.push_back("the journal came to its --journal-limit: what came then is not in it");
  }
}

/// Instants of several hosts' clocks are as far apart as these are.
void NoteClocks(const Beside& beside, Report& report) {
  std::set<std::string> hosts = beside.tally.watchers;
  if (!beside.record.host.empty()) hosts.insert(beside.record.host);
  if (hosts.size() < 2) return;
  report.clock_offset.reset();
  report.notes.push_back(
      absl::StrCat("`planned` and `sent` are by the clock of ", beside.record.host,
                   ", what was seen by that of ", absl::StrJoin(beside.tally.watchers, ", "),
                   ": spans from the one to the other are as wrong as these clocks are apart"));
}

/// How many were sent, and how many of these late, by what is known of each.
SendCounts CountSent(const std::vector<Life>& lives) {
  SendCounts counts;
  for (const Life& life : lives) {
    const auto& planned = Of(life.own, Moment::kPlanned);
    const auto& sent = Of(life.own, Moment::kSent);
    if (sent) ++counts.sent;
    if (planned && sent && sent->at - planned->at > kLate) ++counts.late;
  }
  return counts;
}

void AddSending(const std::vector<Life>& lives, const Beside& beside, Report& report) {
  SendCounts sending = beside.tally.sending;
  const bool sender_known = sending.sent > 0;
  if (!sender_known || beside.tally.resumed > 0) {
    const SendCounts seen = CountSent(lives);
    sending.sent = std::max(sending.sent, seen.sent);
    sending.late = std::max(sending.late, seen.late);
    NoteUnseen(lives, report);
  }
  for (const auto& [name, count] : CountsOf(sending)) {
    if (sender_known || name == kLateSends) report.counts.emplace_back(name, count);
  }
  const auto notes = NotesOn(sending, sender_known ? beside.record.count : 0);
  report.notes.insert(report.notes.end(), notes.begin(), notes.end());
}

}  // namespace

std::vector<std::string> NotesOn(const SendCounts& counts, std::uint32_t count) {
  std::vector<std::string> notes;
  if (counts.sent < count) {
    notes.push_back(
        absl::StrCat("ended early: ", counts.sent, " of ", count, " workloads were sent"));
  }
  if (!counts.refused.empty()) notes.push_back(RefusalNote(counts));
  if (counts.late * 100 > counts.sent) notes.push_back(LateNote(counts));
  if (counts.throttled > 0) {
    notes.push_back(absl::StrFormat(
        "limit: the API server asked to wait %d times (429), for %.1f s together; its flow "
        "control, not its speed, decides what follows",
        counts.throttled, ToSeconds(counts.throttled_time)));
  }
  return notes;
}

Counts CountsOf(const SendCounts& counts) {
  return {{kLateSends, counts.late},
          {"throttled", counts.throttled},
          {"repeated_creates", counts.repeated}};
}

Outcome OutcomeOf(Observed& observed, const Beside& beside) {
  Outcome outcome{.kind = &observed.kind(), .run = beside.record.run, .anchor = observed.anchor()};
  std::size_t open_canaries = 0;
  observed.With([&](Observer& observer) {
    open_canaries = observer.open_canaries();
    outcome.report = ReportOf(observed.kind(), observer, observed.anchor(), beside.end);
    outcome.lives = observer.lives();
  });
  Report& report = outcome.report;
  report.load = beside.record.load;
  AddSending(outcome.lives, beside, report);
  report.counts.emplace_back("watch_breaks", beside.tally.breaks);
  report.counts.emplace_back("unseen_canaries", open_canaries);
  NoteJournal(beside.tally, report);
  NoteClocks(beside, report);
  report.notes.insert(report.notes.end(), beside.notes.begin(), beside.notes.end());
  return outcome;
}

}  // namespace twofold::lifecycle
