#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lib/load/engine/lanes.h"
#include "lib/load/profile.h"
#include "lib/rpc/batches.h"

/// What tests of a generator with several lanes share.
namespace twofold::load {

/// The stream of a lane: keeps what was submitted.
class LaneSink final : public JobSink {
 public:
  void Add(std::span<const LoadLoop::Tag> tags, const JobTemplate* job) override {
    added.insert(added.end(), tags.begin(), tags.end());
    specs.insert(specs.end(), tags.size(), job == nullptr ? "" : job->spec);
  }
  void Flush() override { ++flushes; }

  std::vector<LoadLoop::Tag> added;
  std::vector<std::string> specs;  // of the same jobs
  int flushes = 0;
};

/// The jobs have succeeded.
inline v1::SubmitReply Ends(const std::vector<LoadLoop::Tag>& tags) {
  v1::SubmitReply reply;
  for (const LoadLoop::Tag tag : tags) {
    v1::ResultBatch& batch = *reply.mutable_results();
    rpc::Append(batch, {.tag = tag, .worker = rpc::WorkerIndex(batch, "n", "p", ""), .report = {}});
  }
  return reply;
}

/// `kinds` kinds of jobs, with the specs "1", "2", ..., in an open loop.
inline std::shared_ptr<const Profile> KindsAtRate(double rate, int kinds) {
  Profile profile = RateProfile(rate, Arrivals::kConstant, kForever, 1);
  for (int kind = 1; kind <= kinds; ++kind) {
    profile.jobs.emplace_back().job.spec = std::to_string(kind);
  }
  return std::make_shared<const Profile>(std::move(profile));
}

}  // namespace twofold::load
