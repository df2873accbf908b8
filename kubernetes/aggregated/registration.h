#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kubernetes/api/call.h"
#include "kubernetes/api/fields.h"

/// APIServices: who answers for a group and version in a cluster. Pure.
namespace twofold::aggregated {

inline const kube::Resource kApiServices{"apiregistration.k8s.io", "v1", "apiservices",
                                         "APIService", false};

enum class Holder : std::uint8_t {
  kNobody,   ///< there is no APIService
  kWe,       ///< it leads to our Service
  kSomebody  ///< to another one, or to the API server itself
};

struct Held {
  Holder by = Holder::kNobody;
  std::string owner;  ///< of kSomebody, for people: Service, and who manages it
};

/// `api_service` nullptr: there is none.
Held WhoHolds(const kube::Json* api_service, const kube::ObjectName& service);

/// What to write so that the API server trusts these CAs, see MergeBundle; nullopt: nothing, it
/// does, or it trusts anybody. A Conflict if the APIService has changed since it was read.
std::optional<kube::Call> TrustCas(const kube::Json& api_service,
                                   const std::vector<std::string>& own, kube::UnixTime now);

}  // namespace twofold::aggregated
