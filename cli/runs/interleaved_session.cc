#include "cli/runs/interleaved_session.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/report/report.h"
#include "cli/results/results.h"

namespace twofold::cli {
namespace {

using run::Wish;

Status Refused(const std::string& why) {
  return absl::FailedPreconditionError(absl::StrCat("--interleave: ", why));
}

Duration Sooner(Duration one, Duration other) {
  if (one == Duration::zero() || other == Duration::zero()) return std::max(one, other);
  return std::min(one, other);
}

/// What ends one of them ends both.
run::Rules RulesOf(const KnownRun& base, const KnownRun& now) {
  run::Rules rules = run::RulesOf(base.benchmark.sweep);
  const run::Rules other = run::RulesOf(now.benchmark.sweep);
  rules.fail_fast = rules.fail_fast || other.fail_fast;
  rules.limit = Sooner(rules.limit, other.limit);
  return rules;
}

}  // namespace

Status CheckTurns(const KnownRun& base, const KnownRun& now) {
  const spec::Sweep& one = base.benchmark.sweep;
  const spec::Sweep& other = now.benchmark.sweep;
  if (base.record.id == now.record.id) {
    return Refused(absl::StrCat("both runs would have the id ", base.record.id));
  }
  if (one.kind != other.kind) return Refused("the files are of two kinds");
  if (base.record.queue != now.record.queue) {
    return Refused("the files name two queues, which do not wait for each other");
  }
  if (one.until || other.until) {
    return Refused("spec.until would repeat one run more often than the other; use repetitions");
  }
  if (one.max_parallel != 1 || other.max_parallel != 1) {
    return Refused("spec.maxParallel would run the jobs of both at the same time");
  }
  if (!run::SameJobs(base.benchmark.expansion, now.benchmark.expansion)) {
    return Refused(
        "the files plan different jobs: permutations, repetitions, warm-ups and order have to be "
        "the same");
  }
  return absl::OkStatus();
}

InterleavedSession::InterleavedSession(const RunSetting& setting, KnownRun base, KnownRun now)
    : setting_(setting),
      base_id_(base.record.id),
      now_id_(now.record.id),
      rules_(RulesOf(base, now)),
      turns_(run::TakeTurns(base.benchmark.expansion, base_id_, now.benchmark.expansion, now_id_)),
      base_(setting, std::move(base)),
      now_(setting, std::move(now)),
      jobs_(base_.jobs(), now_.jobs(), turns_.offset),
      driver_(rules_, turns_.expansion) {}

// Before anything is begun: one of two alone is of no use.
Status InterleavedSession::CheckNew() const {
  const auto source = OpenRuns(setting_.globals);
  if (!source.ok()) return source.status();
  for (const std::string& id : {base_id_, now_id_}) {
    const Status found = FindRun(**source, id).status();
    if (found.ok()) return Refused(absl::StrCat("there is a run ", id, " already"));
    if (!absl::IsNotFound(found)) return found;
  }
  return absl::OkStatus();
}

Status InterleavedSession::Begin() {
  if (Status status = CheckNew(); !status.ok()) return status;
  for (RunSession* run : {&base_, &now_}) {
    if (Status status = run->Create(); !status.ok()) return status;
  }
  driver_.Begin();
  return Attend();
}

Status InterleavedSession::GoOn() {
  for (RunSession* run : {&base_, &now_}) {
    if (Status status = run->TakeOver(); !status.ok()) return status;
  }
  if (Status status = run::Look(jobs_, driver_); !status.ok()) return status;
  driver_.Begin();
  return Attend();
}

Status InterleavedSession::Attend() {
  setting_.watcher.Note(absl::StrCat("runs ", base_id_, " and ", now_id_, " in turn"));
  const auto ending = run::Watch(jobs_, driver_, setting_.watcher);
  setting_.watcher.Finish();
  const Status status = ending.ok() ? Conclude(*ending) : ending.status();
  if (setting_.local) {
    setting_.watcher.Note(absl::StrCat("kept: `twofold compare ", base_id_, " ", now_id_,
                                       " --store ", ShellWord(setting_.local->StoreFile()), "`"));
  }
  return status;
}

Status InterleavedSession::Conclude(Wish left) {
  if (left != Wish::kNone) return base_.Left(left);
  const Status base = base_.Ended(SeenOf(false), driver_.stopped());
  const Status now = now_.Ended(SeenOf(true), driver_.stopped());
  if (Status status = Print(); !status.ok()) return status;
  return base.ok() ? now : base;
}

std::vector<run::Seen> InterleavedSession::SeenOf(bool now) const {
  std::vector<run::Seen> jobs;
  for (const run::Driver::Job& job : driver_.jobs()) {
    run::Seen seen = job.seen;
    if ((seen.key.permutation > turns_.offset) != now) continue;
    if (now) seen.key.permutation -= turns_.offset;
    jobs.push_back(std::move(seen));
  }
  return jobs;
}

Status InterleavedSession::Print() const {
  const auto source = OpenRuns(setting_.globals);
  if (!source.ok()) return source.status();
  const Status status = PrintComparison(**source, base_id_, now_id_, setting_.globals.form);
  if (!absl::IsNotFound(status)) return status.ok() ? WriteReport(**source) : status;
  setting_.watcher.Note(std::string(status.message()));
  return WriteReport(**source);
}

Status InterleavedSession::WriteReport(RunSource& source) const {
  const std::string& file = setting_.command.html;
  if (file.empty()) return absl::OkStatus();
  std::vector<report::Source> both;
  for (const std::string& id : {base_id_, now_id_}) {
    auto run = ReadRun(source, id);
    if (!run.ok()) return run.status();
    both.push_back(*std::move(run));
  }
  const auto document = report::DocumentOf(both);
  return document.ok() ? Write({.html = file}, *document) : document.status();
}

}  // namespace twofold::cli
