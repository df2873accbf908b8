// Programs that know the frontend by a name, while the name server is away or says something new.

#include <chrono>
#include <thread>
#include <utility>

#include "tests/integration/cluster_fixture.h"
#include "tests/support/name_server.h"

namespace twofold::testing {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr const char* kName = "frontend.test";
constexpr const char* kFirst = "127.0.0.1";
constexpr const char* kSecond = "127.0.0.2";

// They find it within five seconds; here they may be slow ones.
constexpr auto kSoon = seconds(10);

// So long that gRPC's own pauses between lookups are longer than kSoon.
constexpr auto kOutage = seconds(28);

class NamesTest : public ClusterTest {
 protected:
  static void SetUpTestSuite() { why_not_ = NameServer::Isolate(); }

  void SetUp() override {
    if (!why_not_.empty()) GTEST_SKIP() << why_not_;
    names_ = std::make_unique<NameServer>();
    names_->Answer(kName, kFirst);
    StartFrontend();
    ServeAt(kName);
    backend_ = StartBackend({"sleep", "0.01"});
    client_ = StartClient({"--parallel", "2"});
    AwaitWork(seconds(60));
  }

  /// The frontend's addresses, as its own flags or as what others are told.
  void ServeAt(const std::string& host) {
    for (std::string* address : {&client_address_, &worker_address_}) {
      address->replace(0, address->rfind(':'), host);
    }
  }

  /// Jobs of the client end on the backend, before `patience` has passed.
  void AwaitWork(steady_clock::duration patience) {
    const auto start = steady_clock::now();
    EXPECT_TRUE(Await([&] { return Finished("succeeded") > 0; })) << Logs();
    EXPECT_LT(steady_clock::now() - start, patience) << Logs();
  }
  std::string Logs() { return backend_->output() + client_.program->output(); }

  std::unique_ptr<NameServer> names_;
  std::unique_ptr<Program> backend_;
  Client client_;

  static inline std::string why_not_;
};

TEST_F(NamesTest, AFrontendIsFoundSoonAfterTheNameServerIsBack) {
  using Away = void (NameServer::*)();
  const std::pair<Away, const char*> kCases[] = {{&NameServer::Refuse, kSecond},
                                                 {&NameServer::Ignore, kFirst}};
  for (const auto& [away, host] : kCases) {
    (*names_.*away)();
    frontend_->Kill();
    ServeAt(host);  // not where it was, so that the name is needed
    StartFrontend();
    std::this_thread::sleep_for(kOutage);
    EXPECT_EQ(Finished("succeeded"), 0);
    names_->Answer(kName, host);
    AwaitWork(kSoon);
  }
}

TEST_F(NamesTest, AFrontendIsFoundSoonAfterItHasMoved) {
  frontend_->Kill();
  names_->Answer(kName, kSecond);
  ServeAt(kSecond);
  StartFrontend();
  AwaitWork(kSoon);
}

}  // namespace
}  // namespace twofold::testing
