#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lib/queue/types.h"

/// All that can happen to a queue, as values: Queue::Step takes them, a trace is a list of them.
///
/// Text in an input is a view of bytes of the caller, which must live until Step has returned. The
/// messages of trace.proto have the same fields in the same order; a test compares them.
namespace twofold::queue::input {

// ---- Submitters

/// Accepts a job, or says why not (counted as rejected, no Reply). `spec` is copied. The limit is
/// for jobs that wait, for whatever reason: while fewer do, one that a free slot takes at once
/// passes. A submitter other than kDetached takes some memory until SubmitterGone.
///
/// A job whose dedup key waits or runs already is that job, though limit and draining be against a
/// new one. It is then a job of all who have submitted it: it lives as long as one of them does,
/// kDetached for ever, and each gets a Reply for its tag (all that are detached get one together).
/// Of followers, which are the submitters but one, there may be as many as jobs may wait. A durable
/// job never becomes a volatile one, which a crash would end: it is not accepted until that one has
/// ended.
struct Submit {
  SubmitterId submitter;
  std::uint64_t tag;
  std::shared_ptr<const JobOptions> options;
  std::string_view spec;
  std::uint32_t spec_elsewhere = 0;  ///< bytes of one that the shell keeps, `spec` being empty
};

/// Ends a job as cancelled; a running one is stopped on its worker.
struct Cancel {
  JobId job;
};

/// Ends all jobs of the submitter as abandoned, without replies; running ones are stopped. Durable
/// jobs live on, and those that somebody else has submitted as well (dedup key). If there are more
/// than Queue::kMostAtOnce, Tick is due at once and ends the next ones. Until then those that are
/// left are jobs like others, and may be handed out and end with a Reply.
struct SubmitterGone {
  SubmitterId submitter;
};

// ---- Workers

/// A process connects. A key that is known takes over: attempts that match are kept, those it does
/// not have are lost (of durable jobs: put back, as it keeps those until they are on disk), and
/// those it should not have are cancelled and occupy slots until answered. If the process was
/// thought connected, its new stream overtook the broken one: do not report the old one as gone.
struct WorkerJoined {
  ProcessKey key{0};
  std::uint32_t slots = 1;       ///< at least 1
  std::vector<Held> held = {};   ///< attempts it still has
  bool draining = false;         ///< it comes only to deliver what it holds and gets no jobs
  bool paused = false;           ///< somebody has paused it meanwhile
  std::string_view node = {};    ///< for gangs whose members are on different ones
  std::string_view labels = {};  ///< "KEY=VALUE\n" each, see placement.h
};

/// The stream of a process broke or closed. What it runs stays its own for the grace period; with
/// nothing running it is removed at once.
struct WorkerGone {
  ProcessId process;
};

/// A process has left in order and will not come back: what it still had, it never started or gave
/// up. That goes to the front of the line, without using up an attempt.
struct WorkerLeft {
  ProcessId process;
};

/// A sign of life: all leases of the process run from now again. If its lease had run out, it may
/// take jobs again. WorkerDraining, MemberReady and Completed are signs of life, too.
struct Renewed {
  ProcessId process;
};

/// The process takes no more jobs; it keeps what it has.
struct WorkerDraining {
  ProcessId process;
};

/// A paused process takes no jobs until it is resumed; it keeps what it has.
struct PauseWorker {
  ProcessId process;
  bool paused;
};

/// Of what the process was given, no more than half of QueueOptions::unsent_limit still waits to
/// leave for it, or nothing ever will: it may have more. Due after an Assign with `ask_sent`, so
/// that jobs with long specs are in memory once, and not again for each slot of a process that
/// reads slowly.
struct Sent {
  ProcessId process;
};

/// A member of a gang is ready. When all are, each gets Go; one that says so later, as it comes
/// back, gets it again.
struct MemberReady {
  ProcessId process;
  Held member;
};

/// The answer to an Assign. Frees the slot if this attempt had one, whether it still counts or not.
/// What is handed back goes to the front of the line, does not use up an attempt, and may come back
/// to the same process if no other is idle.
struct Completed {
  ProcessId process;
  Completion completion;
};

/// A batch of inputs is over: the process that got jobs last gives way to the next one. Jobs that
/// came in one message so go out in one, as far as turns allow. Optional: more or fewer of these
/// are correct but slower.
struct EndTurn {};

// ---- Admin

/// Hands out no more jobs; accepts them.
struct Pause {};

/// Accepts no more jobs; runs what it has.
struct Drain {};

/// Ends both.
struct Resume {};

/// While the store cannot be written, durable jobs are held: they wait, and take no slots, as
/// nothing of them would be on disk. Volatile jobs pass them. They keep their places, under their
/// limit keys, too; what runs, runs on.
struct HoldDurable {
  bool hold;
};

/// Takes in a job of an earlier life, in its old place. One that runs waits for its process to come
/// back within the grace period. Comes before workers join; volatile jobs in the order in which
/// they arrived, durable ones in any. REQUIRES: no job with its id is there, its id is of this
/// queue, and it is no volatile gang that runs.
struct Restore {
  Restored restored;
};

// ---- Time

/// Does what is due: leases and grace periods that ran out, delays, deadlines, gangs' patience,
/// jobs of submitters that are gone.
struct Tick {};

}  // namespace twofold::queue::input

namespace twofold::queue {

/// One of them, in the order of the message Input of trace.proto.
using Input =
    std::variant<input::Submit, input::Cancel, input::SubmitterGone, input::WorkerJoined,
                 input::WorkerGone, input::WorkerLeft, input::Renewed, input::WorkerDraining,
                 input::PauseWorker, input::MemberReady, input::Completed, input::EndTurn,
                 input::Pause, input::Drain, input::Resume, input::Restore, input::Tick,
                 input::HoldDurable, input::Sent>;

}  // namespace twofold::queue
