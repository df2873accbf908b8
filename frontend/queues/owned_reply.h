#pragma once

#include <memory>
#include <optional>
#include <string>

#include "frontend/queues/endpoints.h"
#include "lib/queue/types.h"

namespace twofold::frontend {

/// The end of a job and who ran it, with memory of their own, for those who look at it later.
class OwnedReply {
 public:
  /// `worker` nullptr: no worker ever had the job.
  OwnedReply(const queue::Reply& reply, const WorkerIdentity* worker)
      : reply_(reply),
        options_(reply.options),
        device_(reply.device),
        report_(reply.report),
        reason_(reply.reason) {
    if (worker != nullptr) worker_ = *worker;
  }

  /// Shows what is in here.
  [[nodiscard]] queue::Reply reply() const {
    return {.submitter = reply_.submitter,
            .tag = reply_.tag,
            .job = reply_.job,
            .options = options_,
            .outcome = reply_.outcome,
            .attempts = reply_.attempts,
            .has_process = reply_.has_process,
            .process = reply_.process,
            .wait = reply_.wait,
            .run_time = reply_.run_time,
            .total = reply_.total,
            .rank = reply_.rank,
            .device = device_,
            .report = report_,
            .reason = reason_};
  }
  [[nodiscard]] const WorkerIdentity* worker() const { return worker_ ? &*worker_ : nullptr; }

 private:
  queue::Reply reply_;  // the numbers of it; its views are not used
  std::shared_ptr<const queue::JobOptions> options_;
  std::string device_;
  std::string report_;
  std::string reason_;
  std::optional<WorkerIdentity> worker_;
};

}  // namespace twofold::frontend
