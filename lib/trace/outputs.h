#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "lib/trace/digest.h"
#include "lib/trace/fields.h"

/// What a queue decides and answers, as values: what `Queue` gives to Effects, and what its methods
/// return.
namespace twofold::queue::trace {

/// Bytes that pass through the core: they are in the trace as an input already. If there are many,
/// their digest stands for them.
struct Passed {
  static constexpr std::size_t kVerbatim = 16;  ///< most bytes that are kept as they are

  Passed() = default;
  explicit Passed(std::string_view bytes) : size(bytes.size()) {
    if (size <= kVerbatim) {
      verbatim = bytes;
    } else {
      digest = Digest(bytes);
    }
  }

  std::uint64_t size = 0;
  std::uint64_t digest = 0;
  std::string_view verbatim;
};

/// A digest by itself: of a job's options, of the members of a gang.
struct Fingerprint {
  std::uint64_t digest = 0;
};

namespace output {

struct Assign {
  static constexpr std::string_view kName = "assign";
  ProcessId process;
  JobId job;
  Attempt attempt;
  Fingerprint options;
  Passed spec;
  std::uint32_t lost_attempts;
};

struct AssignMember {
  static constexpr std::string_view kName = "assign_member";
  Assign assign;
  JobId gang;
  std::uint32_t rank;
  std::uint64_t size;
  Fingerprint members;
};

struct Go {
  static constexpr std::string_view kName = "go";
  queue::Go go;
};

struct CancelOnWorker {
  static constexpr std::string_view kName = "cancel_on_worker";
  queue::CancelOnWorker cancel;
};

struct Requeued {
  static constexpr std::string_view kName = "requeued";
  JobId job;
  Fingerprint options;
  Attempt attempts;
  std::uint32_t lost_attempts;
};

struct Reply {
  static constexpr std::string_view kName = "reply";
  SubmitterId submitter;
  std::uint64_t tag;
  JobId job;
  Fingerprint options;
  Outcome outcome;
  Attempt attempts;
  bool has_process;
  ProcessId process;
  Duration wait;
  Duration run_time;
  Duration total;
  std::uint32_t rank;
  Passed device;
  Passed report;
  std::string_view reason;
};

struct ProcessRemoved {
  static constexpr std::string_view kName = "process_removed";
  queue::ProcessRemoved removed;
};

/// What the method returned. It comes last.
struct ReturnedSubmitted {
  static constexpr std::string_view kName = "returned";
  Submitted submitted;
};

struct ReturnedProcess {
  static constexpr std::string_view kName = "returned";
  ProcessId process;
};

struct ReturnedBool {
  static constexpr std::string_view kName = "returned";
  bool answer;
};

}  // namespace output

/// The place in the list is the number in the file: add at the end.
using AnyOutput =
    std::variant<output::Assign, output::AssignMember, output::Go, output::CancelOnWorker,
                 output::Requeued, output::Reply, output::ProcessRemoved, output::ReturnedSubmitted,
                 output::ReturnedProcess, output::ReturnedBool>;

void VisitFields(auto& visit, Is<output::Assign> auto& assign) {
  visit("process", assign.process);
  visit("job", assign.job);
  visit("attempt", assign.attempt);
  visit("options", assign.options);
  visit("spec", assign.spec);
  visit("lost_attempts", assign.lost_attempts);
}

void VisitFields(auto& visit, Is<output::AssignMember> auto& member) {
  VisitFields(visit, member.assign);
  visit("gang", member.gang);
  visit("rank", member.rank);
  visit("size", member.size);
  visit("members", member.members);
}

void VisitFields(auto& visit, Is<output::Go> auto& go) { VisitFields(visit, go.go); }

void VisitFields(auto& visit, Is<output::CancelOnWorker> auto& cancel) {
  VisitFields(visit, cancel.cancel);
}

void VisitFields(auto& visit, Is<output::Requeued> auto& requeued) {
  visit("job", requeued.job);
  visit("options", requeued.options);
  visit("attempts", requeued.attempts);
  visit("lost_attempts", requeued.lost_attempts);
}

void VisitFields(auto& visit, Is<output::Reply> auto& reply) {
  visit("submitter", reply.submitter);
  visit("tag", reply.tag);
  visit("job", reply.job);
  visit("options", reply.options);
  visit("outcome", reply.outcome);
  visit("attempts", reply.attempts);
  visit("has_process", reply.has_process);
  visit("process", reply.process);
  visit("wait", reply.wait);
  visit("run_time", reply.run_time);
  visit("total", reply.total);
  visit("rank", reply.rank);
  visit("device", reply.device);
  visit("report", reply.report);
  visit("reason", reply.reason);
}

void VisitFields(auto& visit, Is<output::ProcessRemoved> auto& removed) {
  VisitFields(visit, removed.removed);
}

void VisitFields(auto& visit, Is<output::ReturnedSubmitted> auto& returned) {
  VisitFields(visit, returned.submitted);
}

void VisitFields(auto& visit, Is<output::ReturnedProcess> auto& returned) {
  visit("process", returned.process);
}

void VisitFields(auto& visit, Is<output::ReturnedBool> auto& returned) {
  visit("answer", returned.answer);
}

}  // namespace twofold::queue::trace
