#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lib/queue/effects.h"

namespace twofold::queue {

/// The effects as values that own what they show.
struct Assigned {
  ProcessId process;
  JobId job;
  Attempt attempt;
  std::string spec;
  JobId gang{0};  // of a member
  std::uint32_t rank = 0;
  std::vector<JobId> members = {};
  std::uint32_t spec_elsewhere = 0;
  bool ask_sent = false;

  bool operator==(const Assigned&) const = default;
};

struct LetGo {
  ProcessId process;
  JobId job;
  Attempt attempt;

  auto operator<=>(const LetGo&) const = default;
};

struct Stopped {
  ProcessId process;
  JobId job;
  Attempt attempt;

  auto operator<=>(const Stopped&) const = default;
};

struct Replied {
  SubmitterId submitter;
  std::uint64_t tag;
  JobId job;
  Outcome outcome;
  Attempt attempts;
  bool has_process;
  ProcessId process;
  Duration wait;
  Duration run_time;
  Duration total;
  std::string report;
  std::string reason;
  std::uint32_t rank = 0;

  bool operator==(const Replied&) const = default;
};

struct PutBack {
  JobId job;
  Attempt attempts;
  std::uint32_t lost_attempts;

  auto operator<=>(const PutBack&) const = default;
};

struct Removed {
  ProcessId process;

  bool operator==(const Removed&) const = default;
};

using Recorded = std::variant<Assigned, LetGo, Stopped, PutBack, Replied, Removed>;

/// Keeps what the queue decided, in order.
class RecordingEffects : public Effects {
 public:
  void Do(const Assign& assign) override {
    Assigned assigned{assign.process, assign.job, assign.attempt, std::string(assign.spec)};
    assigned.spec_elsewhere = assign.spec_elsewhere;
    assigned.ask_sent = assign.ask_sent;
    if (assign.seat != nullptr) {
      assigned.gang = assign.seat->gang;
      assigned.rank = assign.seat->rank;
      for (const Member& member : assign.seat->members) assigned.members.push_back(member.job);
    }
    all_.emplace_back(std::move(assigned));
  }
  void Do(const Go& go) override { all_.emplace_back(LetGo{go.process, go.job, go.attempt}); }
  void Do(const CancelOnWorker& cancel) override {
    all_.emplace_back(Stopped{cancel.process, cancel.job, cancel.attempt});
  }
  void Do(const Requeued& requeued) override {
    all_.emplace_back(PutBack{requeued.job, requeued.attempts, requeued.lost_attempts});
  }
  void Do(const Reply& reply) override {
    all_.emplace_back(Replied{reply.submitter, reply.tag, reply.job, reply.outcome, reply.attempts,
                              reply.has_process, reply.process, reply.wait, reply.run_time,
                              reply.total, std::string(reply.report), std::string(reply.reason),
                              reply.rank});
  }
  void Do(const ProcessRemoved& removed) override { all_.emplace_back(Removed{removed.process}); }

  [[nodiscard]] const std::vector<Recorded>& all() const { return all_; }
  void Clear() { all_.clear(); }

  /// The effects of one kind.
  template <typename Kind>
  [[nodiscard]] std::vector<Kind> Of() const {
    std::vector<Kind> found;
    for (const Recorded& effect : all_) {
      if (const auto* match = std::get_if<Kind>(&effect)) found.push_back(*match);
    }
    return found;
  }

 private:
  std::vector<Recorded> all_;
};

template <typename Id>
auto Number(Id id) {
  return static_cast<std::uint64_t>(id);
}

inline std::ostream& operator<<(std::ostream& out, const Assigned& assigned) {
  return out << "assign process " << Number(assigned.process) << " job " << Number(assigned.job)
             << " attempt " << assigned.attempt << " spec '" << assigned.spec << "' and "
             << assigned.spec_elsewhere << " bytes elsewhere, gang " << Number(assigned.gang)
             << " rank " << assigned.rank << " of " << assigned.members.size();
}

inline std::ostream& operator<<(std::ostream& out, const LetGo& go) {
  return out << "go process " << Number(go.process) << " job " << Number(go.job) << " attempt "
             << go.attempt;
}

inline std::ostream& operator<<(std::ostream& out, const PutBack& back) {
  return out << "requeued job " << Number(back.job) << " attempts " << back.attempts << " lost "
             << back.lost_attempts;
}

inline std::ostream& operator<<(std::ostream& out, const Stopped& stopped) {
  return out << "stop process " << Number(stopped.process) << " job " << Number(stopped.job)
             << " attempt " << stopped.attempt;
}

inline std::ostream& operator<<(std::ostream& out, const Replied& reply) {
  out << "reply submitter " << Number(reply.submitter) << " tag " << reply.tag << " job "
      << Number(reply.job) << ' ' << Name(reply.outcome) << " attempts " << reply.attempts;
  if (reply.has_process) out << " process " << Number(reply.process);
  return out << " wait " << reply.wait.count() << " run " << reply.run_time.count() << " total "
             << reply.total.count() << " report '" << reply.report << "' reason '" << reply.reason
             << "' rank " << reply.rank;
}

inline std::ostream& operator<<(std::ostream& out, const Removed& removed) {
  return out << "remove process " << Number(removed.process);
}

}  // namespace twofold::queue
