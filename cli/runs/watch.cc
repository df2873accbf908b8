#include "cli/runs/watch.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>
#include <vector>

namespace twofold::run {
namespace {

constexpr Duration kLeastPause = std::chrono::milliseconds(250);
// Looking takes no more than this part of the time, however many jobs there are.
constexpr int kPausesPerLook = 4;

constexpr Duration kRestsWithin = std::chrono::seconds(10);

bool CanBeTriedAgain(const Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) ||
         absl::IsResourceExhausted(status);
}

Status Submit(Jobs& jobs, Driver& driver, const std::vector<JobKey>& due) {
  if (due.empty()) return absl::OkStatus();
  std::set<JobKey> left(due.begin(), due.end());
  const Status status = jobs.Submit(due, [&](const Seen& seen) {
    left.erase(seen.key);
    driver.See(seen);
  });
  for (const JobKey& key : left) driver.PutBack(key);
  return status;
}

Status CancelAll(Jobs& jobs, const std::vector<std::uint64_t>& ids) {
  for (const std::uint64_t id : ids) {
    const Status status = jobs.Cancel(id);
    // One that has just ended needs no cancelling.
    if (!status.ok() && !absl::IsNotFound(status) && !absl::IsFailedPrecondition(status)) {
      return status;
    }
  }
  return absl::OkStatus();
}

/// The loop's state.
class Watching {
 public:
  Watching(Jobs& jobs, Driver& driver, Watcher& watcher, const std::function<Instant()>& now)
      : jobs_(jobs), driver_(driver), watcher_(watcher), now_(now), begin_(now()) {}

  Result<Wish> Run() {
    for (;;) {
      const Instant looked = now_();
      const Status status = Step();
      if (!status.ok() && !CanBeTriedAgain(status)) return status;
      Mention(status);
      watcher_.Show(driver_);
      if (status.ok() && driver_.over()) return Wish::kNone;
      const Duration pause = std::max<Duration>(kLeastPause, kPausesPerLook * (now_() - looked));
      const Wish wish = watcher_.Wait(pause);
      if (wish == Wish::kCancel) driver_.StopNow();
      if (wish == Wish::kNone || wish == Wish::kCancel) continue;
      const Status left = Leave(wish);
      return left.ok() ? Result<Wish>(wish) : left;
    }
  }

 private:
  Status Leave(Wish wish) {
    if (wish == Wish::kPause) return Pause(jobs_, driver_);
    return wish == Wish::kRest ? Rest() : absl::OkStatus();
  }

  // What has been told to end is waited for, but not for ever, and not past a second signal.
  Status Rest() {
    const Instant given_up = now_() + kRestsWithin;
    for (;;) {
      Status status = Look(jobs_, driver_);
      if (status.ok()) status = CancelAll(jobs_, NotCancelledYet());
      if (!status.ok()) return CanBeTriedAgain(status) ? absl::OkStatus() : status;
      watcher_.Show(driver_);
      if (driver_.Open(false).empty() || now_() >= given_up) return absl::OkStatus();
      if (watcher_.Wait(kLeastPause) != Wish::kNone) return absl::OkStatus();
    }
  }

  Status Step() {
    if (Status status = Look(jobs_, driver_); !status.ok()) return status;
    const Status status = SubmitAll(jobs_, driver_, now_() - begin_);
    if (!status.ok() || driver_.stopped() == Stop::kNone) return status;
    return CancelAll(jobs_, NotCancelledYet());
  }

  // Each once: what runs takes a while to end.
  std::vector<std::uint64_t> NotCancelledYet() {
    std::vector<std::uint64_t> ids;
    for (const std::uint64_t id : driver_.Open(false)) {
      if (cancelled_.insert(id).second) ids.push_back(id);
    }
    return ids;
  }

  void Mention(const Status& status) {
    if (away_ == !status.ok()) return;
    away_ = !status.ok();
    watcher_.Note(away_ ? absl::StrCat(std::string(status.message()), "; trying again")
                        : "the frontend answers again");
  }

  Jobs& jobs_;
  Driver& driver_;
  Watcher& watcher_;
  const std::function<Instant()>& now_;
  const Instant begin_;
  std::set<std::uint64_t> cancelled_;
  bool away_ = false;
};

}  // namespace

Result<Wish> Watch(Jobs& jobs, Driver& driver, Watcher& watcher,
                   const std::function<Instant()>& now) {
  return Watching(jobs, driver, watcher, now).Run();
}

Status Look(Jobs& jobs, Driver& driver) {
  const auto seen = jobs.List();
  if (!seen.ok()) return seen.status();
  for (const Seen& one : *seen) driver.See(one);
  return absl::OkStatus();
}

Status SubmitAll(Jobs& jobs, Driver& driver, Duration elapsed) {
  return Submit(jobs, driver, driver.TakeDue(elapsed));
}

Status Pause(Jobs& jobs, const Driver& driver) { return CancelAll(jobs, driver.Open(true)); }

}  // namespace twofold::run
