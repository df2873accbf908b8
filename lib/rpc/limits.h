#pragma once

#include <chrono>
#include <cstddef>

/// What a peer may make another one hold. Checked where the bytes arrive; also before sending, so
/// that a mistake is seen where it is made.
namespace twofold::rpc {

inline constexpr std::size_t kMaxSpecBytes = 256 << 10;    ///< one job's spec
inline constexpr std::size_t kMaxReportBytes = 256 << 10;  ///< one job's serialized Report
inline constexpr int kMaxOptions = 1024;                   ///< JobOptions in a batch
inline constexpr std::size_t kMaxNameBytes = 253;  ///< node, pod, device, suite, address, label
inline constexpr std::size_t kMaxLabels = 64;      ///< labels of a worker process
inline constexpr std::size_t kMaxPlacementBytes = 32 << 10;  ///< where a job may run
inline constexpr std::size_t kMaxProgressBytes = 200;        ///< a line of progress
inline constexpr std::size_t kMaxOutputBytes = 64 << 10;     ///< a piece of a job's output

/// Jobs in a batch. A job without a spec is a byte in the message, but a hundred in the queue.
inline constexpr int kMaxJobs = 128 << 10;

/// Calls at once on one connection; a peer's further ones wait at its side. Ours have one each.
inline constexpr int kMaxCallsPerConnection = 1024;

/// Values of a permutation, as JSON: lists and maps inside each other. Indented, each level costs
/// two blanks a line.
inline constexpr std::size_t kMaxVariedDepth = 16;

inline constexpr std::size_t kMaxDraftBytes = 128 << 20;  ///< runs being begun, all together
inline constexpr std::size_t kMaxResultReaders = 32;      ///< streams of results at once
inline constexpr std::size_t kMaxExports = 4;             ///< copies of runs that are being read

/// How long who begins a run, or reads results or a copy of one, may let us wait.
inline constexpr std::chrono::seconds kCallerPatience{20};

/// Received messages: one batch (Outbox::kMessageBytes) with one largest entry, and room for
/// columns.
inline constexpr int kMaxMessageBytes = 4 << 20;

}  // namespace twofold::rpc
