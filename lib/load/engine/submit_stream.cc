#include "lib/load/engine/submit_stream.h"

#include <algorithm>
#include <utility>

#include "lib/rpc/batches.h"
#include "lib/rpc/channel.h"

namespace twofold::load {
namespace {

constexpr std::size_t kRowBytes = 16;

}  // namespace

SubmitStream::SubmitStream(rpc::Dial dial, const JobTemplate& job, std::uint64_t load_key,
                           Stream::OnReply on_reply, Stream::OnStreamEnd on_end)
    : dial_(std::move(dial)),
      job_(job),
      load_key_(load_key),
      chunk_(std::max<std::size_t>(rpc::kMessageBytes / (kRowBytes + job.spec.size()), 1)),
      stream_(std::make_shared<Stream>(std::move(on_reply), std::move(on_end))) {}

void SubmitStream::Start(std::shared_ptr<rpc::Channel> channel, const security::Client& security) {
  stream_->Start(std::move(channel), rpc::CallTo("/twofold.v1.Clients/Submit", security));
}

void SubmitStream::Add(std::span<const LoadLoop::Tag> tags, const JobTemplate* job) {
  const JobTemplate& made_from = job == nullptr ? job_ : *job;
  while (!tags.empty()) {
    const auto chunk = tags.first(std::min(tags.size(), chunk_));
    tags = tags.subspan(chunk.size());
    stream_->Add([&](v1::SubmitRequest& request) { return Pack(chunk, made_from, request); });
  }
}

std::size_t SubmitStream::Pack(std::span<const LoadLoop::Tag> tags, const JobTemplate& job,
                               v1::SubmitRequest& request) {
  if (!std::exchange(introduced_, true)) {
    request.set_moved_epoch(dial_.epoch);
    request.set_load_key(load_key_);
  }
  const std::uint32_t option = OptionOf(job, request);
  std::size_t bytes = 0;
  for (const LoadLoop::Tag tag : tags) {
    bytes += rpc::Append(request, {.tag = tag, .option = option, .spec = job.spec});
  }
  return bytes;
}

// The index of the job's options in the batch. A batch begins empty, and has few of them.
std::uint32_t SubmitStream::OptionOf(const JobTemplate& job, v1::SubmitRequest& request) {
  if (request.options().empty()) options_.clear();
  const auto same = std::find(options_.begin(), options_.end(), &job);
  const auto index = static_cast<std::uint32_t>(same - options_.begin());
  if (same == options_.end()) {
    v1::JobOptions& options = *request.add_options();
    options = job.options;
    options.set_queue(job_.options.queue());
    options_.push_back(&job);
  }
  return index;
}

}  // namespace twofold::load
