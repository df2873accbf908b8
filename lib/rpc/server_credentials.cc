#include <grpc/grpc.h>
#include <grpc/grpc_security.h>

#include <string>
#include <utility>

#include "lib/common/mutex.h"
#include "lib/rpc/channel.h"

namespace twofold::rpc {
namespace {

// gRPC's C++ classes know certificates as files that a timer looks at, and nobody checks what is in
// them. Its C interface fetches one for each connection.

/// What gRPC's callback works on. Belongs to the credentials, which gRPC's connections share.
class Certificates {
 public:
  explicit Certificates(std::shared_ptr<security::Reloaded<security::TlsMaterial>> files)
      : files_(std::move(files)) {}

  /// For the handshake of a connection. A failure would be that of our check of the files.
  static grpc_ssl_certificate_config_reload_status Fetch(
      void* self, grpc_ssl_server_certificate_config** config) {
    return static_cast<Certificates*>(self)->Fetch(config);
  }

  static void Destroy(void* self) { delete static_cast<Certificates*>(self); }

 private:
  grpc_ssl_certificate_config_reload_status Fetch(grpc_ssl_server_certificate_config** config) {
    const auto material = files_->Get();
    const MutexLock lock(mutex_);
    if (material == given_) return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
    const grpc_ssl_pem_key_cert_pair pair{material->key.c_str(), material->cert.c_str()};
    // gRPC 1.51 insists on roots, also where it asks for no certificate and so has no use for them.
    const std::string& roots = material->ca.empty() ? material->cert : material->ca;
    *config = grpc_ssl_server_certificate_config_create(roots.c_str(), &pair, 1);
    given_ = material;
    return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
  }

  const std::shared_ptr<security::Reloaded<security::TlsMaterial>> files_;
  Mutex mutex_;
  std::shared_ptr<const security::TlsMaterial> given_ ABSL_GUARDED_BY(mutex_);
};

class TlsCredentials final : public grpc::ServerCredentials {
 public:
  explicit TlsCredentials(const security::Server& security) {
    auto* const certificates = new Certificates(security.tls);
    credentials_ = grpc_ssl_server_credentials_create_with_options(
        grpc_ssl_server_credentials_create_options_using_config_fetcher(
            security.asks_certificate ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                                      : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE,
            &Certificates::Fetch, certificates));
    // A processor without a function does nothing but own. With one, gRPC 1.51 makes text of all
    // headers, and aborts the program at grpclb_client_stats, which any peer can send. Service
    // checks the calls.
    grpc_server_credentials_set_auth_metadata_processor(
        credentials_, {nullptr, &Certificates::Destroy, certificates});
  }
  ~TlsCredentials() override { grpc_server_credentials_release(credentials_); }

  void SetAuthMetadataProcessor(const std::shared_ptr<grpc::AuthMetadataProcessor>&) override {}

 private:
  int AddPortToServer(const std::string& address, grpc_server* server) override {
    return grpc_server_add_http2_port(server, address.c_str(), credentials_);
  }

  grpc_server_credentials* credentials_;
};

}  // namespace

std::shared_ptr<grpc::ServerCredentials> MakeCredentials(const security::Server& security) {
  if (security.tls == nullptr) return grpc::InsecureServerCredentials();
  return std::make_shared<TlsCredentials>(security);
}

}  // namespace twofold::rpc
