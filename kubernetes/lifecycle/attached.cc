#include "kubernetes/lifecycle/attached.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <random>
#include <utility>

#include "kubernetes/lifecycle/preparing.h"
#include "kubernetes/lifecycle/replay.h"
#include "kubernetes/lifecycle/submitter.h"
#include "lib/common/host_name.h"

namespace twofold::lifecycle {
namespace {

// Clocks that are set right little by little are off by less than that in half an hour.
constexpr Duration kClockSlack = std::chrono::seconds(1);

Result<kube::Json> FindRecord(kube::Connection& connection, const kube::ObjectName& run) {
  auto reply = connection.Do(kube::Get(kube::kConfigMaps, run));
  if (reply.ok()) return std::move(reply->body);
  if (!absl::IsNotFound(reply.status())) return reply.status();
  return absl::NotFoundError(absl::StrCat("--run: there is no run ", run.name, " in namespace ",
                                          run.space, "; `twofold lifecycle status` has the runs"));
}

Result<Record> ReadWhole(const kube::Json& object) {
  Record record = ReadRecord(object);
  if (record.count > 0 && !record.resources.empty() && !record.kind.empty()) return record;
  return absl::InvalidArgumentError(
      absl::StrCat("--run: ConfigMap ", record.run, " in namespace ", record.space,
                   " does not say what to watch; was it written by an older `twofold`?"));
}

/// Makes a ConfigMap of our own, so that no other watcher writes into it.
Result<std::string> MakeCanary(kube::Connection& connection, const Record& record) {
  const std::string name =
      absl::StrCat(record.run, "-watch-", absl::Hex(std::random_device{}(), absl::kZeroPad8));
  const Status status =
      CreateOurs(connection, kube::kConfigMaps, CanaryObject(record, name)).status();
  if (!status.ok()) return status;
  return name;
}

}  // namespace

Attached::Attached(kube::Access access, kube::ObjectName run, EndOptions options,
                   kube::WatchOptions watch)
    : access_(std::move(access)),
      run_(std::move(run)),
      options_(std::move(options)),
      watch_(watch),
      anchor_(AnchorNow()) {}

Attached::~Attached() = default;

Status Attached::Execute(const std::function<void(const std::string&)>& progress,
                         Duration between) {
  kube::Connection connection(access_);
  Status status = Begin(connection);
  if (status.ok()) {
    watched_ = true;
    status = watching_->Await(
        [this](Instant now, const Progress& look) { return SendingAt(now, look); },
        [&](Duration time, const Progress& look) {
          progress(absl::StrFormat("%.0f s: run %s: %d of %d sent, %d not over", ToSeconds(time),
                                   run_.name, look.all - look.unsent, look.all,
                                   look.open - look.unsent));
        },
        between);
  }
  end_ = Now();
  if (watching_) watching_->End(counts_);
  if (journal_) journal_->Flush();
  if (!canary_) return status;
  const Status gone = connection.Do(kube::Delete(kube::kConfigMaps, *canary_)).status();
  if (!gone.ok() && !absl::IsNotFound(gone)) {
    spdlog::warn("our canary is left, `twofold lifecycle clean` takes it with the run: {}",
                 std::string(gone.message()));
  }
  return status;
}

/// All that comes before the first event.
Status Attached::Begin(kube::Connection& connection) {
  const auto object = FindRecord(connection, run_);
  if (!object.ok()) return object.status();
  auto record = ReadWhole(*object);
  if (!record.ok()) return record.status();
  const auto kind = FindKind(record->kind);
  if (!kind.ok()) return kind.status();
  const auto end = ReadEnd(options_, **kind);
  if (!end.ok()) return end.status();
  observed_ = std::make_unique<Observed>(**kind, run_.name, anchor_);
  WatchPlan plan{.record = *std::move(record), .end = *end, .watch = watch_};
  if (const Status status = Open(plan.record, *object, plan.before); !status.ok()) return status;
  attached_ = Now();
  if (const Status status = ExpectAll(plan.record); !status.ok()) return status;
  plan.journal = journal_.get();
  plan.before.watchers.insert(HostName());
  counts_ = plan.before.sending;
  auto canary = MakeCanary(connection, plan.record);
  if (!canary.ok()) return canary.status();
  canary_ = kube::ObjectName{run_.space, *canary};
  plan.canary = *std::move(canary);
  watching_ = std::make_unique<Watching>(access_, std::move(plan), *observed_, interruption_);
  return watching_->Begin(connection);
}

/// The journal, if one is kept.
Status Attached::Open(const Record& record, const kube::Json& object, Tally& before) {
  if (options_.journal.file.empty()) return absl::OkStatus();
  const bool goes_on = std::filesystem::exists(options_.journal.file);
  if (goes_on) {
    if (const Status status = Continue(record, before); !status.ok()) return status;
  } else {
    auto journal = Journal::Create(options_.journal);
    if (!journal.ok()) return journal.status();
    journal_ = *std::move(journal);
    journal_->Write(HeadLine(object));
  }
  observed_->With([&](Observer& observer) {
    observer.SetHearer(HearerOf(*journal_, observed_->kind(), anchor_));
    if (goes_on) observer.Resume(Now());
  });
  return absl::OkStatus();
}

Status Attached::Continue(const Record& record, Tally& before) {
  const std::string& file = options_.journal.file;
  Replay replay(anchor_);
  auto journal =
      Journal::Continue(options_.journal, [&](const Object& line) { return replay.Take(line); });
  if (!journal.ok()) return journal.status();
  if (replay.record().uid != record.uid) {
    return absl::FailedPreconditionError(
        absl::StrCat("--journal: ", file, " is of another run, ", replay.record().run,
                     ", or of an earlier one of that name; give this one a file of its own"));
  }
  if (replay.Latest() > Now() + kClockSlack) {
    return absl::FailedPreconditionError(
        absl::StrCat("--journal: ", file, " ends ", ToSeconds(replay.Latest() - Now()),
                     " s in the future: was this host's clock set back since?"));
  }
  journal_ = *std::move(journal);
  observed_ = replay.TakeObserved();
  before = replay.tally();
  before.resumed += 1;
  return absl::OkStatus();
}

/// Announces all that the record says, so that pods are known whichever of their objects comes
/// first.
Status Attached::ExpectAll(const Record& record) {
  const Instant begin = std::min(anchor_.At(record.began_ns), attached_);
  return observed_->With([&](Observer& observer) {
    for (std::uint32_t i = 0; i < record.count; ++i) {
      const std::string name = WorkloadName(record.run, i);
      const Status status = observer.Expect(record.space, name, record.slots, begin,
                                            {.wave = 0, .claims = record.claims});
      if (!status.ok() && !absl::IsAlreadyExists(status)) return status;
    }
    return absl::OkStatus();
  });
}

Sending Attached::SendingAt(Instant now, const Progress& look) {
  const SenderSign sign = watching_->sender();
  if (!all_sent_ && (sign.all_sent || look.unsent == 0)) all_sent_ = now;
  return {all_sent_.has_value(), all_sent_.value_or(std::max(attached_, sign.last)), counts_};
}

std::optional<Outcome> Attached::outcome() {
  if (!watched_) return std::nullopt;
  return OutcomeOf(*observed_, {.record = watching_->record(),
                                .tally = watching_->tally(),
                                .end = end_,
                                .notes = watching_->notes()});
}

}  // namespace twofold::lifecycle
