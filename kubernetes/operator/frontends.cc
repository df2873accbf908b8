#include "kubernetes/operator/frontends.h"

#include <absl/strings/str_cat.h>

#include <filesystem>
#include <system_error>
#include <tuple>
#include <utility>

#include "kubernetes/api/fields.h"
#include "kubernetes/operator/frontend_kind.h"
#include "kubernetes/operator/sites.h"
#include "lib/security/client.h"
#include "lib/spec/schema.h"

namespace twofold::benchmarks {
namespace {

using kube::Json;

Status NoFrontend(const Json& object) {
  return absl::FailedPreconditionError(absl::StrCat("there is no Frontend ", FrontendOf(object)));
}

/// Mutual TLS alone needs one.
void AddCertificate(const std::string& files, security::ClientOptions& security) {
  std::error_code error;
  if (!std::filesystem::exists(files + ".tls.crt", error)) return;
  security.cert = files + ".tls.crt";
  security.key = files + ".tls.key";
}

}  // namespace

bool LeadsTo(const cli::Globals& a, const cli::Globals& b) {
  const auto words = [](const cli::Globals& globals) {
    const security::ClientOptions& security = globals.security;
    return std::tie(globals.frontend, security.ca, security.cert, security.key,
                    security.server_name, security.token_file);
  };
  return words(a) == words(b);
}

Frontends::Frontends(cli::Globals own, std::string folder, Find find)
    : own_(std::move(own)), folder_(std::move(folder)), find_(std::move(find)) {}

std::optional<Bar> Frontends::BarTo(const Json& object, bool connects) const {
  if (folder_.empty()) {
    if (kube::TextAt(object, absl::StrCat("/spec/", spec::kFrontendField)).empty()) {
      return std::nullopt;
    }
    return Bar{false, "NoSuchFrontend",
               "the operator knows no Frontends: its option --frontends is not given"};
  }
  const controller::Snapshot frontend = FrontendFor(object);
  if (frontend == nullptr) {
    return Bar{false, "NoSuchFrontend", std::string(NoFrontend(object).message())};
  }
  std::string forbidden = WhyForbidden(*frontend, object);
  if (!forbidden.empty()) return Bar{true, "Forbidden", std::move(forbidden)};
  if (!connects) return std::nullopt;
  const Status can_enter = SiteAt(*frontend, kube::NameOf(object).space).status();
  if (can_enter.ok()) return std::nullopt;
  return Bar{false, "NoCredentials", std::string(can_enter.message())};
}

Result<Site> Frontends::SiteOf(const Json& object) const {
  if (folder_.empty()) return Site{.frontend = "", .space = "", .globals = own_};
  const controller::Snapshot frontend = FrontendFor(object);
  if (frontend == nullptr) return NoFrontend(object);
  return SiteAt(*frontend, kube::NameOf(object).space);
}

Result<Site> Frontends::SiteAt(const Json& frontend, const std::string& space) const {
  const std::string name = kube::NameOf(frontend).name;
  const std::string files = absl::StrCat(folder_, "/", name);
  Site site{.frontend = name, .space = space, .globals = own_};
  security::ClientOptions& security = site.globals.security;
  if (const std::string address = kube::TextAt(frontend, "/spec/address"); !address.empty()) {
    site.globals.frontend = address;
    security = security::ClientOptions();
    security.proxy = own_.security.proxy;
    if (const Json* tls = kube::At(frontend, "/spec/tls"); tls == nullptr || *tls != false) {
      security.ca = files + ".ca.crt";
      security.server_name = kube::TextAt(frontend, "/spec/serverName");
      AddCertificate(files, security);
    }
  }
  security.token_file = absl::StrCat(files, ".", space, ".token");
  const Status opened = security::Client::Open(security).status();
  if (opened.ok()) return site;
  return absl::FailedPreconditionError(absl::StrCat("namespace ", space, " at Frontend ", name,
                                                    ": ", std::string(opened.message())));
}

std::string Frontends::AddressOf(const Json& object) const {
  const controller::Snapshot frontend = folder_.empty() ? nullptr : FrontendFor(object);
  return frontend == nullptr ? "" : kube::TextAt(*frontend, "/spec/address");
}

controller::Snapshot Frontends::FrontendFor(const Json& object) const {
  return find_(FrontendOf(object));
}

}  // namespace twofold::benchmarks
