// The services every gRPC tool expects, asked the way a tool asks: by name, with bytes.

#include "tests/frontend/frontend_fixture.h"

namespace twofold::frontend {
namespace {

using testing::Good;
using ::testing::HasSubstr;

// Sends one message, gets one.
Result<std::string> CallByName(const std::string& address, const std::string& method,
                               const std::string& request) {
  return testing::Caller(address).CallWithBytes(method, request);
}

class StandardServicesTest : public FrontendTest {};

TEST_F(StandardServicesTest, HealthIsServingOnBothPorts) {
  Serve();
  for (const std::string& address : {frontend_->client_address(), frontend_->worker_address()}) {
    EXPECT_EQ(Good(CallByName(address, "/grpc.health.v1.Health/Check", "")), "\x08\x01");
  }
}

TEST_F(StandardServicesTest, ReflectionOfBothVersionsListsTheServices) {
  Serve();
  const std::string list_services = "\x3a\x01*";  // field 7, "*"
  for (const char* method : {"/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
                             "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"}) {
    const std::string clients =
        Good(CallByName(frontend_->client_address(), method, list_services));
    EXPECT_THAT(clients, HasSubstr("twofold.v1.Clients"));
    EXPECT_THAT(clients, HasSubstr("twofold.v1.Admin"));
    const std::string workers =
        Good(CallByName(frontend_->worker_address(), method, list_services));
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
    const Status status = CallByName(address, method, request).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << method;
    EXPECT_THAT(status.message(), HasSubstr("twofold.v1." + field + " is not valid UTF-8"));
  }
}

TEST_F(StandardServicesTest, BytesThatAreNoMessageAreRefusedAndTheServiceGoesOn) {
  Serve();
  for (const char* method : {"Clients/Submit", "Clients/SubmitJob", "Clients/GetJob",
                             "Admin/DrainQueue", "Workers/Work"}) {
    const bool worker = std::string(method) == "Workers/Work";
    const auto address = worker ? frontend_->worker_address() : frontend_->client_address();
    const Status status = CallByName(address, method, "\xff\xff\xff").status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << method;
    EXPECT_THAT(status.message(), HasSubstr("the bytes are not a message twofold.v1."));
  }
  EXPECT_EQ(Queue("sleep").waiting(), 0U);
  auto client = NewClient();
  client->Submit("sleep", 1);
  AwaitQueue("sleep", [](const v1::Queue& queue) { return queue.waiting() == 1; });
}

}  // namespace
}  // namespace twofold::frontend
