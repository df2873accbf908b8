#pragma once

#include <absl/strings/str_replace.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "lib/common/result.h"
#include "lib/rpc/client_stream.h"
#include "lib/rpc/dialer.h"
#include "lib/rpc/outgoing_call.h"
#include "tests/fakes/callers_loop.h"
#include "tests/fakes/inbox.h"
#include "tests/fakes/streams.h"

/// Calls by our own client, all of whose memory ThreadSanitizer knows: it takes gRPC's library, as
/// Debian builds it, for full of races.
namespace twofold::testing {

struct CallTerms {
  Headers headers = {};
  Duration patience = std::chrono::seconds(30);  ///< one that only a hang takes
};

/// The reply; without one the test fails.
template <typename Reply>
Reply Good(Result<Reply> reply) {
  EXPECT_TRUE(reply.ok()) << reply.status();
  return reply.ok() ? *std::move(reply) : Reply();
}

/// A call under way, of any kind: a test says each message and takes each answer.
template <typename Request, typename Reply>
class OpenCall {
 public:
  OpenCall(std::shared_ptr<rpc::Channel> channel, h2::CallOptions options)
      : call_(std::make_shared<Stream>([this](const Reply& reply) { came_.Put(reply); },
                                       [this](const Status& status) {
                                         end_ = status;
                                         came_.Put(std::nullopt);
                                       })) {
    call_->Start(std::move(channel), std::move(options));
  }
  ~OpenCall() {
    if (!over_) (void)Break();
  }
  OpenCall(const OpenCall&) = delete;
  OpenCall& operator=(const OpenCall&) = delete;

  void Say(const Request& request) {
    call_->Add([&](Request& next) {
      next = request;
      return rpc::kMessageBytes;  // a message of its own
    });
    call_->Flush();
  }
  void HalfClose() { call_->Close(); }

  /// The next answer; nullopt: there are no more.
  std::optional<Reply> Next() {
    if (over_) return std::nullopt;
    std::optional<Reply> next = came_.TakeWithin(std::chrono::hours(1)).value();
    over_ = !next;
    return next;
  }

  /// How the call has ended; waits for it, and drops the answers until then.
  Status End() {
    while (Next()) continue;
    return end_;
  }

  /// Takes the call back, unless it has ended.
  Status Break() {
    call_->Cancel();
    return End();
  }

 private:
  using Stream = rpc::ClientStream<Request, Reply>;

  Inbox<std::optional<Reply>> came_;  // the last one is null
  Status end_;                        // from then on
  bool over_ = false;
  std::shared_ptr<Stream> call_;
};

/// A client of one server. Its calls share a connection; a new one takes the place of one that has
/// ended.
///
/// A method is "Service/Method" of the contract, or "/package.Service/Method".
///
/// Threads  Safe.
class Caller {
 public:
  explicit Caller(const std::string& address, security::Client security = {})
      : security_(std::move(security)), dialer_(CallersLoop(), address, security_) {}

  /// A call of one request and one reply.
  template <typename Reply, typename Request>
  Result<Reply> Call(const std::string& method, const Request& request,
                     const CallTerms& terms = {}) {
    const auto call = Ask<Reply>(method, request, terms);
    std::optional<Reply> reply = call->Next();
    if (Status status = call->End(); !status.ok()) return status;
    if (!reply) return absl::InternalError(method + " has ended well without a reply");
    return *std::move(reply);
  }

  /// Begins a call of one request.
  template <typename Reply, typename Request>
  std::unique_ptr<OpenCall<Request, Reply>> Ask(const std::string& method, const Request& request,
                                                const CallTerms& terms = {}) {
    auto call = Open<Request, Reply>(method, terms);
    call->Say(request);
    call->HalfClose();
    return call;
  }

  /// Begins a call.
  template <typename Request, typename Reply>
  std::unique_ptr<OpenCall<Request, Reply>> Open(const std::string& method,
                                                 const CallTerms& terms = {}) {
    ExpectTypes(PathOf(method), Request::descriptor(), Reply::descriptor());
    return std::make_unique<OpenCall<Request, Reply>>(dialer_.Get(), OptionsOf(method, terms));
  }

  /// A call of one request and one reply, or none, as bytes.
  Result<std::string> CallWithBytes(const std::string& method, const std::string& request,
                                    const CallTerms& terms = {}) {
    std::promise<Result<std::string>> answered;
    const auto call = std::make_shared<rpc::UnaryRequest>(
        request, [&](Result<std::string> reply) { answered.set_value(std::move(reply)); });
    call->Start(dialer_.Get(), OptionsOf(method, terms));
    return answered.get_future().get();
  }

 private:
  static std::string PathOf(const std::string& method) {
    return method.starts_with("/") ? method : "/twofold.v1." + method;
  }

  static void ExpectTypes(const std::string& path, const google::protobuf::Descriptor* request,
                          const google::protobuf::Descriptor* reply) {
    const std::string name = absl::StrReplaceAll(path.substr(1), {{"/", "."}});
    const auto* const method =
        google::protobuf::DescriptorPool::generated_pool()->FindMethodByName(name);
    ASSERT_NE(method, nullptr) << "there is no " << name;
    EXPECT_EQ(method->input_type(), request) << name;
    EXPECT_EQ(method->output_type(), reply) << name;
  }

  h2::CallOptions OptionsOf(const std::string& method, const CallTerms& terms) const {
    h2::CallOptions options = rpc::CallTo(PathOf(method), security_);
    options.metadata.insert(options.metadata.end(), terms.headers.begin(), terms.headers.end());
    options.deadline = Now() + terms.patience;
    return options;
  }

  const security::Client security_;
  rpc::Dialer dialer_;
};

}  // namespace twofold::testing
