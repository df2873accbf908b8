#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "kubernetes/aggregated/own_certificate.h"
#include "kubernetes/aggregated/registration.h"
#include "kubernetes/api/connection.h"
#include "lib/common/interruption.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"

namespace twofold::aggregated {

/// Keeps the APIServices that lead to this process trusting it: makes its certificate, adds the CA
/// of that to their caBundle beside those of other processes, and renews both. Of somebody else's
/// APIService nothing is changed; who has it is logged, with `advice`.
///
/// A new certificate is served once every APIService of ours has had its CA for `settle`, or when
/// the old one is over.
///
/// Threads  Safe. One of its own, from construction to destruction.
/// Errors   Of the server: logged when their reason changes, and tried again.
/// Cost     A GET for each APIService every `period`.
class Publisher {
 public:
  struct Options {
    kube::Access access;
    kube::ObjectName service;
    std::vector<std::string> api_services;  ///< "v1beta1.external.metrics.k8s.io"
    std::string maker;                      ///< see MakeCertificate
    std::string advice;                     ///< what to do where somebody else has it
    bool makes_certificate = true;          ///< false: only looks who has them
    Duration lasts = std::chrono::hours(7 * 24);
    Duration renew_before = std::chrono::hours(2 * 24);
    Duration settle = std::chrono::seconds(10);
    Duration period = std::chrono::seconds(10);
  };

  /// Errors   kInternal: no certificate can be made.
  static Result<std::unique_ptr<Publisher>> Start(Options options);
  ~Publisher();
  Publisher(const Publisher&) = delete;
  Publisher& operator=(const Publisher&) = delete;

  /// The certificate to serve now; null where it makes none.
  [[nodiscard]] std::shared_ptr<const security::TlsMaterial> Material() const;

  struct State {
    std::map<std::string, bool> leads_here;  ///< by APIService: it is ours and trusts us
    std::optional<kube::UnixTime> expires;  ///< of the certificate that is served; nullopt: of none
  };
  [[nodiscard]] State Look() const;

 private:
  explicit Publisher(Options options);
  Status Renew(kube::UnixTime now);
  void Run();
  bool PublishAll(kube::UnixTime now);
  Result<bool> Publish(const std::string& name, kube::UnixTime now);
  void Settle(bool is_published, Instant now, kube::UnixTime wall);
  void Say(const std::string& name, const std::string& what);

  const Options options_;
  kube::Connection connection_;
  std::optional<OwnCertificate> current_;
  std::optional<OwnCertificate> next_;       // to be served when it is trusted
  std::optional<Instant> published_;         // since when `next_` is in all of ours
  std::map<std::string, std::string> said_;  // by APIService
  mutable Mutex mutex_;
  std::shared_ptr<const security::TlsMaterial> material_ ABSL_GUARDED_BY(mutex_);
  State state_ ABSL_GUARDED_BY(mutex_);
  Interruption end_;
  std::thread thread_;  // the last: it uses the others
};

}  // namespace twofold::aggregated
