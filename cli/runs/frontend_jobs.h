#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/queues/frontend.h"
#include "cli/runs/jobs.h"
#include "lib/rpc/route.h"
#include "lib/spec/expansion.h"

namespace grpc {
template <class W, class R>
class ClientReaderWriter;
}

namespace twofold::cli {

class Attendance;

/// The jobs of a run in the queue of a frontend. Which job of the run a job is, its dedup key says;
/// so of those that wait or run none is there twice, whoever submits it.
///
/// Submit goes to the frontend that serves the queue, and stays there as long as it does. When none
/// can be found it says kUnavailable, and begins anew the next time.
///
/// Threads  Not thread-safe; calls block.
class FrontendJobs final : public run::Jobs {
 public:
  /// `common` are the options that all jobs have: queue, run, limits, of gangs whether they spread.
  /// Labels in it take the place of those of the permutations. The jobs are named after `name`. All
  /// but the name outlive it.
  FrontendJobs(const Frontend& frontend, const v1::JobOptions& common, const std::string& name,
               const spec::Expansion& expansion);
  ~FrontendJobs() override;
  FrontendJobs(const FrontendJobs&) = delete;
  FrontendJobs& operator=(const FrontendJobs&) = delete;

  /// Looks after the run from now on, so that nobody else submits its jobs. Where the frontend goes
  /// away meanwhile, List does so anew.
  /// Errors   kAlreadyExists: who does.
  Status Attend();

  Result<std::vector<run::Seen>> List() override;
  Status Submit(const std::vector<run::JobKey>& keys,
                const std::function<void(const run::Seen&)>& accepted) override;
  Status Cancel(std::uint64_t id) override;

  /// Submits the failed, timed out and lost jobs again. Returns how many.
  Result<std::size_t> RetryFailed();

 private:
  using Stream = grpc::ClientReaderWriter<v1::SubmitRequest, v1::SubmitReply>;
  using Accepted = std::function<void(const run::Seen&)>;

  /// What one look at the frontend has found.
  struct Look {
    std::vector<run::Seen> seen;
    std::map<std::uint64_t, std::string> pages;  ///< where a page ends: its last id, its token
  };

  /// Why a stream takes no more jobs.
  struct Turn {
    bool broken = false;
    std::optional<v1::Moved> moved;
    [[nodiscard]] bool over() const { return broken || moved; }
  };

  Status AttendAnew();
  Status ListPages(bool finished, Look& look);
  Result<v1::ListJobsReply> NextPage(v1::ListJobsRequest& request);
  void Take(const v1::Job& job, Look& look);
  [[nodiscard]] v1::RunPlace PlaceOf(const run::JobKey& key) const;
  [[nodiscard]] v1::JobOptions OptionsOf(const run::JobKey& key) const;
  [[nodiscard]] v1::SubmitRequest BatchOf(const std::vector<run::JobKey>& keys,
                                          std::size_t begin) const;
  Status SubmitThere(const std::vector<run::JobKey>& keys, const Accepted& accepted,
                     std::optional<v1::Moved>& moved);
  Status Follow(const v1::Moved& moved);
  Status Exchange(Stream& stream, const std::vector<run::JobKey>& keys, std::size_t begin,
                  std::size_t count, const Accepted& accepted, Turn& turn) const;

  const Frontend& frontend_;
  rpc::Route route_;
  const v1::JobOptions& common_;
  std::map<std::uint64_t, const spec::Permutation*> permutations_;  ///< by number
  std::map<run::JobKey, v1::RunPlace> places_;                      ///< of the planned jobs
  std::unique_ptr<Attendance> attendance_;                          ///< null: we only look
  std::set<std::uint64_t> open_;  ///< ids of jobs whose end has not been listed
  std::string done_;              ///< page token: all jobs before it have been listed as ended
  std::uint32_t page_size_ = 500;
};

}  // namespace twofold::cli
