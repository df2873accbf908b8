#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "frontend/cluster/relayed_stream.h"
#include "lib/common/result.h"
#include "lib/rpc/byte_stream.h"

namespace twofold::frontend {

/// A caller's stream at a frontend that relays: its first message says whether it is served here,
/// by a session that gets all that comes, or goes on at another frontend.
///
/// Threads  See rpc::ByteStream.
class ForkedStream final : public rpc::ByteStream {
 public:
  using Elsewhere = Result<std::shared_ptr<RelayedStream>>;
  /// Whether the stream goes on elsewhere: then `found` is called, now or later, on any thread.
  using Ask = std::function<bool(std::string_view first, std::function<void(Elsewhere)> found)>;
  using Serve = std::function<std::shared_ptr<rpc::ByteStream>()>;

  ForkedStream(Ask ask, Serve serve) : ask_(std::move(ask)), serve_(std::move(serve)) {}

 private:
  void OnBegin() override { StartRead(); }

  void OnRead(std::string_view bytes) override {
    if (served_ != nullptr) return served_->OnRead(bytes);
    if (relayed_ != nullptr) return relayed_->OnRead(bytes);
    first_ = bytes;
    const bool elsewhere = ask_(bytes, [this, self = shared_from_this()](Elsewhere found) {
      RunAfter(Duration(0), [this, found = std::move(found)] { GoOn(found); });
    });
    if (elsewhere) return;
    std::string().swap(first_);
    BeServed();
    served_->OnRead(bytes);
  }

  void OnReadEnd() override {
    if (relayed_ != nullptr) return relayed_->OnReadEnd();
    served_ == nullptr ? BeServed() : served_->OnReadEnd();
  }

  void Pull(h2::MessageWriter& out) override {
    if (served_ != nullptr) served_->Pull(out);
    if (relayed_ != nullptr) relayed_->PullDown(out);
  }

  void OnCancel() override {
    if (served_ != nullptr) served_->OnCancel();
  }

  void OnDone() override {
    if (served_ != nullptr) served_->OnDone();
    if (relayed_ != nullptr) relayed_->OnCallerGone();
  }

  [[nodiscard]] std::size_t waiting_bytes() const override {
    if (served_ != nullptr) return served_->waiting_bytes();
    return relayed_ == nullptr ? first_.size() : relayed_->waiting_bytes();
  }

  /// It begins as any stream does, which reads; what has come before is told to it by the caller.
  void BeServed() {
    served_ = serve_();
    served_->Begin(wire());
  }

  void GoOn(const Elsewhere& found) {
    if (!found.ok()) return Finish(found.status());
    relayed_ = *found;
    relayed_->Begin(shared_from_this(), std::move(first_));
  }

  const Ask ask_;
  const Serve serve_;

  std::string first_;  // the message, while it is not known who gets it
  // At most one of them, once that is known.
  std::shared_ptr<rpc::ByteStream> served_;
  std::shared_ptr<RelayedStream> relayed_;
};

}  // namespace twofold::frontend
