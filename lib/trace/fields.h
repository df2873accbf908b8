#pragma once

#include <concepts>
#include <type_traits>

#include "lib/queue/queue.h"

/// Which fields the values of the core have, told once for writing, reading and showing them.
///
/// VisitFields(visit, value) calls visit(name, field) for each. The structured bindings are there
/// so that a field added to the core does not compile until it is in the trace as well; a new field
/// changes the format (kVersion in record.h).
namespace twofold::queue::trace {

template <typename T, typename Value>
concept Is = std::same_as<std::remove_const_t<T>, Value>;

void VisitFields(auto& visit, Is<QueueOptions> auto& options) {
  auto& [limit, lease, grace, ageing, number, first_generation, first_sequence] = options;
  visit("limit", limit);
  visit("lease", lease);
  visit("grace", grace);
  visit("ageing", ageing);
  visit("number", number);
  visit("first_generation", first_generation);
  visit("first_sequence", first_sequence);
}

void VisitFields(auto& visit, Is<GangOptions> auto& options) {
  auto& [size, spread, timeout] = options;
  visit("gang_size", size);
  visit("gang_spread", spread);
  visit("gang_timeout", timeout);
}

void VisitFields(auto& visit, Is<JobOptions> auto& options) {
  auto& [suite, limit, priority, max_attempts, gang, durable, run, dedup_key, delay, deadline,
         fair_key, weight, limit_key, key_limit, placement] = options;
  visit("suite", suite);
  visit("limit", limit);
  visit("priority", priority);
  visit("max_attempts", max_attempts);
  VisitFields(visit, gang);
  visit("durable", durable);
  visit("run", run);
  visit("dedup_key", dedup_key);
  visit("delay", delay);
  visit("deadline", deadline);
  visit("fair_key", fair_key);
  visit("weight", weight);
  visit("limit_key", limit_key);
  visit("key_limit", key_limit);
  visit("placement", placement);
}

void VisitFields(auto& visit, Is<Held> auto& held) {
  auto& [job, attempt] = held;
  visit("job", job);
  visit("attempt", attempt);
}

void VisitFields(auto& visit, Is<Member> auto& member) {
  auto& [process, job] = member;
  visit("process", process);
  visit("job", job);
}

void VisitFields(auto& visit, Is<Completion> auto& completion) {
  auto& [job, attempt, handed_back, outcome, run_time, device, report] = completion;
  visit("job", job);
  visit("attempt", attempt);
  visit("handed_back", handed_back);
  visit("outcome", outcome);
  visit("run_time", run_time);
  visit("device", device);
  visit("report", report);
}

void VisitFields(auto& visit, Is<Restored::Member> auto& member) {
  auto& [process, job] = member;
  visit("process", process);
  visit("job", job);
}

void VisitFields(auto& visit, Is<Restored> auto& restored) {
  auto& [job, options, spec, accepted, handed_out, attempts, lost_attempts, members] = restored;
  visit("options", options);
  visit("job", job);
  visit("spec", spec);
  visit("accepted", accepted);
  visit("handed_out", handed_out);
  visit("attempts", attempts);
  visit("lost_attempts", lost_attempts);
  visit("members", members);
}

void VisitFields(auto& visit, Is<Submitted> auto& submitted) {
  auto& [admission, job, duplicate] = submitted;
  visit("admission", admission);
  visit("job", job);
  visit("duplicate", duplicate);
}

void VisitFields(auto& visit, Is<Go> auto& go) {
  auto& [process, job, attempt] = go;
  visit("process", process);
  visit("job", job);
  visit("attempt", attempt);
}

void VisitFields(auto& visit, Is<CancelOnWorker> auto& cancel) {
  auto& [process, job, attempt] = cancel;
  visit("process", process);
  visit("job", job);
  visit("attempt", attempt);
}

void VisitFields(auto& visit, Is<ProcessRemoved> auto& removed) {
  auto& [process] = removed;
  visit("process", process);
}

// ---- Inputs

void VisitFields(auto& visit, Is<input::Submit> auto& submit) {
  auto& [submitter, tag, options, spec] = submit;
  visit("submitter", submitter);
  visit("tag", tag);
  visit("options", options);
  visit("spec", spec);
}

void VisitFields(auto& visit, Is<input::WorkerJoined> auto& joined) {
  auto& [key, slots, held, draining, paused, node, labels] = joined;
  visit("key", key);
  visit("slots", slots);
  visit("held", held);
  visit("draining", draining);
  visit("paused", paused);
  visit("node", node);
  visit("labels", labels);
}

void VisitFields(auto& visit, Is<input::PauseWorker> auto& pause) {
  auto& [process, paused] = pause;
  visit("process", process);
  visit("paused", paused);
}

void VisitFields(auto& visit, Is<input::MemberReady> auto& ready) {
  auto& [process, member] = ready;
  visit("process", process);
  VisitFields(visit, member);
}

void VisitFields(auto& visit, Is<input::Completed> auto& completed) {
  auto& [process, completion] = completed;
  visit("process", process);
  VisitFields(visit, completion);
}

void VisitFields(auto& visit, Is<input::Restore> auto& restore) {
  auto& [restored] = restore;
  VisitFields(visit, restored);
}

void VisitFields(auto& visit, Is<input::Cancel> auto& cancel) {
  auto& [job] = cancel;
  visit("job", job);
}

void VisitFields(auto& visit, Is<input::SubmitterGone> auto& gone) {
  auto& [submitter] = gone;
  visit("submitter", submitter);
}

template <typename T>
concept IsProcessOnly = Is<T, input::WorkerGone> || Is<T, input::WorkerLeft> ||
    Is<T, input::Renewed> || Is<T, input::WorkerDraining>;
template <typename T>
concept IsBare = std::is_empty_v<T>;

void VisitFields(auto& visit, IsProcessOnly auto& input) {
  auto& [process] = input;
  visit("process", process);
}

void VisitFields(auto&, IsBare auto&) {}

}  // namespace twofold::queue::trace
