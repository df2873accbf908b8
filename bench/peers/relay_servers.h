#pragma once

#include <cstdint>

/// The servers that this program brings itself: what a broker costs that does nothing but pass jobs
/// on. They serve on 127.0.0.1:port until the process is ended.
namespace twofold::bench {

[[noreturn]] void ServeTcpRelay(std::uint16_t port);
[[noreturn]] void ServeGrpcRelay(std::uint16_t port);

}  // namespace twofold::bench
