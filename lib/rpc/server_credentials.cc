#include "lib/rpc/server_credentials.h"

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpc/slice.h>

#include <mutex>
#include <string>
#include <utility>

namespace twofold::rpc {
namespace {

// gRPC's C++ classes offer neither certificates that are fetched for each connection (only files
// looked at by a timer, whose contents nobody checks) nor checks of calls without TLS. Its C
// interface has both.

using security::Gate;
using security::Reason;

std::string_view View(const grpc_slice& slice) {
  return {reinterpret_cast<const char*>(GRPC_SLICE_START_PTR(slice)), GRPC_SLICE_LENGTH(slice)};
}

grpc_status_code CodeOf(Reason reason) {
  return reason == Reason::kRole ? GRPC_STATUS_PERMISSION_DENIED : GRPC_STATUS_UNAUTHENTICATED;
}

/// What gRPC's callbacks work on. Belongs to the credentials, which gRPC's listeners share.
class Doorkeeper {
 public:
  explicit Doorkeeper(Door door) : door_(std::move(door)) {}

  /// For the handshake of a connection. A failure would be that of our check of the files.
  static grpc_ssl_certificate_config_reload_status Fetch(
      void* self, grpc_ssl_server_certificate_config** config) {
    return static_cast<Doorkeeper*>(self)->Fetch(config);
  }

  static void Process(void* self, grpc_auth_context*, const grpc_metadata* metadata,
                      std::size_t count, grpc_process_auth_metadata_done_cb done, void* tag) {
    const auto denial = static_cast<Doorkeeper*>(self)->Check(metadata, count);
    const grpc_status_code code = denial ? CodeOf(denial->reason) : GRPC_STATUS_OK;
    done(tag, nullptr, 0, nullptr, 0, code, denial ? denial->message.c_str() : nullptr);
  }

  static void Destroy(void* self) { delete static_cast<Doorkeeper*>(self); }

 private:
  grpc_ssl_certificate_config_reload_status Fetch(grpc_ssl_server_certificate_config** config) {
    const auto material = door_.security.tls->Get();
    const std::lock_guard lock(mutex_);
    if (material == given_) return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
    const grpc_ssl_pem_key_cert_pair pair{material->key.c_str(), material->cert.c_str()};
    // gRPC 1.51 insists on roots, also where it asks for no certificate and so has no use for them.
    const std::string& roots = material->ca.empty() ? material->cert : material->ca;
    *config = grpc_ssl_server_certificate_config_create(roots.c_str(), &pair, 1);
    given_ = material;
    return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
  }

  std::optional<Gate::Denial> Check(const grpc_metadata* metadata, std::size_t count) const {
    if (door_.gate == nullptr) return std::nullopt;
    std::string_view method;
    std::string_view authorization;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string_view key = View(metadata[i].key);
      if (key == ":path") method = View(metadata[i].value);
      if (key == "authorization") authorization = View(metadata[i].value);
    }
    return door_.gate->Check(method, door_.roles(method), authorization);
  }

  const Door door_;
  std::mutex mutex_;
  std::shared_ptr<const security::TlsMaterial> given_;  // guarded by mutex_
};

class Credentials final : public grpc::ServerCredentials {
 public:
  explicit Credentials(Door door) {
    const bool tls = door.security.tls != nullptr;
    const bool asks = door.security.asks_certificate;
    auto* keeper = new Doorkeeper(std::move(door));
    credentials_ = tls ? Tls(keeper, asks) : grpc_insecure_server_credentials_create();
    // Checks the calls, and owns `keeper`.
    grpc_server_credentials_set_auth_metadata_processor(
        credentials_, {&Doorkeeper::Process, &Doorkeeper::Destroy, keeper});
  }
  ~Credentials() override { grpc_server_credentials_release(credentials_); }

  void SetAuthMetadataProcessor(const std::shared_ptr<grpc::AuthMetadataProcessor>&) override {}

 private:
  static grpc_server_credentials* Tls(Doorkeeper* keeper, bool asks_certificate) {
    return grpc_ssl_server_credentials_create_with_options(
        grpc_ssl_server_credentials_create_options_using_config_fetcher(
            asks_certificate ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                             : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE,
            &Doorkeeper::Fetch, keeper));
  }

  int AddPortToServer(const std::string& address, grpc_server* server) override {
    return grpc_server_add_http2_port(server, address.c_str(), credentials_);
  }

  grpc_server_credentials* credentials_;
};

}  // namespace

std::shared_ptr<grpc::ServerCredentials> MakeCredentials(Door door) {
  const bool open = door.security.tls == nullptr && door.security.tokens == nullptr;
  if (open) return grpc::InsecureServerCredentials();
  return std::make_shared<Credentials>(std::move(door));
}

}  // namespace twofold::rpc
