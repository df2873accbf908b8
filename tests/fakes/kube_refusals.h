#pragma once

#include <string>

#include "kubernetes/api/call.h"

/// What an API server answers to what it does not do.
namespace twofold::fakes {

using kube::Json;
using kube::Resource;

/// An answer with an error status, thrown.
struct Refusal {
  int status;
  std::string reason;
  std::string message;
  Json details = Json::object();
};

/// The Status object of a refusal.
Json ToJson(const Refusal& refusal);

/// "jobs.batch", as messages name resources.
std::string Qualified(const Resource& resource);

Json Details(const Resource& resource, const std::string& name);
Refusal NotFound(const Resource& resource, const std::string& name);
Refusal Invalid(const Resource& resource, const std::string& name, const std::string& what);
Refusal Conflict(const Resource& resource, const std::string& name, const std::string& what);
Refusal BadRequest(const std::string& what);

}  // namespace twofold::fakes
