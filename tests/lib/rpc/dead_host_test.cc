#include <gtest/gtest.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <future>
#include <memory>
#include <vector>

#include "lib/common/address.h"
#include "lib/common/instant.h"
#include "lib/rpc/channel.h"
#include "lib/rpc/client_stream.h"
#include "lib/rpc/listen.h"
#include "tests/fakes/callers_loop.h"
#include "tests/support/program.h"
#include "twofold/v1/queue.pb.h"

/// A host that vanishes without a word, as seen from both ends of a stream.
namespace twofold::rpc {
namespace {

using std::chrono::seconds;

// It is noticed after 10.3 to 10.6 s. By gRPC's pings alone it would be after half a minute.
constexpr Duration kSoonest = seconds(5);
constexpr Duration kLatest = seconds(15);
constexpr Duration kPatience = seconds(60);

/// When something happened, once.
class Event {
 public:
  void Happens() { at_.set_value(Now()); }
  Instant Await() { return result_.wait_for(kPatience) == kReady ? result_.get() : Instant::max(); }

 private:
  static constexpr auto kReady = std::future_status::ready;
  std::promise<Instant> at_;
  std::shared_future<Instant> result_ = at_.get_future().share();
};

struct Ends {
  Event begins;
  Event breaks;
};

/// The server's end of a stream that goes on until it breaks.
class Endless final : public ByteStream {
 public:
  explicit Endless(Ends& events) : events_(events) {}

 private:
  void OnBegin() override { StartRead(); }
  void OnRead(std::string_view) override {
    events_.begins.Happens();
    StartRead();
  }
  void OnReadEnd() override {
    events_.breaks.Happens();
    Finish(absl::OkStatus());
  }
  void Pull(h2::MessageWriter&) override {}
  void OnDone() override {}

  Ends& events_;
};

class EndlessService final : public Service {
 public:
  EndlessService() : Service("test.Endless") { Serve("Stream", &EndlessService::Stream); }

  Ends events;

 private:
  Result<std::shared_ptr<ByteStream>> Stream(const CallInfo&) {
    return std::make_shared<Endless>(events);
  }
};

using NameOfEnd = int (*)(int fd, sockaddr* address, socklen_t* size);

// 0: it has no such end.
std::uint16_t PortOf(int fd, NameOfEnd name_of) {
  sockaddr_in6 address{};
  socklen_t size = sizeof(address);
  const bool has = name_of(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  const bool is_ip = address.sin6_family == AF_INET || address.sin6_family == AF_INET6;
  return has && is_ip ? ntohs(address.sin6_port) : 0;  // at the same place in both families
}

// Seen from either end; a socket that listens has no peer.
bool IsConnection(int fd, std::uint16_t server_port) {
  const std::uint16_t here = PortOf(fd, &getsockname);
  const std::uint16_t there = PortOf(fd, &getpeername);
  return there == server_port || (here == server_port && there != 0);
}

/// Both ends of the connection to a server of this process.
std::vector<int> EndsOfConnectionTo(std::uint16_t port) {
  std::vector<int> ends;
  for (int fd = 0; fd < 1024; ++fd) {
    if (IsConnection(fd, port)) ends.push_back(fd);
  }
  EXPECT_EQ(ends.size(), 2);
  return ends;
}

// Bytes that nobody confirms are watched by another timer than an idle connection.
bool IsQuiet(int fd) {
  tcp_info info{};
  socklen_t size = sizeof(info);
  getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size);
  return info.tcpi_unacked == 0 && info.tcpi_last_data_sent >= 200;  // milliseconds
}

/// The kernel drops what comes to the socket before TCP sees it.
void Deafen(int fd) {
  sock_filter drop = BPF_STMT(BPF_RET | BPF_K, 0);
  const sock_fprog filter{1, &drop};
  EXPECT_EQ(setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)), 0);
}

/// A server and a stream to it.
class Line {
 public:
  Line() {
    auto server = Listen("127.0.0.1:0", {&service_});
    EXPECT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    stream_ = std::make_shared<Stream>([](const v1::Job&) {},
                                       [this](const Status&) { caller_breaks_.Happens(); });
    stream_->Start(Channel::Connect(testing::CallersLoop(), ToString(server_->address()),
                                    {.liveness = Liveness::kOfKernel}),
                   {.path = "/test.Endless/Stream"});
    Say();
    service_.events.begins.Await();
  }
  ~Line() {
    stream_->Cancel();
    caller_breaks_.Await();
  }

  /// When nothing is on its way. Not even the end of one side is heard at the other.
  void Cut() {
    const std::vector<int> ends = EndsOfConnectionTo(server_->address().port);
    EXPECT_TRUE(testing::Await([&] { return std::all_of(ends.begin(), ends.end(), &IsQuiet); }));
    for (const int end : ends) Deafen(end);
  }

  void Say() {
    stream_->Add([](v1::Job& job) {
      job.set_id(1);
      return std::size_t{2};
    });
    stream_->Flush();
  }

  Instant WhenCallerNotices() { return caller_breaks_.Await(); }
  Instant WhenServerNotices() { return service_.events.breaks.Await(); }

 private:
  using Stream = ClientStream<v1::Job, v1::Job>;

  EndlessService service_;
  std::unique_ptr<Server> server_;
  Event caller_breaks_;
  std::shared_ptr<Stream> stream_;
};

TEST(DeadHost, IsNoticedByBothEndsOfAnIdleAndOfABusyStreamInAboutTenSeconds) {
  Line idle;
  Line busy;
  const Instant start = Now();
  idle.Cut();
  busy.Cut();
  busy.Say();
  for (const Instant noticed : {idle.WhenCallerNotices(), idle.WhenServerNotices(),
                                busy.WhenCallerNotices(), busy.WhenServerNotices()}) {
    EXPECT_GE(noticed, start + kSoonest);
    EXPECT_LE(noticed, start + kLatest);
  }
}

}  // namespace
}  // namespace twofold::rpc
