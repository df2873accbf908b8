#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lib/common/instant.h"

namespace twofold::scale {

/// What something costs in the simulation.
enum class Cost : std::uint8_t {
  kConnect,
  kConnectTls,
  kMessage,
  kJob,
  kIdleWorker,
  kUnfinishedJob,
  kFirstRow,
  kRow,
  kRowCpu,
  kLife,
  kWrites,
  kDatabaseTrip,
  kNetworkTrip,
  kCores,
  kBreakLeast,
  kBreakMost,
  kDialLeast,
  kDialMost,
  kProcessStart,
  kServiceDelay,
  kLostHostDelay,
};

enum class Basis : std::uint8_t { kMeasured, kDerived, kAssumed };

struct CostRow {
  Cost cost;
  std::string_view what;
  double value;
  std::string_view unit;
  Basis basis;
  std::string_view source;
};

/// The only place of these numbers: the simulation reads them, its output and docs/scale.md show
/// them. By Cost, in its order.
inline constexpr std::array<CostRow, 21> kCosts = {{
    {Cost::kConnect, "frontend CPU of a worker that connects", 34e-6, "s", Basis::kMeasured,
     "frontends_benchmark, 8 000 workers at once, without TLS"},
    {Cost::kConnectTls, "the same with TLS", 0.24e-3, "s", Basis::kMeasured,
     "bench_peers, 10 000 workers at once, TLS 1.3 and a key on P-256"},
    {Cost::kMessage, "frontend CPU of a message alone", 3.5e-6, "s", Basis::kDerived,
     "docs/performance.md, open loop: 14.18 s for 1 M jobs of 4 messages"},
    {Cost::kJob, "frontend CPU of a durable job one by one", 25.7e-6, "s", Basis::kMeasured,
     "docs/performance.md, open loop (SQLite)"},
    {Cost::kIdleWorker, "frontend memory of a connected process", 14.6 * 1024, "bytes",
     Basis::kMeasured, "docs/performance.md, 10 000 idle workers"},
    {Cost::kUnfinishedJob, "frontend memory of an unfinished durable job", 263, "bytes",
     Basis::kMeasured, "docs/performance.md, 1 M waiting, 100 bytes each"},
    {Cost::kFirstRow, "take over: until the first job is read", 0.25, "s", Basis::kMeasured,
     "PostgreSQL 15, 1 M unfinished jobs"},
    {Cost::kRow, "take over: each unfinished job", 1.2e-6, "s", Basis::kMeasured,
     "PostgreSQL 15, 1 M unfinished jobs"},
    {Cost::kRowCpu, "take over: frontend CPU of each unfinished job", 0.35e-6, "s",
     Basis::kMeasured, "PostgreSQL 15, 1 M unfinished jobs"},
    {Cost::kLife, "the database's time for a durable job's life", 10e-6, "s", Basis::kMeasured,
     "PostgreSQL 15, 2 cores, 89-111 k lives/s over 2 connections"},
    {Cost::kWrites, "beats that the database takes over one connection", 3800, "/s",
     Basis::kMeasured, "PostgreSQL 15, 2 cores, each synced"},
    {Cost::kDatabaseTrip, "round trip to the database", 1e-3, "s", Basis::kAssumed, "one zone"},
    {Cost::kNetworkTrip, "round trip between hosts", 0.5e-3, "s", Basis::kAssumed, "one zone"},
    {Cost::kCores, "cores of a frontend", 8, "", Basis::kAssumed, "work spreads evenly over them"},
    {Cost::kBreakLeast, "a worker notices that its frontend's host is gone: soonest", 10, "s",
     Basis::kDerived, "TCP_USER_TIMEOUT of lib/rpc/tcp_keepalive.cc"},
    {Cost::kBreakMost, "... and latest", 15, "s", Basis::kDerived,
     "the same, after a heartbeat each 5 s"},
    {Cost::kDialLeast, "a dial that nobody answers is given up: soonest", 2, "s", Basis::kDerived,
     "kConnectPatience of lib/rpc/channel.h"},
    {Cost::kDialMost, "... and latest", 4, "s", Basis::kDerived, "the same"},
    {Cost::kProcessStart, "a frontend ends and is started again", 5, "s", Basis::kAssumed,
     "a pod on a node that has the image"},
    {Cost::kServiceDelay, "the Service leaves out a process that has ended", 1, "s",
     Basis::kAssumed, "readiness, kube-proxy"},
    {Cost::kLostHostDelay, "... and one of a host that is lost", 50, "s", Basis::kAssumed,
     "Kubernetes' default node-monitor-grace-period"},
}};

constexpr double ValueOf(Cost cost) { return kCosts.at(static_cast<std::size_t>(cost)).value; }

/// `times` of a cost that is a time.
inline Duration TimeOf(Cost cost, std::size_t times = 1) {
  return FromSeconds(ValueOf(cost) * static_cast<double>(times));
}

/// "measured", ...
constexpr std::string_view Name(Basis basis) {
  constexpr std::array<std::string_view, 3> kNames = {"measured", "derived", "assumed"};
  return kNames.at(static_cast<std::size_t>(basis));
}

}  // namespace twofold::scale
