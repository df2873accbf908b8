#include "kubernetes/lifecycle/journal/replay.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>

namespace twofold::lifecycle {
namespace {

// Clocks that are set right little by little are off by less than that in half an hour.
constexpr Duration kClockSlack = std::chrono::seconds(1);

}  // namespace

Status Replay::Take(const std::string& text) {
  const auto line = ReadLine(text);
  if (!line.ok()) return line.status();
  if (!observed_) return TakeHead(*line);
  if (line->has_tally()) {
    const bool full = tally_.full;
    tally_ = TallyOf(line->tally());
    tally_.full = full;
    last_tally_ = std::max(last_tally_, anchor_.At(line->t()));
    return absl::OkStatus();
  }
  if (line->has_full()) {
    tally_.full = true;
    return absl::OkStatus();
  }
  return observed_->With([&](Observer& observer) { return Tell(observer, *line, anchor_); });
}

Status Replay::TakeHead(const v1::LifecycleLine& line) {
  const auto record = RecordIn(line);
  if (!record.ok()) return record.status();
  record_ = ReadRecord(*record);
  const auto kind = FindKind(record_.kind);
  if (!kind.ok()) return kind.status();
  observed_ = std::make_unique<Observed>(**kind, record_.run, anchor_);
  return absl::OkStatus();
}

Instant Replay::Latest() {
  const Instant seen = observed_->With([](Observer& observer) { return observer.latest(); });
  return std::max(seen, last_tally_);
}

Result<Continued> ContinueJournal(const JournalSettings& settings, const Record& record,
                                  const Anchor& anchor) {
  Replay replay(anchor);
  auto journal =
      Journal::Continue(settings, [&](const std::string& line) { return replay.Take(line); });
  if (!journal.ok()) return journal.status();
  const auto refused = [&](const auto&... why) {
    return absl::FailedPreconditionError(absl::StrCat("--journal: ", settings.file, why...));
  };
  if (replay.record().uid != record.uid) {
    return refused(" is of another run, ", replay.record().run,
                   ", or of an earlier one of that name; give this one a file of its own");
  }
  if (replay.Latest() > Now() + kClockSlack) {
    return refused(" ends ", ToSeconds(replay.Latest() - Now()),
                   " s in the future: was this host's clock set back since?");
  }
  Continued continued{*std::move(journal), replay.TakeObserved(), replay.tally()};
  continued.tally.resumed += 1;
  return continued;
}

}  // namespace twofold::lifecycle
