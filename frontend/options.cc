#include "frontend/options.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "frontend/queues/endpoints.h"
#include "lib/cluster/view.h"
#include "lib/common/options.h"

namespace twofold::frontend {
namespace {

constexpr std::size_t kMaxQueues = 256;
constexpr std::uint32_t kMostLoops = 64;
constexpr double kMostConnectionTime = 30 * 86400;  // seconds

constexpr const char* kDescription =
    "Holds the named queues: clients put jobs in, workers run them, Prometheus looks.";

constexpr const char* kExamples = R"(Examples:
  twofold-frontend sleep
      one queue, reachable from this machine only
  twofold-frontend --client-address :9997 --worker-address :9999 --http-address :9998 sleep media
      two queues, reachable on all interfaces (in a cluster)
  twofold-frontend --store sqlite:/var/lib/twofold/jobs.db --durable fio sleep fio
      jobs of queue fio are on disk before they are acknowledged, and survive a restart
  twofold-frontend --store-file /run/secrets/store sleep
      the same in a PostgreSQL database, whose address has a password (docs/store.md)
  twofold-frontend --store-file /run/secrets/store --name b --advertise b.example.org sleep
      one of several that share this database and its queues (docs/scale.md)
  twofold-frontend --store-file /run/secrets/store --name b --shards sleep=3 sleep
      the same, and three of them serve the jobs of one queue together
  twofold-frontend --queue-limit 100000 --log-interval 10 sleep
      at most 100000 waiting jobs, a line of statistics every 10 seconds
  twofold-frontend --tls-cert tls.crt --tls-key tls.key --token-file tokens sleep
      with TLS, for those who have a token (docs/security.md)
Exit codes: 0 ended by SIGTERM or SIGINT; 2 bad option, or an address or file cannot be used.)";

void DeclareMetricsApi(CLI::App& app, Options& options) {
  app.add_option(
         "--metrics-api-address", options.metrics_api_address,
         "where the API server of a cluster asks for the numbers of the queues, as external "
         "and custom metrics for its HPAs (HTTPS); if not given, it is not served. The "
         "API server is that of this pod, or of $KUBECONFIG")
      ->transform(ListenAddress());
  app.add_option("--metrics-api-service", options.metrics_api_service,
                 "the Service by which the API server reaches that address")
      ->type_name("NAMESPACE/NAME");
  options.metrics_api_certificate.prefix = "metrics-api-";
  app.add_option(
         "--metrics-api-tls-cert", options.metrics_api_certificate.cert,
         "the certificate to show there, then intermediate ones; if not given, this program "
         "makes one and has the API server trust it")
      ->type_name("PATH");
  app.add_option("--metrics-api-tls-key", options.metrics_api_certificate.key,
                 "the private key of that certificate")
      ->type_name("PATH");
}

void DeclareDeletionCost(CLI::App& app, Options& options) {
  app.add_option("--deletion-cost", options.deletion_cost,
                 "write the deletion cost of the workers' pods, which are in this namespace, so "
                 "that a Deployment that shrinks takes idle ones first; if not given, none is "
                 "written. The API server is that of this pod, or of $KUBECONFIG")
      ->type_name("NAMESPACE");
}

void DeclareAddresses(CLI::App& app, Options& options) {
  const char* note = "; ':PORT' = all interfaces, port 0 = any free one";
  AddOption(app, "--client-address", options.client_address, ListenAddress(),
            std::string("where clients connect (gRPC)") + note);
  AddOption(app, "--worker-address", options.worker_address, ListenAddress(),
            std::string("where backend workers connect (gRPC)") + note);
  AddOption(app, "--http-address", options.http_address, ListenAddress(),
            std::string("metrics, health, JSON and page (HTTP)") + note);
  app.add_option("--scaler-address", options.scaler_address,
                 "where KEDA asks for the numbers of the queues, as of an external scaler (gRPC); "
                 "if not given, it is not served")
      ->transform(ListenAddress());
  DeclareMetricsApi(app, options);
  DeclareDeletionCost(app, options);
  AddOption(app, "--peer-calls", options.peer_calls, WholeNumber(0, 10'000'000),
            "most streams and waiting calls of one host; 0 = no limit");
  AddOption(app, "--peer-connections", options.peer_connections, WholeNumber(0, 10'000'000),
            "most gRPC connections of one host at one port; 0 = no limit");
  AddOption(app, "--connection-idle", options.connection_idle, Seconds(0, kMostConnectionTime),
            "a gRPC connection without a call for so long is ended; 0 = never");
  AddOption(
      app, "--connection-age", options.connection_age, Seconds(0, kMostConnectionTime),
      "a gRPC connection so old (a tenth more or less) takes no more calls and ends 10 s later; "
      "workers and clients connect anew, behind a load balancer perhaps elsewhere, and clients "
      "submit again what is not durable; 0 = never");
  AddOption(app, "--loops", options.loops, WholeNumber(1, kMostLoops),
            "threads that serve gRPC, over which connections are spread, for machines with many "
            "cores; each needs 64 MiB of --memory-limit");
  AddOption(app, "--memory-limit", options.memory_limit, WholeNumber(0, 1 << 30),
            "MiB this program may use: peers can make it hold three eighths of it, and the largest "
            "holder is closed when that is full; 0 = what the container or machine has");
  app.add_option("--ready-file", options.ready_file,
                 "write a JSON file with the addresses in use once all is served")
      ->type_name("PATH");
}

// So that bytes fit in 64 bits.
constexpr std::uint64_t kMostMib = std::uint64_t{1} << 40;

void DeclareQueues(CLI::App& app, Options& options) {
  app.add_option("QUEUE", options.queues, "names of the queues")
      ->required()
      ->check(QueueName())
      ->expected(1, static_cast<int>(kMaxQueues));
  AddOption(app, "--queue-limit", options.queue_limit, WholeNumber(0),
            "most waiting jobs in a queue, further ones are refused; 0 = no limit");
  AddOption(
      app, "--queue-bytes", options.queue_bytes, WholeNumber(0, kMostMib),
      "MiB of specs of waiting jobs in a queue, further jobs are refused; 0 = no limit. Specs "
      "of durable jobs of more than 1 KiB are in the store, and do not count");
  AddOption(app, "--lease", options.lease, Seconds(0.1, 86400),
            "silence after which a worker process loses its jobs");
  AddOption(app, "--idle-lease", options.idle_lease, Seconds(0, 86400),
            "silence after which a worker process without jobs counts no longer, until it comes "
            "again; 0 = never");
  AddOption(app, "--grace", options.grace, Seconds(0.1, 86400),
            "how long a worker process whose connection broke keeps its jobs");
  AddOption(app, "--stop-grace", options.stop_grace, Seconds(0, 86400),
            "after SIGTERM or SIGINT, how long running jobs that are not durable may take to end "
            "before they are cut off (their clients have them run again elsewhere); nothing new is "
            "handed out meanwhile, and a second signal ends at once");
  AddOption(app, "--ageing", options.ageing, Seconds(0, 86400),
            "waiting time that is worth one level of priority; 0 = strict priorities");
}

void DeclareStore(CLI::App& app, Options& options) {
  app.add_option("--store", options.storage.url,
                 "store of durable jobs and their results, kept over restarts; created if missing")
      ->type_name("sqlite:PATH|postgresql://...");
  app.add_option("--store-file", options.storage.file,
                 "file with the address of the store, which may have a password in it")
      ->type_name("PATH");
  app.add_option("--durable", options.durable,
                 "all jobs of this queue are durable (others can be by themselves); repeatable")
      ->type_name("QUEUE");
  AddOption(app, "--keep-finished-for", options.storage.keep_finished_for,
            Seconds(0, 10 * 365 * 86400.0),
            "seconds after which finished durable jobs are deleted; 0 = never");
  AddOption(app, "--keep-finished", options.storage.keep_finished, WholeNumber(0),
            "how many finished durable jobs to keep, the newest; 0 = all");
  AddOption(app, "--store-limit", options.storage.limit, WholeNumber(0, kMostMib),
            "MiB that the store may take: then new durable jobs and runs are refused, and what is "
            "there goes on; 0 = no limit");
}

/// A host's name or address.
CLI::Validator HostText() {
  const auto check = [](const std::string& text) {
    const auto fits = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
             std::string_view("-_.:").find(c) != std::string_view::npos;
    };
    if (text.size() <= cluster::kLongestName && std::all_of(text.begin(), text.end(), fits))
      return std::string();
    return "'" + text.substr(0, 80) + "' is no name: up to " +
           std::to_string(cluster::kLongestName) + " letters, digits, '-', '_', '.' or ':'";
  };
  return {check, "HOST", "host"};
}

void DeclareCluster(CLI::App& app, Options& options) {
  app.add_option("--name", options.name,
                 "name of this frontend among those that share a PostgreSQL store; if not given, "
                 "the host's")
      ->check(HostText());
  app.add_option("--advertise", options.advertise,
                 "host name or IP address under which callers reach this frontend when another one "
                 "sends them here; if not given, that which it listens on, or the host's name")
      ->check(HostText());
  app.add_flag(
      "--relay", options.relay,
      "pass the streams of clients and workers on to the frontend that serves their queue, "
      "for callers who cannot reach it (behind an Ingress); others are told to go there");
  app.add_option("--peers-tls-ca", options.peers_ca,
                 "CA of the certificates of the frontends that share the store; if not given, that "
                 "of --tls-ca")
      ->type_name("PATH");
  app.add_option("--peers-token-file", options.peers_token_file,
                 "file with an admin's token, for what this frontend asks of the others that share "
                 "the store")
      ->type_name("PATH");
  app.add_option(
         "--shards", options.shards,
         "this queue has so many shards, 2 to 256, each with a frontend of its own if there "
         "are enough; the same for all frontends, and later only more; repeatable")
      ->type_name("QUEUE=N");
  app.add_option("--strict", options.strict,
                 "while the database does not show that this queue is still served here, it stands "
                 "still, so that limit and dedup keys hold; repeatable")
      ->type_name("QUEUE");
  AddOption(app, "--ttl", options.ttl, Seconds(1, 600),
            "silence after which others take the queues of a frontend over; the same for all");
}

void DeclareLogging(CLI::App& app, Options& options) {
  AddOption(app, "--log-interval", options.log_interval, Seconds(0, 86400),
            "log a line of statistics a queue this often; 0 = never");
  app.add_option("--trace", options.trace, "record all inputs of the queues, for `twofold replay`")
      ->type_name("FILE");
  app.add_flag("--check-config", options.check_config, "check the options, then exit with 0");
  app.add_flag("-v,--verbose", options.verbose, "log what workers and clients do");
}

}  // namespace

void Declare(CLI::App& app, Options& options) {
  app.description(kDescription);
  app.footer(kExamples);
  DeclareQueues(app, options);
  DeclareAddresses(app, options);
  DeclareStore(app, options);
  DeclareCluster(app, options);
  security::Declare(app, options.security);
  DeclareLogging(app, options);
}

queue::QueueOptions QueueOptions(const Options& options) {
  return {.limit = options.queue_limit,
          .limit_bytes = options.queue_bytes << 20,
          .unsent_limit = kUnsentBytes,
          .lease = FromSeconds(options.lease),
          .grace = FromSeconds(options.grace),
          .ageing = FromSeconds(options.ageing)};
}

}  // namespace twofold::frontend
