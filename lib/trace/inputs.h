#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lib/queue/queue.h"
#include "lib/trace/fields.h"

/// The calls that change a queue, as values. A new one is a struct here, a row of AnyInput and a
/// method of TracedQueue, which is the only way by which programs reach the core.
namespace twofold::queue::trace {

/// The options of a job, in the trace by the number under which they were written before.
struct OptionsUse {
  OptionsUse() = default;
  /// `options` must outlive this.
  OptionsUse(const std::shared_ptr<const JobOptions>& options) : shared(&options) {}  // NOLINT

  const std::shared_ptr<const JobOptions>* shared = nullptr;
  std::uint64_t number = 0;
  std::uint64_t digest = 0;  ///< of their content
};

namespace input {

struct Submit {
  static constexpr std::string_view kName = "submit";
  SubmitterId submitter;
  std::uint64_t tag;
  OptionsUse options;
  std::string_view spec;

  Submitted Apply(Queue& queue, Instant now, Effects& effects) const {
    return queue.Submit(now, submitter, tag, *options.shared, spec, effects);
  }
};

struct Cancel {
  static constexpr std::string_view kName = "cancel";
  JobId job;

  bool Apply(Queue& queue, Instant now, Effects& effects) const {
    return queue.Cancel(now, job, effects);
  }
};

struct SubmitterGone {
  static constexpr std::string_view kName = "submitter_gone";
  SubmitterId submitter;

  void Apply(Queue& queue, Instant now, Effects& effects) const {
    queue.SubmitterGone(now, submitter, effects);
  }
};

/// Joining with a list of its own.
struct WorkerJoined {
  static constexpr std::string_view kName = "worker_joined";
  WorkerJoined() = default;
  explicit WorkerJoined(const Joining& from) {
    const auto& [from_key, from_slots, from_held, is_draining, is_paused, from_node, from_labels] =
        from;
    key = from_key;
    slots = from_slots;
    held.assign(from_held.begin(), from_held.end());
    draining = is_draining;
    paused = is_paused;
    node = from_node;
    labels = from_labels;
  }

  ProcessKey key{0};
  std::uint32_t slots = 1;
  std::vector<Held> held;
  bool draining = false;
  bool paused = false;
  std::string_view node;
  std::string_view labels;

  ProcessId Apply(Queue& queue, Instant now, Effects& effects) const {
    return queue.WorkerJoined(now, {key, slots, held, draining, paused, node, labels}, effects);
  }
};

struct WorkerGone {
  static constexpr std::string_view kName = "worker_gone";
  ProcessId process;

  void Apply(Queue& queue, Instant now, Effects& effects) const {
    queue.WorkerGone(now, process, effects);
  }
};

struct WorkerLeft {
  static constexpr std::string_view kName = "worker_left";
  ProcessId process;

  void Apply(Queue& queue, Instant now, Effects& effects) const {
    queue.WorkerLeft(now, process, effects);
  }
};

struct Renewed {
  static constexpr std::string_view kName = "renewed";
  ProcessId process;

  void Apply(Queue& queue, Instant now, Effects& effects) const {
    queue.Renewed(now, process, effects);
  }
};

struct WorkerDraining {
  static constexpr std::string_view kName = "worker_draining";
  ProcessId process;

  void Apply(Queue& queue, Instant now, Effects& effects) const {
    queue.WorkerDraining(now, process, effects);
  }
};

struct PauseWorker {
  static constexpr std::string_view kName = "pause_worker";
  ProcessId process;
  bool paused;

  void Apply(Queue& queue, Instant now, Effects& effects) const {
    queue.PauseWorker(now, process, paused, effects);
  }
};

struct MemberReady {
  static constexpr std::string_view kName = "member_ready";
  ProcessId process;
  Held member;

  bool Apply(Queue& queue, Instant now, Effects& effects) const {
    return queue.MemberReady(now, process, member, effects);
  }
};

struct Completed {
  static constexpr std::string_view kName = "completed";
  ProcessId process;
  Completion completion;

  bool Apply(Queue& queue, Instant now, Effects& effects) const {
    return queue.Completed(now, process, completion, effects);
  }
};

struct EndTurn {
  static constexpr std::string_view kName = "end_turn";
  void Apply(Queue& queue, Instant, Effects&) const { queue.EndTurn(); }
};

struct Pause {
  static constexpr std::string_view kName = "pause";
  void Apply(Queue& queue, Instant, Effects&) const { queue.Pause(); }
};

struct Drain {
  static constexpr std::string_view kName = "drain";
  void Apply(Queue& queue, Instant, Effects&) const { queue.Drain(); }
};

struct Resume {
  static constexpr std::string_view kName = "resume";
  void Apply(Queue& queue, Instant now, Effects& effects) const { queue.Resume(now, effects); }
};

struct Restore {
  static constexpr std::string_view kName = "restore";
  OptionsUse options;
  Restored restored;

  void Apply(Queue& queue, Instant now, Effects& effects) const {
    Restored with_options = restored;
    with_options.options = *options.shared;
    queue.Restore(now, with_options, effects);
  }
};

struct Tick {
  static constexpr std::string_view kName = "tick";
  void Apply(Queue& queue, Instant now, Effects& effects) const { queue.Tick(now, effects); }
};

}  // namespace input

/// The place in the list is the number in the file: add at the end.
using AnyInput =
    std::variant<input::Submit, input::Cancel, input::SubmitterGone, input::WorkerJoined,
                 input::WorkerGone, input::WorkerLeft, input::Renewed, input::WorkerDraining,
                 input::PauseWorker, input::MemberReady, input::Completed, input::EndTurn,
                 input::Pause, input::Drain, input::Resume, input::Restore, input::Tick>;

/// What the method returns.
template <typename Input>
using ResultOf = decltype(std::declval<const Input&>().Apply(
    std::declval<Queue&>(), std::declval<Instant>(), std::declval<Effects&>()));

void VisitFields(auto& visit, Is<input::Submit> auto& submit) {
  visit("submitter", submit.submitter);
  visit("tag", submit.tag);
  visit("options", submit.options);
  visit("spec", submit.spec);
}

void VisitFields(auto& visit, Is<input::Cancel> auto& cancel) { visit("job", cancel.job); }

void VisitFields(auto& visit, Is<input::SubmitterGone> auto& gone) {
  visit("submitter", gone.submitter);
}

void VisitFields(auto& visit, Is<input::WorkerJoined> auto& joined) {
  visit("key", joined.key);
  visit("slots", joined.slots);
  visit("held", joined.held);
  visit("draining", joined.draining);
  visit("paused", joined.paused);
  visit("node", joined.node);
  visit("labels", joined.labels);
}

template <typename T>
concept IsProcessOnly = Is<T, input::WorkerGone> || Is<T, input::WorkerLeft> ||
    Is<T, input::Renewed> || Is<T, input::WorkerDraining>;

void VisitFields(auto& visit, IsProcessOnly auto& input) { visit("process", input.process); }

void VisitFields(auto& visit, Is<input::PauseWorker> auto& pause) {
  visit("process", pause.process);
  visit("paused", pause.paused);
}

void VisitFields(auto& visit, Is<input::MemberReady> auto& ready) {
  visit("process", ready.process);
  VisitFields(visit, ready.member);
}

void VisitFields(auto& visit, Is<input::Completed> auto& completed) {
  visit("process", completed.process);
  VisitFields(visit, completed.completion);
}

template <typename T>
concept IsBare = Is<T, input::EndTurn> || Is<T, input::Pause> || Is<T, input::Drain> ||
    Is<T, input::Resume> || Is<T, input::Tick>;

void VisitFields(auto&, IsBare auto&) {}

void VisitFields(auto& visit, Is<input::Restore> auto& restore) {
  visit("options", restore.options);
  VisitFields(visit, restore.restored);
}

}  // namespace twofold::queue::trace
