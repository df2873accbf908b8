#include "client/access.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace twofold::client {
namespace {

using enum security::Role;
using security::Roles;

constexpr Roles kChangers = {kClient, kAdmin};
constexpr Roles kReaders = {kClient, kAdmin, kReadOnly};

// As they are written in a request. A page that is spelled otherwise ("/%72eset" is /reset to the
// router) is none of these, and so is not for readers.
constexpr std::array<std::string_view, 9> kReading = {
    "/", "/reqs-per-sec", "/fails", "/stats", "/nodes", "/pods", "/window", "/compare", "/metrics"};

bool Reads(const http::Request& request) {
  if (request.path == "/parallel") return http::Find(request.query, "value") == nullptr;
  return std::find(kReading.begin(), kReading.end(), request.path) != kReading.end();
}

}  // namespace

Roles RolesOfPage(const http::Request& request) {
  if (request.path == "/healthz") return Roles::Open();
  return Reads(request) ? kReaders : kChangers;
}

}  // namespace twofold::client
