// Callers that know several frontends.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "lib/rpc/dialer.h"
#include "lib/rpc/listen.h"
#include "tests/fakes/callers_loop.h"
#include "tests/lib/rpc/ended_stream.h"

namespace twofold::rpc {
namespace {

constexpr Duration kContactTime = std::chrono::seconds(10);

/// A server must have a service with a method.
class ContactService final : public Service {
 public:
  ContactService() : Service("test.Any") { Serve("Stream", &ContactService::Stream); }

 private:
  Result<std::shared_ptr<ByteStream>> Stream(const CallInfo&) { return EndedStream::Make(); }
};

class ContactsTest : public ::testing::Test {
 protected:
  std::unique_ptr<Server> Serve(const std::string& port = "0") {
    auto server = Listen("127.0.0.1:" + port, {&service_});
    EXPECT_TRUE(server.ok()) << server.status();
    return server.ok() ? *std::move(server) : nullptr;
  }
  static std::string PortOf(const Server& server) { return std::to_string(server.address().port); }
  static void Stop(std::unique_ptr<Server>& server) {
    server->Shutdown(Duration(0));
    server.reset();
  }

  ContactService service_;
};

TEST_F(ContactsTest, TheNextOneIsTakenIfTheFirstIsAway) {
  auto first = Serve();
  auto second = Serve();
  const std::string a = PortOf(*first);
  Dialer dialer(testing::CallersLoop(), "127.0.0.1:" + a + ",127.0.0.1:" + PortOf(*second), {});
  ASSERT_NE(dialer.Connected(kContactTime), nullptr);
  Stop(first);
  EXPECT_NE(dialer.Connected(kContactTime), nullptr);
  first = Serve(a);
  Stop(second);
  EXPECT_NE(dialer.Connected(kContactTime), nullptr);
  Stop(first);
}

}  // namespace
}  // namespace twofold::rpc
