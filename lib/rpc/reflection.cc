#include "lib/rpc/reflection.h"

#include <absl/strings/str_cat.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grpc/reflection/v1/reflection.pb.h"
#include "grpc/reflection/v1alpha/reflection.pb.h"
#include "lib/common/mutex.h"

namespace twofold::rpc {
namespace {

namespace pb = google::protobuf;
using Names = std::vector<std::string>;

const pb::DescriptorPool& Pool() { return *pb::DescriptorPool::generated_pool(); }

using Files = std::vector<std::string>;

/// Adds a file and all that it imports, each once.
void AddFile(const pb::FileDescriptor& file, std::set<std::string>& there, Files& files) {
  if (!there.insert(file.name()).second) return;
  pb::FileDescriptorProto proto;
  file.CopyTo(&proto);
  files.push_back(proto.SerializeAsString());
  for (int i = 0; i < file.dependency_count(); ++i) AddFile(*file.dependency(i), there, files);
}

/// A file and all that it imports. Made once: strangers may ask for it again and again.
const Files& FilesOf(const pb::FileDescriptor& file) {
  static Mutex mutex;
  static auto* const made = new std::map<const pb::FileDescriptor*, Files>();
  const MutexLock lock(mutex);
  const auto [entry, is_new] = made->try_emplace(&file);
  if (is_new) {
    std::set<std::string> there;
    AddFile(file, there, entry->second);
  }
  return entry->second;
}

template <typename Response>
void TellFile(const pb::FileDescriptor* file, std::string_view wanted, Response& response) {
  if (file == nullptr) {
    auto& error = *response.mutable_error_response();
    error.set_error_code(static_cast<int>(absl::StatusCode::kNotFound));
    error.set_error_message(absl::StrCat("there is no ", std::string(wanted)));
    return;
  }
  auto& files = *response.mutable_file_descriptor_response()->mutable_file_descriptor_proto();
  const Files& all = FilesOf(*file);
  files.Assign(all.begin(), all.end());
}

template <typename Response>
void TellExtensionsOf(const std::string& type, Response& response) {
  const pb::Descriptor* const message = Pool().FindMessageTypeByName(type);
  if (message == nullptr) return TellFile(nullptr, type, response);
  auto& numbers = *response.mutable_all_extension_numbers_response();
  numbers.set_base_type_name(type);
  std::vector<const pb::FieldDescriptor*> extensions;
  Pool().FindAllExtensions(message, &extensions);
  for (const pb::FieldDescriptor* const one : extensions) {
    numbers.add_extension_number(one->number());
  }
}

/// `Names` of what is served; the messages of one version.
template <typename Request, typename Response>
void Answer(const Names& names, const Request& request, Response& response) {
  response.set_valid_host(request.host());
  *response.mutable_original_request() = request;
  switch (request.message_request_case()) {
    case Request::kFileByFilename:
      return TellFile(Pool().FindFileByName(request.file_by_filename()), request.file_by_filename(),
                      response);
    case Request::kFileContainingSymbol:
      return TellFile(Pool().FindFileContainingSymbol(request.file_containing_symbol()),
                      request.file_containing_symbol(), response);
    case Request::kFileContainingExtension: {
      const auto& wanted = request.file_containing_extension();
      const pb::Descriptor* const type = Pool().FindMessageTypeByName(wanted.containing_type());
      const pb::FieldDescriptor* const extension =
          type == nullptr ? nullptr : Pool().FindExtensionByNumber(type, wanted.extension_number());
      return TellFile(extension == nullptr ? nullptr : extension->file(), "such extension",
                      response);
    }
    case Request::kAllExtensionNumbersOfType:
      return TellExtensionsOf(request.all_extension_numbers_of_type(), response);
    case Request::kListServices:
      for (const std::string& name : names) {
        response.mutable_list_services_response()->add_service()->set_name(name);
      }
      return;
    case Request::MESSAGE_REQUEST_NOT_SET:
      auto& error = *response.mutable_error_response();
      error.set_error_code(static_cast<int>(absl::StatusCode::kInvalidArgument));
      error.set_error_message("the request asks for nothing that this server knows");
  }
}

template <typename Request, typename Response>
class InfoCall final : public ServerStream<Request, Response> {
 public:
  explicit InfoCall(std::shared_ptr<const Names> names) : names_(std::move(names)) {}

 private:
  void OnMessage(const Request& request) override {
    Response response;
    Answer(*names_, request, response);
    // A message each: answers are told apart by their order.
    this->Add([&](Response& reply) {
      reply = std::move(response);
      return kMessageBytes;
    });
    this->Flush();
  }
  void OnHalfClosed() override { this->Close(absl::OkStatus()); }

  const std::shared_ptr<const Names> names_;
};

template <typename Request, typename Response>
class Version final : public Service {
 public:
  Version(std::string_view name, std::shared_ptr<const Names> names) : Service(name) {
    Serve("ServerReflectionInfo", [names = std::move(names)](auto&) {
      return std::make_shared<InfoCall<Request, Response>>(names);
    });
  }
};

constexpr std::string_view kV1 = "grpc.reflection.v1.ServerReflection";
constexpr std::string_view kV1Alpha = "grpc.reflection.v1alpha.ServerReflection";

}  // namespace

ReflectionServices::ReflectionServices(const std::vector<Service*>& services) {
  Names names = {"grpc.health.v1.Health", std::string(kV1), std::string(kV1Alpha)};
  for (const Service* const service : services) names.push_back(service->name());
  const auto shared = std::make_shared<const Names>(std::move(names));
  namespace v1 = grpc::reflection::v1;
  namespace v1alpha = grpc::reflection::v1alpha;
  versions_.push_back(
      std::make_unique<Version<v1::ServerReflectionRequest, v1::ServerReflectionResponse>>(kV1,
                                                                                           shared));
  versions_.push_back(std::make_unique<
                      Version<v1alpha::ServerReflectionRequest, v1alpha::ServerReflectionResponse>>(
      kV1Alpha, shared));
}

std::vector<Service*> ReflectionServices::Versions() const {
  std::vector<Service*> all;
  for (const auto& version : versions_) all.push_back(version.get());
  return all;
}

}  // namespace twofold::rpc
