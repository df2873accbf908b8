// Debian's grpc++ on the other side of the wire.

#include <gmock/gmock.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <thread>

#include "lib/h2/client.h"
#include "lib/h2/server.h"
#include "tests/lib/h2/loopback.h"
#include "tests/lib/h2/session_pair.h"

namespace twofold::h2 {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;

grpc::ByteBuffer ToBuffer(const std::string& text) {
  const grpc::Slice slice(text);
  return {&slice, 1};
}

std::string ToText(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  EXPECT_TRUE(buffer.Dump(&slices).ok());
  std::string text;
  for (const grpc::Slice& slice : slices) {
    text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return text;
}

// ---- grpc++ calls us

/// Says each message again; what the call is to come to stands in its metadata.
class ObedientEnd final : public End {
 public:
  explicit ObedientEnd(Stream& stream) : stream_(stream) {}

 private:
  void OnMessage(std::string_view bytes) override {
    waiting_.emplace_back(bytes);
    stream_.WantPull();
  }
  void OnHalfClosed() override {
    const std::string* const code = Find(stream_.metadata(), "code");
    const std::string* const echo = Find(stream_.metadata(), "echo-bin");
    stream_.Finish(code == nullptr ? absl::OkStatus()
                                   : Status(static_cast<absl::StatusCode>(std::stoi(*code)),
                                            "as you say: 100 %\n"),
                   {{"echo-bin", echo == nullptr ? "" : *echo}});
  }
  void Pull(MessageWriter& out) override {
    for (const std::string& message : std::exchange(waiting_, {})) out.Add(message);
  }
  void OnEnd(const Status& status, const Metadata&) override { last_end = status.code(); }

 public:
  static inline std::atomic<absl::StatusCode> last_end{};

 private:
  Stream& stream_;
  std::vector<std::string> waiting_;
};

/// A server on a thread of its own, and a channel of grpc++ to it.
class GrpcCallsUsTest : public ::testing::Test {
 protected:
  GrpcCallsUsTest() {
    Loopback listener;
    port_ = listener.port;
    std::vector<Descriptor> listeners;
    listeners.push_back(std::move(listener.socket));
    server_ = std::make_unique<Server>(
        loop_, std::move(listeners),
        Server::Options{.limits = {},
                        .ledger = ledger_,
                        .serve = [](Stream& stream, auto&) -> Result<std::shared_ptr<End>> {
                          if (stream.path() == "/test.Echo/Call")
                            return std::make_shared<ObedientEnd>(stream);
                          return absl::UnimplementedError(stream.path());
                        }});
    running_ = std::thread([this] { loop_.Run(); });
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    channel_ = grpc::CreateCustomChannel("127.0.0.1:" + std::to_string(port_),
                                         grpc::InsecureChannelCredentials(), arguments);
  }
  ~GrpcCallsUsTest() override {
    loop_.Stop();
    running_.join();
    server_.reset();
  }

  /// A unary call. `*reply` is what came.
  grpc::Status Unary(grpc::ClientContext& context, const std::string& request, std::string* reply,
                     const std::string& path = "/test.Echo/Call") {
    grpc::GenericStub stub(channel_);
    grpc::CompletionQueue queue;
    grpc::ByteBuffer buffer;
    grpc::Status status;
    const auto call = stub.PrepareUnaryCall(&context, path, ToBuffer(request), &queue);
    call->StartCall();
    call->Finish(&buffer, &status, this);
    void* tag = nullptr;
    bool ok = false;
    EXPECT_TRUE(queue.Next(&tag, &ok));
    if (status.ok()) *reply = ToText(buffer);
    return status;
  }

  Loop loop_;
  std::uint16_t port_ = 0;
  Ledger ledger_{{}};
  std::unique_ptr<Server> server_;
  std::thread running_;
  std::shared_ptr<grpc::Channel> channel_;
};

TEST_F(GrpcCallsUsTest, UnaryCallIsAnswered) {
  std::string reply;
  for (const std::size_t size : {0U, 1U, 100U, 100'000U, (4U << 20) - 100}) {
    grpc::ClientContext context;
    const std::string request(size, 'x');
    const grpc::Status status = Unary(context, request, &reply);
    EXPECT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(reply, request);
  }
}

TEST_F(GrpcCallsUsTest, EachStatusAndItsMessageAndMetadataArrive) {
  for (int code = 1; code <= 16; ++code) {
    grpc::ClientContext context;
    const std::string bytes("\0\xff\x80 binary", 10);
    context.AddMetadata("code", std::to_string(code));
    context.AddMetadata("echo-bin", bytes);
    std::string reply;
    const grpc::Status status = Unary(context, "hello", &reply);
    EXPECT_EQ(status.error_code(), code);
    EXPECT_EQ(status.error_message(), "as you say: 100 %\n");
    const auto& trailers = context.GetServerTrailingMetadata();
    const auto found = trailers.find("echo-bin");
    ASSERT_NE(found, trailers.end());
    EXPECT_EQ(std::string(found->second.data(), found->second.size()), bytes);
  }
}

TEST_F(GrpcCallsUsTest, UnknownMethodIsUnimplemented) {
  grpc::ClientContext context;
  std::string reply;
  const grpc::Status status = Unary(context, "hello", &reply, "/test.Echo/Other");
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(status.error_message(), "/test.Echo/Other");
}

TEST_F(GrpcCallsUsTest, CompressedRequestIsRefused) {
  grpc::ClientContext context;
  context.set_compression_algorithm(GRPC_COMPRESS_GZIP);
  std::string reply;
  const grpc::Status status = Unary(context, std::string(10'000, 'x'), &reply);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED);
}

TEST_F(GrpcCallsUsTest, TooLargeARequestIsRefused) {
  grpc::ClientContext context;
  std::string reply;
  const grpc::Status status = Unary(context, std::string(5 << 20, 'x'), &reply);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << status.error_message();
}

/// A stream of grpc++, each step of which waits until it is done.
class GrpcStream {
 public:
  GrpcStream(const std::shared_ptr<grpc::Channel>& channel, grpc::ClientContext& context)
      : stub_(channel), call_(stub_.PrepareCall(&context, "/test.Echo/Call", &queue_)) {
    call_->StartCall(this);
    EXPECT_TRUE(Done());
  }
  ~GrpcStream() {
    queue_.Shutdown();
    Done();
  }

  bool Write(const std::string& message) {
    call_->Write(ToBuffer(message), this);
    return Done();
  }
  bool WritesDone() {
    call_->WritesDone(this);
    return Done();
  }
  std::optional<std::string> Read() {
    grpc::ByteBuffer buffer;
    call_->Read(&buffer, this);
    return Done() ? std::optional(ToText(buffer)) : std::nullopt;
  }
  grpc::Status Finish() {
    grpc::Status status;
    call_->Finish(&status, this);
    Done();
    return status;
  }

 private:
  bool Done() {
    void* tag = nullptr;
    bool ok = false;
    return queue_.Next(&tag, &ok) && ok;
  }

  grpc::CompletionQueue queue_;
  grpc::GenericStub stub_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
};

TEST_F(GrpcCallsUsTest, StreamGoesBothWays) {
  grpc::ClientContext context;
  GrpcStream stream(channel_, context);
  for (int i = 0; i < 1000; ++i) {
    const std::string message(static_cast<std::size_t>(i * 37), 'm');
    ASSERT_TRUE(stream.Write(message));
    ASSERT_EQ(stream.Read(), message);
  }
  EXPECT_TRUE(stream.WritesDone());
  EXPECT_FALSE(stream.Read());
  EXPECT_TRUE(stream.Finish().ok());
}

TEST_F(GrpcCallsUsTest, CallThatIsCancelledOrTooLateIsSeen) {
  {
    grpc::ClientContext context;
    GrpcStream stream(channel_, context);
    EXPECT_TRUE(stream.Write("hello"));
    EXPECT_TRUE(stream.Read());
    context.TryCancel();
    EXPECT_EQ(stream.Finish().error_code(), grpc::StatusCode::CANCELLED);
  }
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(50));
  GrpcStream stream(channel_, context);
  EXPECT_FALSE(stream.Read());
  EXPECT_EQ(stream.Finish().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
}

TEST_F(GrpcCallsUsTest, ManyCallsAtOnceAreAllAnswered) {
  std::vector<std::thread> callers;
  std::atomic<int> answered = 0;
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back([&] {
      for (int j = 0; j < 200; ++j) {
        grpc::ClientContext context;
        std::string reply;
        if (Unary(context, "hello", &reply).ok() && reply == "hello") ++answered;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(answered, 1600);
}

// ---- we call grpc++

/// A server of grpc++ that says each message again, and ends as the metadata say.
class GrpcEcho final : public grpc::CallbackGenericService {
 public:
  GrpcEcho() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterCallbackGenericService(this);
    server_ = builder.BuildAndStart();
  }
  ~GrpcEcho() override { server_->Shutdown(std::chrono::system_clock::now() + seconds(10)); }

  [[nodiscard]] std::uint16_t port() const { return static_cast<std::uint16_t>(port_); }

 private:
  class Reactor final : public grpc::ServerGenericBidiReactor {
   public:
    explicit Reactor(grpc::GenericCallbackServerContext* context) : context_(context) {
      StartRead(&buffer_);
    }
    void OnReadDone(bool ok) override {
      if (ok) return StartWrite(&buffer_);
      const auto& metadata = context_->client_metadata();
      const auto code = metadata.find("code");
      if (const auto echo = metadata.find("echo-bin"); echo != metadata.end()) {
        context_->AddTrailingMetadata("echo-bin",
                                      std::string(echo->second.data(), echo->second.size()));
      }
      Finish(code == metadata.end()
                 ? grpc::Status::OK
                 : grpc::Status(static_cast<grpc::StatusCode>(std::stoi(
                                    std::string(code->second.data(), code->second.size()))),
                                "as you say: 100 %\n"));
    }
    void OnWriteDone(bool ok) override {
      if (ok) StartRead(&buffer_);
    }
    void OnDone() override { delete this; }

   private:
    grpc::GenericCallbackServerContext* const context_;
    grpc::ByteBuffer buffer_;
  };

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    return new Reactor(context);
  }

  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

class WeCallGrpcTest : public ::testing::Test {
 protected:
  WeCallGrpcTest() : client_(loop_, {}) {
    EXPECT_TRUE(client_.Connect(ConnectingTo(echo_.port()), "server").ok());
  }

  std::shared_ptr<RecordingEnd> Call(Metadata metadata = {},
                                     std::optional<Instant> deadline = std::nullopt) {
    auto end = std::make_shared<RecordingEnd>();
    const auto stream = client_.Call(
        {.path = "/test.Echo/Call", .metadata = std::move(metadata), .deadline = deadline}, end);
    EXPECT_TRUE(stream.ok()) << stream.status();
    end->stream = *stream;
    return end;
  }
  bool IsOver(const RecordingEnd& end) {
    return TurnUntil(loop_, [&] { return end.ended.has_value(); });
  }

  GrpcEcho echo_;
  Loop loop_;
  Client client_;
};

TEST_F(WeCallGrpcTest, MessagesComeBack) {
  const auto end = Call();
  const std::string large(1 << 20, 'x');
  for (const std::string& message : {std::string("one"), std::string(), large}) end->Send(message);
  end->stream->HalfClose();
  ASSERT_TRUE(IsOver(*end));
  EXPECT_TRUE(end->ended->ok()) << *end->ended;
  EXPECT_THAT(end->messages, ElementsAre("one", "", large));
}

TEST_F(WeCallGrpcTest, EachStatusAndItsMessageAndMetadataArrive) {
  for (int code = 1; code <= 16; ++code) {
    const std::string bytes("\0\xff\x80 binary", 10);
    const auto end = Call({{"code", std::to_string(code)}, {"echo-bin", bytes}});
    end->stream->HalfClose();
    ASSERT_TRUE(IsOver(*end));
    EXPECT_EQ(*end->ended, Status(static_cast<absl::StatusCode>(code), "as you say: 100 %\n"));
    ASSERT_NE(Find(end->trailers_came, "echo-bin"), nullptr);
    EXPECT_EQ(*Find(end->trailers_came, "echo-bin"), bytes);
  }
}

TEST_F(WeCallGrpcTest, ManyMessagesInOneTurnComeBackInOrder) {
  const auto end = Call();
  for (int i = 0; i < 10'000; ++i) end->Send(std::to_string(i));
  end->stream->HalfClose();
  ASSERT_TRUE(IsOver(*end));
  EXPECT_TRUE(end->ended->ok()) << *end->ended;
  ASSERT_EQ(end->messages.size(), 10'000U);
  for (int i = 0; i < 10'000; ++i)
    ASSERT_EQ(end->messages[static_cast<std::size_t>(i)], std::to_string(i));
}

TEST_F(WeCallGrpcTest, CancelAndDeadlineEndTheCall) {
  const auto cancelled = Call();
  cancelled->Send("hello");
  ASSERT_TRUE(TurnUntil(loop_, [&] { return !cancelled->messages.empty(); }));
  cancelled->stream->Cancel();
  ASSERT_TRUE(IsOver(*cancelled));
  EXPECT_TRUE(absl::IsCancelled(*cancelled->ended));
  const auto late = Call({}, Now() + std::chrono::milliseconds(30));
  ASSERT_TRUE(IsOver(*late));
  EXPECT_TRUE(absl::IsDeadlineExceeded(*late->ended));
}

}  // namespace
}  // namespace twofold::h2
