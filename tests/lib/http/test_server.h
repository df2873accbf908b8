#pragma once

#include <memory>

#include "lib/http/server.h"

namespace twofold::http {

/// A server on a free port of loopback: GET / says "hello", POST /echo gives the body back,
/// DELETE /nothing answers 204, GET /throw throws, GET /big is kBig bytes.
std::unique_ptr<Server> StartTestServer(ServerOptions options = {});

inline constexpr std::size_t kBig = 32 << 20;

}  // namespace twofold::http
