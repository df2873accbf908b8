#pragma once

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/aggregated/front_proxy.h"
#include "kubernetes/api/call.h"
#include "lib/http/client_connection.h"
#include "tests/support/certificates.h"

namespace twofold::fakes {

using kube::Json;

/// Whom a request is for.
struct User {
  std::string name;
  std::vector<std::string> groups = {};
  std::map<std::string, std::string> extra = {};
  std::string uid = {};
};

/// An API server's aggregator as it asks a server behind it, in its order, and as the users for
/// whom it does so. A connection a request. Source   kube-aggregator:
/// pkg/controllers/status/remote, pkg/apiserver/handler_{discovery,proxy}.
class Aggregator {
 public:
  inline static const User kHpa{
      "system:serviceaccount:kube-system:horizontal-pod-autoscaler",
      {"system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"}};
  inline static const User kMaster{"system:apiserver", {"system:masters"}};

  /// `server_name`: SERVICE.NAMESPACE.svc; `ca_bundle`: of the APIService.
  Aggregator(std::uint16_t port, std::string server_name, std::string ca_bundle)
      : port_(port), server_name_(std::move(server_name)), ca_bundle_(std::move(ca_bundle)) {}

  /// What the cluster's ConfigMap says of it.
  [[nodiscard]] Json ConfigMap(
      const std::string& allowed_names = "[\"front-proxy-client\"]") const {
    const auto& name = aggregated::kAuthenticationConfig;
    return {{"apiVersion", "v1"},
            {"kind", "ConfigMap"},
            {"metadata", {{"name", name.name}, {"namespace", name.space}}},
            {"data",
             {{"client-ca-file", other_.cert()},
              {"requestheader-client-ca-file", authority_->cert()},
              {"requestheader-allowed-names", allowed_names},
              {"requestheader-username-headers", R"(["X-Remote-User"])"},
              {"requestheader-uid-headers", R"(["X-Remote-Uid"])"},
              {"requestheader-group-headers", R"(["X-Remote-Group"])"},
              {"requestheader-extra-headers-prefix", R"(["X-Remote-Extra-"])"}}}};
  }

  /// A new CA, and a new certificate of it.
  void Rotate() {
    authority_ = std::make_unique<testing::Authority>("front-proxy-ca");
    Show("front-proxy-client");
  }
  /// From now on it shows a certificate with this name, of its CA.
  void Show(const std::string& name) { shown_ = authority_->Issue(name, false); }
  /// One of another CA; none.
  void ShowForeign() { shown_ = other_.Issue("front-proxy-client", false); }
  void ShowNone() { shown_ = {}; }

  /// The answer's status; 0: there was none, and why.
  int Get(const std::string& path, const User& user, const std::string& accept = "application/json",
          const std::string& method = "GET") {
    body.clear();
    const Status status = Ask(path, user, accept, method);
    if (status.ok()) return head_.status;
    trouble = std::string(status.message());
    return 0;
  }
  [[nodiscard]] Json Document() const { return Json::parse(body, nullptr, false); }

  /// The look that makes the APIService available: only 2xx passes.
  bool Probe(const std::string& group, const std::string& version) {
    const int status = Get(absl::StrCat("/apis/", group, "/", version), kMaster);
    return status >= 200 && status < 300;
  }

  /// The looks of each minute for what there is: aggregated discovery first, which plain servers do
  /// not know, then each version, as a user without a group. False: it marks the group as stale.
  bool Discover(const std::string& group, const std::string& version) {
    const int first = Get("/apis", kMaster,
                          "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
    if (first == 503) return false;
    return Get(absl::StrCat("/apis/", group, "/", version), {"system:kube-aggregator"}) == 200;
  }

  /// Those for documents: 404 counts as an API without any.
  bool ReadOpenApi() {
    const User reader{"system:aggregator"};
    return Get("/openapi/v3", reader) == 404 && Get("/openapi/v2", reader) == 404;
  }

  std::string body;
  std::string trouble;  ///< of the last Get that was 0

 private:
  Status Ask(const std::string& path, const User& user, const std::string& accept,
             const std::string& method) {
    const Instant deadline = Now() + std::chrono::seconds(30);
    http::ClientConnection connection;
    const security::TlsMaterial tls{shown_.cert, shown_.key, ca_bundle_};
    Status status = connection.Open({.address = {"127.0.0.1", port_},
                                     .tls = std::make_shared<const security::TlsMaterial>(tls),
                                     .server_name = server_name_},
                                    deadline);
    if (!status.ok()) return status;
    http::Outgoing request{method, path, {{"Host", server_name_}, {"Accept", accept}}, ""};
    request.headers.emplace_back("X-Remote-User", user.name);
    if (!user.uid.empty()) request.headers.emplace_back("X-Remote-Uid", user.uid);
    for (const std::string& group : user.groups) {
      request.headers.emplace_back("X-Remote-Group", group);
    }
    for (const auto& [key, value] : user.extra) {
      request.headers.emplace_back("X-Remote-Extra-" + key, value);
    }
    if (status = connection.Send(request, deadline); !status.ok()) return status;
    auto head = connection.ReceiveHead(deadline);
    if (!head.ok()) return head.status();
    head_ = *std::move(head);
    for (bool last = false; !last;) {
      const auto piece = connection.ReceiveBody(body, deadline);
      if (!piece.ok()) return piece.status();
      last = piece->last;
    }
    return absl::OkStatus();
  }

  const std::uint16_t port_;
  const std::string server_name_;
  const std::string ca_bundle_;
  std::unique_ptr<testing::Authority> authority_ =
      std::make_unique<testing::Authority>("front-proxy-ca");
  const testing::Authority other_;
  testing::KeyPair shown_ = authority_->Issue("front-proxy-client", false);
  http::Head head_;
};

/// One look of the HPA controller at a metric that is not of pods.
/// Source   kube-controller-manager: pkg/controller/podautoscaler/metrics.
class HpaEyes {
 public:
  explicit HpaEyes(Aggregator& aggregator) : aggregator_(aggregator) {}

  /// The sum of the items; nullopt: an error, also for an empty list.
  std::optional<double> External(const std::string& space, const std::string& metric,
                                 const std::string& selector) {
    return Sum(absl::StrCat("/apis/external.metrics.k8s.io/v1beta1/namespaces/", space, "/", metric,
                            "?labelSelector=", kube::Escape(selector)));
  }

  /// Of one object, of which there has to be exactly one item. `path`: "services/x/METRIC".
  std::optional<double> Object(const std::string& space, const std::string& path,
                               const std::string& selector, const std::string& version) {
    const auto value =
        Sum(absl::StrCat("/apis/custom.metrics.k8s.io/", version, "/namespaces/", space, "/", path,
                         "?metricLabelSelector=", kube::Escape(selector)));
    if (value && aggregator_.Document()["items"].size() != 1) return std::nullopt;
    return value;
  }

 private:
  std::optional<double> Sum(const std::string& path) {
    if (aggregator_.Get(path, Aggregator::kHpa) != 200) return std::nullopt;
    const Json list = aggregator_.Document();
    if (!list.contains("items") || list["items"].empty()) return std::nullopt;
    double sum = 0;
    for (const Json& item : list["items"]) sum += NumberOf(item.at("value").get<std::string>());
    return sum;
  }

  static double NumberOf(std::string quantity) {
    const bool is_milli = quantity.ends_with('m');
    if (is_milli) quantity.pop_back();
    double number = 0;
    EXPECT_TRUE(absl::SimpleAtod(quantity, &number)) << quantity;
    return is_milli ? number / 1000 : number;
  }

  Aggregator& aggregator_;
};

}  // namespace twofold::fakes
