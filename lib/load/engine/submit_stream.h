#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/load/engine/lanes.h"
#include "lib/load/profile.h"
#include "lib/rpc/client_stream.h"
#include "lib/rpc/route.h"
#include "lib/security/client.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::load {

/// One Submit stream: packs the jobs of a generator into batches. All are for one shard of a queue.
/// Jobs that are added after its end stay without an answer.
///
/// Threads  Safe. What the frontend says comes on the loop's thread, and the end once, after all
///          else. Keep the stream until then.
class SubmitStream final : public JobSink {
 public:
  using Stream = rpc::ClientStream<v1::SubmitRequest, v1::SubmitReply>;

  /// `job` is what jobs are made from that name no template, and its queue is that of all. It
  /// outlives the stream.
  SubmitStream(rpc::Dial dial, const JobTemplate& job, std::uint64_t load_key,
               Stream::OnReply on_reply, Stream::OnStreamEnd on_end);

  void Start(std::shared_ptr<rpc::Channel> channel, const security::Client& security);

  /// Half-closes: takes no more jobs.
  void Close() { stream_->Close(); }
  void Cancel() { stream_->Cancel(); }

  void Add(std::span<const LoadLoop::Tag> tags, const JobTemplate* job) override;
  void Flush() override { stream_->Flush(); }

  /// Where it leads.
  [[nodiscard]] const rpc::Dial& dial() const { return dial_; }

 private:
  std::size_t Pack(std::span<const LoadLoop::Tag> tags, const JobTemplate& job,
                   v1::SubmitRequest& request);
  std::uint32_t OptionOf(const JobTemplate& job, v1::SubmitRequest& request);

  const rpc::Dial dial_;
  const JobTemplate& job_;
  const std::uint64_t load_key_;
  const std::size_t chunk_;  // jobs
  const std::shared_ptr<Stream> stream_;

  // Used in Add only, which the generator calls with its lock held.
  bool introduced_ = false;
  std::vector<const JobTemplate*> options_;  // of the present batch
};

}  // namespace twofold::load
