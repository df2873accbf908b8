#pragma once

#include <cstddef>

/// What a peer may make another one hold. Checked where the bytes arrive; also before sending, so
/// that a mistake is seen where it is made.
namespace twofold::rpc {

inline constexpr std::size_t kMaxSpecBytes = 256 << 10;    ///< one job's spec
inline constexpr std::size_t kMaxReportBytes = 256 << 10;  ///< one job's serialized Report
inline constexpr int kMaxOptions = 1024;                   ///< JobOptions in a batch
inline constexpr std::size_t kMaxNameBytes = 253;          ///< node, pod, device, suite

/// Received messages: one batch (Outbox::kMessageBytes) with one largest entry, and room for
/// columns.
inline constexpr int kMaxMessageBytes = 4 << 20;

}  // namespace twofold::rpc
