// What happens to requests on their way, and the commits of the queues.

#include <utility>

#include "tests/lib/cluster/simulation.h"

namespace twofold::cluster {
namespace {

constexpr Duration kCommitPatience = std::chrono::seconds(2);

Verdict DoneIf(bool done) { return done ? Verdict::kDone : Verdict::kRefused; }

}  // namespace

/// Sends a request as the faults of this moment let it.
void Simulation::Request(Frontend& frontend, const Write& write, const Reply& reply) {
  const auto suffers = [&](FaultKind kind) { return frontend.faults.contains(kind); };
  if (suffers(FaultKind::kCut) || suffers(FaultKind::kOutage)) {
    Saw("request lost");
    if (OneIn(2)) Answer(frontend, Milliseconds(1, 1000), reply(Verdict::kInDoubt));
    return;
  }
  const bool late = suffers(FaultKind::kLate);
  const Duration there = late ? Milliseconds(1, 4000) : Milliseconds(1, 30);
  const Duration back = late && OneIn(2) ? Milliseconds(1, 4000) : Milliseconds(1, 30);
  Send(frontend, there, back, write, reply);
  if (suffers(FaultKind::kDouble)) {
    Saw("request doubled");
    Send(frontend, there + Milliseconds(0, 300), back + Milliseconds(0, 2000), write, reply);
  }
}

/// The request arrives even if its sender has ended; not if the database has failed over meanwhile.
void Simulation::Send(Frontend& frontend, Duration there, Duration back, const Write& write,
                      const Reply& reply) {
  const Sender sender{frontend.name, frontend.incarnation};
  At(now() + there, [this, &frontend, sender, back, write, reply, timeline = database_.timeline()] {
    const bool broken = timeline != database_.timeline();
    const Verdict verdict = broken ? Verdict::kInDoubt : DoneIf(write(sender));
    if (frontend.incarnation != sender.incarnation) return;
    if (!frontend.faults.contains(FaultKind::kDeaf)) {
      Answer(frontend, back, reply(verdict));
    } else if (OneIn(2)) {
      Saw("done, but in doubt");
      Answer(frontend, back, reply(Verdict::kInDoubt));
    }
  });
}

Simulation::Reply Simulation::ReplyWith(Frontend& frontend, std::function<Input(Verdict)> input) {
  return [this, &frontend, input = std::move(input)](Verdict verdict) -> Deliver {
    return [this, &frontend, answer = input(verdict)] { Step(frontend, answer); };
  };
}

/// A process that is paused reads its answers when it wakes.
void Simulation::Answer(Frontend& frontend, Duration back, Deliver deliver) {
  AtOf(frontend, now() + back, [this, &frontend, deliver = std::move(deliver)] {
    if (frontend.faults.contains(FaultKind::kPause)) {
      Saw("answer waited for a sleeper");
      frontend.inbox.push_back(deliver);
    } else {
      deliver();
    }
  });
}

// ---- Requests of an Ownership

void Simulation::Do(Frontend& frontend, const effect::Look& look) {
  const auto read = [](const Sender& /*sender*/) { return true; };
  Request(frontend, read, ReplyWith(frontend, [this, look](Verdict verdict) -> Input {
            return database_.Answer(look, verdict);
          }));
}

void Simulation::Do(Frontend& frontend, const effect::Beat& beat) {
  const auto write = [this, beat](const Sender& sender) { return database_.Write(sender, beat); };
  Request(frontend, write, ReplyWith(frontend, [beat](Verdict verdict) -> Input {
            return FakeDatabase::Answer(beat, verdict);
          }));
}

void Simulation::Do(Frontend& frontend, const effect::Claim& claim) {
  const auto write = [this, claim](const Sender& sender) { return database_.Write(sender, claim); };
  if (claim.dead.name.empty()) {
    Saw("claimed what nobody has");
  } else {
    Saw("claimed from a dead owner");
  }
  Request(frontend, write, ReplyWith(frontend, [this, claim](Verdict verdict) -> Input {
            if (verdict == Verdict::kRefused) Saw("claim refused");
            return database_.Answer(claim, verdict);
          }));
}

void Simulation::Do(Frontend& frontend, const effect::Release& release) {
  Saw("released");
  const auto write = [this, release](const Sender& sender) {
    return database_.Write(sender, release);
  };
  Request(frontend, write, ReplyWith(frontend, [release](Verdict verdict) -> Input {
            return FakeDatabase::Answer(release, verdict);
          }));
}

void Simulation::Do(Frontend& frontend, const effect::Mark& mark) {
  const auto write = [this, mark](const Sender& /*sender*/) { return database_.Write(mark); };
  Request(frontend, write, [](Verdict /*verdict*/) -> Deliver { return [] {}; });
}

// ---- Commits

void Simulation::CommitAll() {
  for (Frontend& frontend : frontends_) {
    if (frontend.core == nullptr || frontend.faults.contains(FaultKind::kPause)) continue;
    for (auto& [partition, serving] : frontend.serving) {
      if (OneIn(2)) Commit(frontend, partition, serving);
    }
  }
}

/// The next commit, or once more the one that is in doubt. One that was under way when the
/// partition was suspended is in doubt, too: it is no new work.
void Simulation::Commit(Frontend& frontend, PartitionNumber partition, Serving& serving) {
  const bool strict = frontend.core->StrictUntil(partition) > Local(frontend, now());
  if (!serving.under_way) {
    if (!strict) return;
    serving.under_way = {partition, serving.epoch, serving.version + 1, next_commit_++};
  } else if (now() - serving.sent < kCommitPatience) {
    return;
  }
  serving.sent = now();
  const DurableCommit commit = *serving.under_way;
  const auto write = [this, commit](const Sender& sender) {
    const bool done = database_.Write(sender, commit);
    if (done) Cover(commit);
    return done;
  };
  Request(frontend, write, [this, &frontend, commit](Verdict verdict) -> Deliver {
    return [this, &frontend, commit, verdict] { Committed(frontend, commit, verdict); };
  });
}

/// Only what is acknowledged to a queue that still waits for it is told to a submitter.
void Simulation::Committed(Frontend& frontend, const DurableCommit& commit, Verdict verdict) {
  const auto found = frontend.serving.find(commit.partition);
  const bool waited_for = found != frontend.serving.end() && found->second.under_way &&
                          found->second.under_way->id == commit.id;
  if (!waited_for || verdict == Verdict::kInDoubt) return;
  if (verdict == Verdict::kRefused) {
    Saw("commit refused");
    Step(frontend, input::Deposed{commit.partition, commit.epoch});
    return;
  }
  found->second.under_way.reset();
  found->second.version = commit.version;
  Acknowledge(frontend, commit);
  Step(frontend, input::Committed{commit.partition, commit.version});
}

}  // namespace twofold::cluster
