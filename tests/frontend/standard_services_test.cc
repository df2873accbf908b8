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
  grpc::GenericStub stub(cli::Connect(address));
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

TEST_F(StandardServicesTest, ReflectionOfBothVersionsListsTheServices) {
  Serve();
  const std::string list_services = "\x3a\x01*";  // field 7, "*"
  for (const char* method : {"/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
                             "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"}) {
    grpc::Status status;
    const std::string clients = Call(frontend_->client_address(), method, list_services, status);
    EXPECT_THAT(clients, HasSubstr("twofold.v1.Clients"));
    EXPECT_THAT(clients, HasSubstr("twofold.v1.Admin"));
    const std::string workers = Call(frontend_->worker_address(), method, list_services, status);
    EXPECT_THAT(workers, HasSubstr("twofold.v1.Workers"));
  }
}

// A field 1 with `bytes`, as protobuf writes it.
std::string Field1(const std::string& bytes) {
  return std::string({'\x0a', static_cast<char>(bytes.size())}) + bytes;
}

TEST_F(StandardServicesTest, TextThatIsNotUtf8IsRefusedByTheNameOfItsField) {
  Serve();
  const std::string options = Field1(Field1("\xff"));  // options.queue = "\xff"
  const struct {
    std::string address, method, request, field;
  } kCases[] = {
      {frontend_->client_address(), "Clients/Submit", options, "JobOptions.queue"},
      {frontend_->client_address(), "Clients/SubmitJob", options, "JobOptions.queue"},
      {frontend_->client_address(), "Clients/ListJobs", Field1("\xff"), "ListJobsRequest.queue"},
      {frontend_->client_address(), "Admin/PauseQueue", Field1("\xff"), "QueueRequest.queue"},
      {frontend_->worker_address(), "Workers/Work", options, "Hello.queue"},
  };
  for (const auto& [address, method, request, field] : kCases) {
    grpc::Status status;
    EXPECT_EQ(Call(address, "/twofold.v1." + method, request, status), "");
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << method;
    EXPECT_THAT(status.error_message(), HasSubstr("twofold.v1." + field + " is not valid UTF-8"));
  }
}

TEST_F(StandardServicesTest, BytesThatAreNoMessageAreRefusedAndTheServiceGoesOn) {
  Serve();
  for (const char* method : {"Clients/Submit", "Clients/SubmitJob", "Clients/GetJob",
                             "Admin/DrainQueue", "Workers/Work"}) {
    const bool worker = std::string(method) == "Workers/Work";
    const auto address = worker ? frontend_->worker_address() : frontend_->client_address();
    grpc::Status status;
    EXPECT_EQ(Call(address, std::string("/twofold.v1.") + method, "\xff\xff\xff", status), "");
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << method;
    EXPECT_THAT(status.error_message(), HasSubstr("the bytes are not a message twofold.v1."));
  }
  EXPECT_EQ(Queue("sleep").waiting(), 0U);
  auto client = NewClient();
  client->Submit("sleep", 1);
  AwaitQueue("sleep", [](const v1::Queue& queue) { return queue.waiting() == 1; });
}

}  // namespace
}  // namespace twofold::frontend
