// The services every gRPC tool expects, asked the way a tool asks: by name, with bytes.

#include <grpcpp/generic/generic_stub.h>

#include "tests/frontend/frontend_fixture.h"

namespace twofold::frontend {
namespace {

using ::testing::HasSubstr;

std::string Text(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  EXPECT_TRUE(buffer.Dump(&slices).ok());
  std::string text;
  for (const grpc::Slice& slice : slices) {
    text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return text;
}

// Sends one message, gets one; the status through `status`.
std::string Call(const std::string& address, const std::string& method, const std::string& request,
                 grpc::Status& status) {
  grpc::GenericStub stub(rpc::Connect(address));
  grpc::CompletionQueue queue;
  grpc::ClientContext context;
  auto call = stub.PrepareCall(&context, method, &queue);
  const auto next = [&queue] {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  };
  const grpc::Slice slice(request);
  grpc::ByteBuffer reply;
  call->StartCall(nullptr);
  next();
  call->WriteLast(grpc::ByteBuffer(&slice, 1), {}, nullptr);
  next();
  call->Read(&reply, nullptr);
  const bool got = next();
  call->Finish(&status, nullptr);
  next();
  return got ? Text(reply) : "";
}

class StandardServicesTest : public FrontendTest {};

TEST_F(StandardServicesTest, HealthIsServingOnBothPorts) {
  Serve();
  for (const std::string& address : {frontend_->client_address(), frontend_->worker_address()}) {
    grpc::Status status;
    EXPECT_EQ(Call(address, "/grpc.health.v1.Health/Check", "", status), "\x08\x01");
    EXPECT_TRUE(status.ok()) << status.error_message();
  }
}

TEST_F(StandardServicesTest, ReflectionListsTheServices) {
  Serve();
  const std::string list_services = "\x3a\x01*";  // field 7, "*"
  const char* method = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";
  grpc::Status status;
  const std::string clients = Call(frontend_->client_address(), method, list_services, status);
  EXPECT_THAT(clients, HasSubstr("twofold.v1.Clients"));
  EXPECT_THAT(clients, HasSubstr("twofold.v1.Admin"));
  const std::string workers = Call(frontend_->worker_address(), method, list_services, status);
  EXPECT_THAT(workers, HasSubstr("twofold.v1.Workers"));
}

// gRPC reads the messages before we see them, so it is gRPC that answers.
TEST_F(StandardServicesTest, BytesThatAreNoMessageAreNotTakenAndTheServiceGoesOn) {
  Serve();
  const std::string queue_not_utf8 = "\x0a\x03\x0a\x01\xff";  // options.queue = "\xff"
  for (const std::string& bytes : {queue_not_utf8, std::string("\xff\xff\xff")}) {
    grpc::Status status;
    Call(frontend_->client_address(), "/twofold.v1.Clients/SubmitJob", bytes, status);
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(Call(frontend_->client_address(), "/twofold.v1.Clients/Submit", bytes, status), "");
  }
  EXPECT_EQ(Queue("sleep").waiting(), 0U);
  auto client = NewClient();
  client->Submit("sleep", 1);
  AwaitQueue("sleep", [](const v1::Queue& queue) { return queue.waiting() == 1; });
}

}  // namespace
}  // namespace twofold::frontend
