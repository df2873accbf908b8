#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "cli/jobs/job_commands.h"
#include "cli/jobs/member_lines.h"
#include "cli/queues/call.h"
#include "lib/common/printable.h"
#include "lib/show/message.h"

namespace twofold::cli {
namespace {

using Clients = v1::Clients;

constexpr int kReconnects = 5;
constexpr std::chrono::milliseconds kPause{200};  // so that they are not spent on one restart
constexpr std::chrono::seconds kPatience{30};     // with a frontend that is away
constexpr std::chrono::milliseconds kGlance{500};

constexpr std::size_t kMostOfLine = 4096;

void Note(const std::string& text) { std::cerr << "twofold: " << text << std::endl; }

/// Shows the updates of a job.
class Viewer {
 public:
  virtual ~Viewer() = default;
  virtual void Show(const v1::JobUpdate& update) = 0;

  /// The updates that follow are of a new stream: something between may be missing.
  virtual void Resume() {}
};

/// Each update as a line of JSON.
class JsonViewer final : public Viewer {
 public:
  void Show(const v1::JobUpdate& update) override {
    std::cout << show::Line(show::ToJson(update)) << std::flush;
  }
};

/// What the job prints, and nothing else on stdout.
class LogViewer final : public Viewer {
 public:
  void Show(const v1::JobUpdate& update) override {
    if (update.has_job()) gang_ = update.job().gang_size() > 0;
    if (update.output_missed() > 0) {
      Note(absl::StrCat(update.output_missed(), " bytes of output left out",
                        gang_ ? absl::StrCat(" of rank ", update.rank()) : ""));
    }
    Print(update);
    if (update.job().state() == v1::JOB_STATE_FINISHED) ShowEnd(update.job().report().output());
  }

  void Resume() override { seen_ = false; }

 private:
  void Print(const v1::JobUpdate& update) {
    if (update.output().empty()) return;
    seen_ = true;
    std::cout << (gang_ ? lines_.Add(update.rank(), update.output()) : update.output())
              << std::flush;
  }

  // The report repeats the last of what this stream has shown, unless the job had ended before.
  void ShowEnd(const std::string& tail) {
    std::cout << lines_.Rest() << (seen_ ? "" : tail) << std::flush;
  }

  bool gang_ = false;
  bool seen_ = false;
  MemberLines lines_;
};

/// Nobody looks.
class NoViewer final : public Viewer {
 public:
  void Show(const v1::JobUpdate& /*update*/) override {}
};

/// A line when something has changed.
class ProgressViewer final : public Viewer {
 public:
  void Show(const v1::JobUpdate& update) override {
    const v1::Job& job = update.job();
    std::string line = absl::StrCat(job.id(), " ", show::Word(job.state()));
    for (const std::string& part : {show::Word(job.outcome()), job.worker().pod(), Progress(job)}) {
      if (!part.empty()) absl::StrAppend(&line, "  ", part);
    }
    if (line != last_) std::cout << Printable(line, kMostOfLine) << std::endl;
    last_ = std::move(line);
  }

 private:
  std::string last_;
};

Status HowItEnded(const v1::Job& job) {
  const std::string text =
      absl::StrFormat("job %d %s after %.3f s", job.id(), show::Word(job.outcome()),
                      static_cast<double>(job.wait_ns() + job.run_ns()) / 1e9);
  if (job.outcome() == v1::OUTCOME_SUCCEEDED) {
    Note(text);
    return absl::OkStatus();
  }
  const std::string& error = job.report().error();
  return absl::InternalError(
      error.empty() ? text : absl::StrCat(text, ": ", Printable(error, kMostOfLine)));
}

struct FollowOptions {
  std::uint64_t id = 0;
  bool to_the_end = false;
  bool output = false;
};

/// One stream of updates. `last` is left as the job was then.
Status Look(const Frontend& frontend, const FollowOptions& options, Duration timeout,
            Viewer& viewer, v1::Job& last) {
  v1::FollowJobRequest request;
  request.set_id(options.id);
  request.set_output(options.output);
  const std::function<void(const v1::JobUpdate&)> show = [&](const v1::JobUpdate& update) {
    if (update.has_job()) last = update.job();
    viewer.Show(update);
  };
  return frontend.Read<Clients>(&Clients::Stub::FollowJob, request, timeout, show);
}

/// Stream after stream until `last` has ended, or until `end` (nullopt: as long as it takes). A job
/// that is known, as `last` has an id, is asked for again when the frontend goes away.
Status Follow(const Frontend& frontend, const FollowOptions& options, std::optional<Instant> end,
              Viewer& viewer, v1::Job& last) {
  const auto left = [end] { return std::max(*end - Now(), Duration(1)); };
  for (int again = 0;; ++again) {
    const Status status = Look(frontend, options, end ? left() : Duration::zero(), viewer, last);
    if (last.state() == v1::JOB_STATE_FINISHED) return absl::OkStatus();
    const bool is_known = last.id() != 0;
    if (!is_known || !absl::IsUnavailable(status) || again == kReconnects) return status;
    if (again == 0) {
      Note(absl::StrCat("lost the stream of job ", options.id, ", asking again",
                        options.output ? "; the last output may come twice" : ""));
    }
    std::this_thread::sleep_for(kPause);
    const Duration patience = end ? std::min<Duration>(left(), kPatience) : kPatience;
    if (!frontend.WaitUntilConnected(patience)) return status;
    viewer.Resume();
  }
}

Status FollowToEnd(const Frontend& frontend, const FollowOptions& options, Viewer& viewer) {
  v1::Job last;
  const Status status = Follow(frontend, options, std::nullopt, viewer, last);
  return last.state() == v1::JOB_STATE_FINISHED ? HowItEnded(last) : status;
}

Status Glance(const Frontend& frontend, const FollowOptions& options, Viewer& viewer) {
  v1::Job last;
  const Status status = Look(frontend, options, kGlance, viewer, last);
  if (last.state() == v1::JOB_STATE_WAITING) Note(absl::StrCat("job ", last.id(), " waits"));
  const bool enough = status.code() == absl::StatusCode::kDeadlineExceeded && last.id() != 0;
  return enough ? absl::OkStatus() : status;
}

template <typename TextViewer>
Action Bind(CLI::App& app, const Globals& globals, const std::shared_ptr<FollowOptions>& options) {
  app.add_option("ID", options->id, "Number of the job")->required();
  return [options, &globals]() -> Status {
    const Frontend frontend(globals);
    const std::unique_ptr<Viewer> viewer =
        globals.json() ? std::unique_ptr<Viewer>(new JsonViewer) : std::make_unique<TextViewer>();
    return options->to_the_end ? FollowToEnd(frontend, *options, *viewer)
                               : Glance(frontend, *options, *viewer);
  };
}

}  // namespace

Result<v1::Job> AwaitEnd(const Frontend& frontend, std::uint64_t job, Duration timeout) {
  const bool has_end = timeout > Duration::zero();
  v1::Job last;
  last.set_id(job);
  NoViewer viewer;
  const Status status =
      Follow(frontend, {.id = job, .to_the_end = true},
             has_end ? std::optional(Now() + timeout) : std::nullopt, viewer, last);
  if (last.state() == v1::JOB_STATE_FINISHED) return last;
  if (has_end && absl::IsDeadlineExceeded(status)) {
    return absl::DeadlineExceededError(
        absl::StrFormat("job %d has not ended within %g s and goes on: `twofold job watch %d`", job,
                        ToSeconds(timeout), job));
  }
  if (status.ok()) return absl::UnavailableError(absl::StrCat("job ", job, ": its stream ended"));
  return Status(status.code(), absl::StrCat("job ", job, ": ", std::string(status.message())));
}

Action BindLogs(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<FollowOptions>();
  options->output = true;
  app.add_flag("-f,--follow", options->to_the_end,
               "Go on until the job has ended; exit code 0 if it succeeded, else 1");
  return Bind<LogViewer>(app, globals, options);
}

Action BindWatch(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<FollowOptions>();
  options->to_the_end = true;
  return Bind<ProgressViewer>(app, globals, options);
}

}  // namespace twofold::cli
