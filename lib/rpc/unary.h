#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/rpc/server_stream.h"

namespace twofold::rpc {

/// How a call ends that brings none of the one request that it has to.
inline Status NoRequest() { return absl::InvalidArgumentError("the call has no request"); }

/// A call that brings one request. Without one it ends with INVALID_ARGUMENT, and so it does when a
/// second one comes before it has been answered.
template <typename Request, typename Reply>
class OneRequestCall : public ServerStream<Request, Reply> {
 protected:
  virtual void OnRequest(const Request& request) = 0;

 private:
  void OnMessage(const Request& request) final {
    if (!std::exchange(asked_, true)) return OnRequest(request);
    this->Close(absl::InvalidArgumentError("the call has more than one request"));
  }

  void OnHalfClosed() final {
    if (!asked_) this->Close(NoRequest());
  }

  bool asked_ = false;
};

/// A call of a unary method: brings one request, and gets one reply from whoever keeps the pointer,
/// now or later. A caller that loses patience ends it as cancelled; the first end wins.
///
/// Threads  Answer and Fail from any thread.
template <typename Request, typename Reply>
class UnaryCall final : public OneRequestCall<Request, Reply> {
 public:
  using Pointer = std::shared_ptr<UnaryCall>;
  using Handler = std::function<void(const Request& request, const Pointer& call)>;

  /// `handler` comes on the loop's thread, once the request is there.
  explicit UnaryCall(Handler handler) : handler_(std::move(handler)) {}

  void Answer(Result<Reply> reply) {
    if (!reply.ok()) return Fail(reply.status());
    if (answered_.exchange(true)) return;
    this->Add([&](Reply& message) {
      message = *std::move(reply);
      return message.ByteSizeLong();
    });
    this->Close(absl::OkStatus());
  }

  void Fail(const Status& status) {
    if (!answered_.exchange(true)) this->Close(status);
  }

  /// Called once if the caller goes away before the answer: now, if it has gone.
  void WhenCancelled(std::function<void()> forget) {
    {
      const MutexLock lock(mutex_);
      if (!gone_) {
        when_cancelled_ = std::move(forget);
        return;
      }
    }
    forget();
  }

 private:
  void OnRequest(const Request& request) override {
    handler_(request, std::static_pointer_cast<UnaryCall>(this->shared_from_this()));
  }

  void OnGone() override {
    std::function<void()> forget;
    {
      const MutexLock lock(mutex_);
      gone_ = true;
      forget.swap(when_cancelled_);
    }
    if (!answered_.exchange(true) && forget) forget();
  }

  const Handler handler_;
  std::atomic<bool> answered_ = false;
  Mutex mutex_;
  bool gone_ ABSL_GUARDED_BY(mutex_) = false;
  std::function<void()> when_cancelled_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace twofold::rpc
