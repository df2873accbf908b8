#include "lib/trace/effects_encoder.h"

namespace twofold::queue::trace {
namespace {

Fingerprint Of(std::span<const Member> members) {
  std::string bytes;
  Put put(bytes);
  for (const Member& member : members) VisitFields(put, member);
  return {Digest(bytes)};
}

}  // namespace

// The structured bindings do not compile when an effect gets a field that is not written here.

void EffectsEncoder::Do(const queue::Assign& effect) {
  const auto& [process, job, attempt, options, spec, seat, lost_attempts] = effect;
  const output::Assign assign{process, job, attempt, Of(options), Passed(spec), lost_attempts};
  if (seat == nullptr) return Pass(assign, effect);
  const auto& [gang, rank, members] = *seat;
  Pass(output::AssignMember{assign, gang, rank, members.size(), trace::Of(members)}, effect);
}

void EffectsEncoder::Do(const queue::Go& effect) { Pass(output::Go{effect}, effect); }

void EffectsEncoder::Do(const queue::CancelOnWorker& effect) {
  Pass(output::CancelOnWorker{effect}, effect);
}

void EffectsEncoder::Do(const queue::Requeued& effect) {
  const auto& [job, options, attempts, lost_attempts] = effect;
  Pass(output::Requeued{job, Of(options), attempts, lost_attempts}, effect);
}

void EffectsEncoder::Do(const queue::Reply& effect) {
  const auto& [submitter, tag, job, options, outcome, attempts, has_process, process, wait,
               run_time, total, rank, device, report, reason] = effect;
  // Without a process the field means nothing, so it may be anything.
  const ProcessId known = has_process ? process : ProcessId{0};
  Pass(output::Reply{submitter, tag, job, Of(options), outcome, attempts, has_process, known, wait,
                     run_time, total, rank, Passed(device), Passed(report), reason},
       effect);
}

void EffectsEncoder::Do(const queue::ProcessRemoved& effect) {
  Pass(output::ProcessRemoved{effect}, effect);
}

}  // namespace twofold::queue::trace
