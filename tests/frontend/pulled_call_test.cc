#include "frontend/services/pulled_call.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "lib/rpc/awaited_call.h"
#include "lib/rpc/channel.h"
#include "lib/rpc/listen.h"
#include "lib/rpc/service.h"
#include "tests/fakes/callers_loop.h"
#include "tests/fakes/inbox.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::frontend {
namespace {

using std::chrono::milliseconds;

constexpr int kMessages = 3;

/// Sends so many messages, of which a caller that reads none has room for the first two.
class PulledService final : public rpc::Service {
 public:
  PulledService() : Service("test.Pulled") { Serve("Export", &PulledService::Export); }

  /// One for each call that is over.
  testing::Inbox<bool> ended;

 private:
  Result<std::shared_ptr<rpc::ByteStream>> Export(const rpc::CallInfo&) {
    const auto open = [](const v1::ExportRunRequest&) -> Result<NextMessage<v1::ExportPiece>> {
      return [count = 0]() mutable -> Result<std::optional<v1::ExportPiece>> {
        if (count++ == kMessages) return std::nullopt;
        v1::ExportPiece piece;
        piece.set_data(std::string(3 << 20, 'x'));
        return piece;
      };
    };
    const auto call = std::make_shared<PulledCall<v1::ExportRunRequest, v1::ExportPiece>>(
        readers_, open, milliseconds(500));
    call->Hold({this, [this](void*) { ended.Put(true); }});
    return call;
  }

  ReaderPool readers_;
};

class PulledCallTest : public ::testing::Test {
 protected:
  PulledCallTest() {
    auto server = rpc::Listen("127.0.0.1:0", {&service_});
    EXPECT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  std::shared_ptr<rpc::AwaitedCall> Ask() {
    auto call = std::make_shared<rpc::AwaitedCall>();
    call->Start(rpc::Channel::Connect(testing::CallersLoop(), ToString(server_->address()), {}),
                {.path = "/test.Pulled/Export"});
    [](std::shared_ptr<rpc::AwaitedCall> by) -> Detached {
      std::string request;
      (void)co_await by->Write(request);
      by->HalfClose();
    }(call);
    return call;
  }

  PulledService service_;
  std::unique_ptr<rpc::Server> server_;
};

TEST_F(PulledCallTest, CallerThatReadsGetsAllMessages) {
  testing::Inbox<int> read;
  [](std::shared_ptr<rpc::AwaitedCall> call, testing::Inbox<int>& to) -> Detached {
    int count = 0;
    for (;; ++count) {
      const std::optional<std::string> message = co_await call->Read();
      if (!message) break;
    }
    EXPECT_TRUE(call->status().ok()) << call->status();
    to.Put(count);
  }(Ask(), read);
  EXPECT_EQ(read.Take(), kMessages);
}

TEST_F(PulledCallTest, CallerThatDoesNotTakeTheLastMessageIsNotWaitedForEither) {
  const auto call = Ask();
  EXPECT_TRUE(service_.ended.Take());
  call->Cancel();
}

}  // namespace
}  // namespace twofold::frontend
