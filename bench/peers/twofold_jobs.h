#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "bench/peers/fail.h"
#include "bench/peers/payload.h"
#include "lib/rpc/batches.h"
#include "lib/rpc/client_stream.h"
#include "twofold/v1/queue.pb.h"

/// Jobs as benchmarks submit them to a Twofold frontend.
namespace twofold::bench {

inline constexpr std::string_view kQueue = "bench";

/// As StreamClient needs it.
struct SubmitFormat {
  using Request = v1::SubmitRequest;
  using Reply = v1::SubmitReply;

  bool durable = false;

  std::size_t AppendJob(Request& request, std::string_view payload) const {
    if (request.options().empty()) {
      v1::JobOptions& options = *request.add_options();
      options.set_queue(std::string(kQueue));
      options.set_durable(durable);
    }
    return rpc::Append(request, {.tag = ReadHead(payload).number, .option = 0, .spec = payload});
  }

  template <typename Visit>
  void ForEachResult(const Reply& reply, Visit&& visit) const {
    rpc::ForEach(reply.results(), [&](const rpc::ResultRow& row) {
      if (row.outcome != v1::OUTCOME_SUCCEEDED) Fail("a job did not succeed");
      visit(row.report);
    });
  }
};

/// Submits without waiting for results and counts what the frontend says it has on disk. Whoever
/// makes it connects its stream, as rpc::ClientStream says, and keeps it until `on_end`.
class Putter {
 public:
  using Stream = rpc::ClientStream<v1::SubmitRequest, v1::SubmitReply>;

  Putter(bool durable, Stream::OnStreamEnd on_end)
      : format_{durable},
        stream_(std::make_shared<Stream>(
            [this](const v1::SubmitReply& reply) { accepted_ += reply.accepted().tags_size(); },
            std::move(on_end))) {}

  Stream& stream() { return *stream_; }
  [[nodiscard]] int accepted() const { return accepted_; }

  void Put(int count, std::string payload) {
    stream_->Add([&](v1::SubmitRequest& request) {
      std::size_t bytes = 0;
      for (int i = 0; i < count; ++i) {
        Write({.number = next_++, .client = 0}, payload);
        bytes += format_.AppendJob(request, payload);
      }
      return bytes;
    });
    stream_->Flush();
  }

 private:
  const SubmitFormat format_;
  std::uint64_t next_ = 0;
  std::atomic<int> accepted_ = 0;
  std::shared_ptr<Stream> stream_;
};

}  // namespace twofold::bench
