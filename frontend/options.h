#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/queues/storage.h"
#include "lib/common/instant.h"
#include "lib/queue/queue.h"
#include "lib/security/options.h"

namespace CLI {
class App;
}

namespace twofold::frontend {

/// What the command line says. Seconds become durations in QueueOptions().
struct Options {
  std::vector<std::string> queues;
  std::vector<std::string> durable;  ///< of these queues all jobs are durable
  std::vector<std::string> shards;   ///< QUEUE=N: it has so many
  std::vector<std::string> strict;   ///< these queues stand still rather than be in two halves
  StorageOptions storage;
  std::string name;       ///< among those that share the store; empty: the host's
  std::string advertise;  ///< the host under which others reach it; empty: see --help
  bool relay = false;     ///< pass streams on to who serves their queue, as callers cannot go there
  double ttl = 6;         ///< seconds
  std::string peers_ca;   ///< of the other frontends' certificates; empty: that of `security`
  std::string peers_token_file;  ///< what this one shows them; empty: no token
  std::string client_address = "127.0.0.1:9997";
  std::string worker_address = "127.0.0.1:9999";
  std::string http_address = "127.0.0.1:9998";
  std::string scaler_address;       ///< for KEDA; empty: it is not served
  std::string metrics_api_address;  ///< for HPAs, by the API server; empty: it is not served
  std::string metrics_api_service;  ///< NAMESPACE/NAME of the Service that leads there
  security::ServerOptions metrics_api_certificate;
  std::string deletion_cost;      ///< namespace of the pods that get one; empty: none do
  std::uint64_t queue_limit = 0;  ///< most waiting jobs a queue; 0 = no limit
  std::uint64_t queue_bytes = 0;  ///< MiB of their specs in memory; 0 = no limit
  double lease = 15;              ///< seconds
  double idle_lease = 57;         ///< seconds; 0 = for ever
  double grace = 10;              ///< seconds
  double ageing = 60;             ///< seconds; 0 = never
  double stop_grace = 10;         ///< seconds
  double log_interval = 0;        ///< seconds; 0 = no statistics lines
  security::ServerOptions security;
  std::uint32_t peer_calls = 20'000;        ///< streams and waiting calls of one host; 0 = no limit
  std::uint32_t peer_connections = 20'000;  ///< of one host at one port; 0 = no limit
  double connection_idle = 0;               ///< seconds without a call; 0 = no limit
  double connection_age = 0;                ///< seconds; 0 = no limit
  std::uint32_t loops = 1;                  ///< threads that serve gRPC
  std::uint64_t memory_limit = 0;           ///< MiB; 0 = that of the container or machine
  std::string ready_file;
  std::string trace;  ///< file that all inputs of the queues are recorded in; empty: none
  bool check_config = false;
  bool verbose = false;
};

/// Declares all options on `app`; parsing fills `options`.
void Declare(CLI::App& app, Options& options);

queue::QueueOptions QueueOptions(const Options& options);

}  // namespace twofold::frontend
