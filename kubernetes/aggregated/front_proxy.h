#pragma once

#include <map>
#include <string>
#include <vector>

#include "kubernetes/api/call.h"
#include "lib/common/result.h"
#include "lib/http/message.h"

/// How a server behind the aggregator knows who asks: the API server has checked that, shows the
/// certificate of its front proxy, and passes the name on in headers. Reads the clock for
/// certificates alone.
namespace twofold::aggregated {

/// Where each cluster says how to know its front proxy.
inline const kube::ObjectName kAuthenticationConfig{"kube-system",
                                                    "extension-apiserver-authentication"};

/// What it says there. Names of headers are in lower case.
struct FrontProxy {
  std::string ca;                          ///< PEM
  std::vector<std::string> allowed_names;  ///< common names; empty: any of that CA
  std::vector<std::string> user_headers;   ///< the first that is not empty counts
  std::vector<std::string> uid_headers;
  std::vector<std::string> group_headers;
  std::vector<std::string> extra_prefixes;

  friend bool operator==(const FrontProxy&, const FrontProxy&) = default;
};

/// Reads the ConfigMap.
/// Errors   kFailedPrecondition: which of its fields is missing or unusable.
Result<FrontProxy> ReadFrontProxy(const kube::Json& config_map);

/// Whether the first of `certificates` (DER, as a peer has shown them) is the front proxy's: its
/// chain ends at the CA, it is for clients and in its time, and its name is among the allowed ones.
/// Cost     Two signatures are checked: some 200 us.
bool Vouches(const FrontProxy& proxy, const std::vector<std::string>& certificates);

struct Caller {
  std::string user;
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;
};

/// What joins the values of headers that come several times, see http::ServerOptions: names of
/// groups may have commas.
inline constexpr const char* kHeaderJoint = "\n";

/// Who asks, by headers whose sender Vouches has passed.
/// Errors   kUnauthenticated: no header names a user.
/// Source   k8s.io/apiserver, pkg/authentication/request/headerrequest.
Result<Caller> ReadCaller(const FrontProxy& proxy, const http::Params& headers);

}  // namespace twofold::aggregated
