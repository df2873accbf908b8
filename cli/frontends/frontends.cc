#include <absl/strings/str_cat.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <thread>

#include "cli/command/command.h"
#include "cli/command/live_line.h"
#include "cli/command/repeat.h"
#include "cli/frontends/handover.h"
#include "cli/frontends/list.h"
#include "cli/queues/call.h"
#include "lib/common/instant.h"
#include "lib/common/options.h"
#include "lib/common/printable.h"
#include "twofold/v1/frontends.grpc.pb.h"

namespace twofold::cli {
namespace {

using List = v1::ListFrontendsReply;
using FrontendsStub = v1::Frontends::Stub;

constexpr const char* kAlone =
    "There is one frontend, so nothing can be moved; several share a PostgreSQL database.\n";
constexpr Duration kLookAgain = std::chrono::milliseconds(200);

// Asks anew whom to ask: of a local cluster, a frontend that lives.
Result<List> ListNow(const Globals& globals) {
  const Frontend frontend(globals);
  auto list =
      frontend.Call<v1::Frontends>(&FrontendsStub::ListFrontends, v1::ListFrontendsRequest());
  if (!absl::IsUnimplemented(list.status())) return list;
  const auto queues =
      frontend.Call<v1::Admin>(&v1::Admin::Stub::ListQueues, v1::ListQueuesRequest());
  if (!queues.ok()) return queues.status();
  return ListOfOne(frontend.address(), *queues);
}

std::string TextOf(const List& list, bool by_queue, const Globals& globals,
                   const FinishedRates& rates = {}) {
  std::string text = by_queue
                         ? show::Print(globals.form, PartitionColumns(), PartitionRows(list, rates))
                         : show::Print(globals.form, FrontendColumns(), FrontendRows(list, rates));
  if (globals.form == show::Form::kText && IsAlone(list)) text += kAlone;
  return text;
}

// ---- frontends

struct FrontendListOptions {
  bool by_queue = false;
  bool watch = false;
  double interval_seconds = 1;
};

Action BindFrontends(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<FrontendListOptions>();
  app.add_flag("-v,--partitions", options->by_queue, "A row a queue, with who serves it");
  auto* const watch = app.add_flag(
      "--watch", options->watch,
      "Look again and again, until Ctrl-C, and say how many jobs end a second: in place on a "
      "terminal, else one list after the other");
  AddOption(app, "--interval", options->interval_seconds, Seconds(0.1, 3600),
            "Seconds between the looks of --watch")
      ->needs(watch);
  return [options, &globals]() -> Status {
    auto rates = std::make_shared<FinishedRates>();
    const Look look = [=, &globals]() -> Result<std::string> {
      const Result<List> list = ListNow(globals);
      if (!list.ok()) return list.status();
      rates->Note(*list, Now());
      return TextOf(*list, options->by_queue, globals, *rates);
    };
    if (options->watch) return Repeat(look, FromSeconds(options->interval_seconds));
    const Result<std::string> text = look();
    if (text.ok()) std::cout << *text;
    return text.status();
  };
}

// ---- waiting for the end of a change

struct WaitOptions {
  bool no_wait = false;
  double timeout_seconds = 60;
};

void DeclareWait(CLI::App& app, WaitOptions& options) {
  app.add_flag("--no-wait", options.no_wait, "Return when it has begun");
  AddOption(app, "--timeout", options.timeout_seconds, Seconds(0, 86400),
            "Longest wait; then exit code 1, with what is left");
}

/// Says what is left, each thing once.
class HandoverProgress {
 public:
  void Say(const std::string& left) {
    if (left == said_) return;
    said_ = left;
    if (line_.terminal()) {
      line_.Replace(Printable(left, LiveLine::Width()));
    } else {
      line_.Note(left);
    }
  }

 private:
  LiveLine line_;
  std::string said_;
};

bool MayComeBack(const Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
}

// The list in which nothing is left to do, or `begun` with --no-wait. Who is asked may go away
// meanwhile: it may be the one that hands its queues over.
Result<List> Await(const Globals& globals, const WaitOptions& options, const List& begun,
                   const Left& left) {
  if (options.no_wait) return begun;
  const Instant deadline = Now() + FromSeconds(options.timeout_seconds);
  for (HandoverProgress progress;; std::this_thread::sleep_for(kLookAgain)) {
    Result<List> list = ListNow(globals);
    if (!list.ok() && !MayComeBack(list.status())) return list;
    const std::string rest = list.ok() ? left(*list) : std::string(list.status().message());
    if (rest.empty()) return list;
    progress.Say(rest);
    if (Now() < deadline) continue;
    return EndWith(1, absl::StrCat("after ", options.timeout_seconds, " seconds: ", rest));
  }
}

// ---- drain, move, accept

struct DrainOptions {
  std::string name;
  WaitOptions wait;
};

Status Drain(const DrainOptions& options, const Globals& globals) {
  const Result<List> before = ListNow(globals);
  if (!before.ok()) return before.status();
  const auto frontend = FindFrontend(*before, options.name);
  if (!frontend.ok() && !IsAlone(*before)) return frontend.status();
  const std::string name = frontend.ok() ? frontend->name() : "";
  if (Status status = CheckOthers(*before, name); !status.ok()) return status;
  v1::DrainFrontendRequest request;
  request.set_frontend(name);
  const auto begun = Frontend(globals).Call<v1::Frontends>(&FrontendsStub::DrainFrontend, request);
  if (!begun.ok()) return begun.status();
  const Result<List> after = Await(globals, options.wait, *begun, LeftToDrain(*frontend));
  if (after.ok()) std::cout << TextOf(*after, /*by_queue=*/false, globals);
  return after.status();
}

Action BindDrain(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<DrainOptions>();
  app.add_option("NAME", options->name, "The frontend; scalability-tester- may be left out")
      ->required();
  DeclareWait(app, options->wait);
  return [options, &globals] { return Drain(*options, globals); };
}

struct MoveOptions {
  std::string queue;
  std::string to;
  WaitOptions wait;
};

Status ShowQueue(const Result<List>& list, const std::string& queue, const Globals& globals) {
  if (!list.ok()) return list.status();
  const Result<List> only = OnlyOf(*list, queue);
  if (only.ok()) std::cout << TextOf(*only, /*by_queue=*/true, globals);
  return only.status();
}

Status Move(const MoveOptions& options, const Globals& globals) {
  const Result<List> before = ListNow(globals);
  if (!before.ok()) return before.status();
  if (Status status = OnlyOf(*before, options.queue).status(); !status.ok()) return status;
  if (Status status = IsAlone(*before) ? CheckOthers(*before, "") : Status(); !status.ok()) {
    return status;
  }
  const auto to = FindFrontend(*before, options.to);
  if (!to.ok()) return to.status();
  v1::MoveQueueRequest request;
  request.set_queue(options.queue);
  request.set_to(to->name());
  const auto begun = Frontend(globals).Call<v1::Frontends>(&FrontendsStub::MoveQueue, request);
  if (!begun.ok()) return begun.status();
  const Left left = LeftToMove(options.queue, to->name());
  return ShowQueue(Await(globals, options.wait, *begun, left), options.queue, globals);
}

Action BindMove(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<MoveOptions>();
  app.add_option("QUEUE", options->queue, "The queue, or one of its shards")
      ->required()
      ->check(QueueOrShard());
  app.add_option("NAME", options->to,
                 "The frontend that is to serve it; scalability-tester- may be left out")
      ->required();
  DeclareWait(app, options->wait);
  return [options, &globals] { return Move(*options, globals); };
}

struct AcceptOptions {
  std::string queue;
  bool yes = false;
};

Status Accept(const AcceptOptions& options, const Globals& globals) {
  const Result<List> before = ListNow(globals);
  if (!before.ok()) return before.status();
  const Result<List> only = OnlyOf(*before, options.queue);
  if (!only.ok()) return only.status();
  const Json rows = PartitionRows(*only);
  const bool is_lost =
      std::any_of(rows.begin(), rows.end(), [](const Json& row) { return row.at("lost") == true; });
  if (!is_lost) {
    return absl::FailedPreconditionError(
        absl::StrCat("queue ", options.queue, " has lost nothing: there is no loss to accept"));
  }
  if (!options.yes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the database has lost commits that it had acknowledged. With --yes queue ", options.queue,
        " goes on with what is left: durable jobs may be missing, and others may run once more"));
  }
  v1::AcceptLossRequest request;
  request.set_queue(options.queue);
  const auto list = Frontend(globals).Call<v1::Frontends>(&FrontendsStub::AcceptLoss, request);
  return ShowQueue(list, options.queue, globals);
}

Action BindAccept(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<AcceptOptions>();
  app.add_option("QUEUE", options->queue, "The queue whose durable work waits")
      ->required()
      ->check(QueueOrShard());
  app.add_flag("--yes", options->yes,
               "Durable jobs whose commits are lost may be missing, or run once more");
  return [options, &globals] { return Accept(*options, globals); };
}

}  // namespace

std::vector<Command> FrontendCommands() {
  return {
      {"frontends", "The frontends of a cluster: state, queues, workers, database",
       "twofold frontends --watch", BindFrontends, Prints::kTable, true, kExitsOfListing},
      {"frontend drain", "Hand all queues of a frontend over to the others, and take no more",
       "twofold frontend drain frontend-2", BindDrain, Prints::kTable},
      {"frontend move", "Hand a queue over to a frontend", "twofold frontend move sleep frontend-1",
       BindMove, Prints::kTable},
      {"frontend accept", "Go on with what is left after the database has lost commits",
       "twofold frontend accept sleep --yes", BindAccept, Prints::kTable},
  };
}

}  // namespace twofold::cli
