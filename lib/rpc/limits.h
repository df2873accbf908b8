#pragma once

#include <chrono>
#include <cstddef>

#include "twofold/v1/limits.pb.h"

/// What a peer may make another one hold. Checked where the bytes arrive; also before sending, so
/// that a mistake is seen where it is made.
namespace twofold::rpc {

// Limits of single fields are written beside them, see field_limits.h. These are for those who
// have such a text before it is in a message.
inline constexpr std::size_t kMaxSpecBytes = v1::FieldLimit::SPEC;    ///< one job's spec
inline constexpr std::size_t kMaxReportBytes = v1::FieldLimit::SPEC;  ///< one job's Report
inline constexpr std::size_t kMaxNameBytes = v1::FieldLimit::NAME;    ///< node, pod, device, ...

/// Each member of a gang is sent the spec, all of them at once. So many bytes in all where one
/// process may get them: a connection may hold them even at the smallest frontend (BudgetsOf).
inline constexpr std::size_t kMaxGangSpecBytes = 16 << 20;

/// A refusal quotes no more of a peer's text.
inline constexpr std::size_t kMaxQuotedBytes = v1::FieldLimit::LINE;
/// Refusals of the jobs of one message give reasons of so many bytes in all.
inline constexpr std::size_t kMaxReasonBytes = 1 << 20;

/// Values of a permutation, as JSON: lists and maps inside each other. Indented, each level costs
/// two blanks a line.
inline constexpr std::size_t kMaxVariedDepth = 16;

inline constexpr std::size_t kMaxDraftBytes = 128 << 20;  ///< runs being begun, all together
inline constexpr std::size_t kMaxResultReaders = 32;      ///< streams of results at once
inline constexpr std::size_t kMaxExports = 4;             ///< copies of runs that are being read

/// How long who begins a run, or reads results or a copy of one, may let us wait.
inline constexpr std::chrono::seconds kCallerPatience{20};

/// Received messages: one batch (kMessageBytes, outbox.h) with one largest entry, and room for
/// columns.
inline constexpr int kMaxMessageBytes = v1::FieldLimit::MESSAGE;

}  // namespace twofold::rpc
