#include "bench/peers/server_table.h"

#include <algorithm>

namespace twofold::bench {
namespace {

// Defaults, except that storage is as the name says: Redis and beanstalkd keep nothing on disk
// unless told to.
const std::vector<ServerRow>& Servers() {
  static const std::vector<ServerRow> servers = {
      {.name = "redis",
       .command = {"/usr/bin/redis-server", "--bind", "127.0.0.1", "--port", "{port0}", "--save",
                   "", "--appendonly", "no", "--maxclients", "19000", "--dir", "{dir}"}},
      {.name = "redis-aof",
       .command = {"/usr/bin/redis-server", "--bind", "127.0.0.1", "--port", "{port0}", "--save",
                   "", "--appendonly", "yes", "--appendfsync", "always", "--dir", "{dir}"}},
      {.name = "gearmand",
       .command = {"/usr/sbin/gearmand", "--listen=127.0.0.1", "--port={port0}", "--log-file=none",
                   "--threads=4"}},
      {.name = "beanstalkd",
       .command = {"/usr/bin/beanstalkd", "-l", "127.0.0.1", "-p", "{port0}"}},
      {.name = "beanstalkd-binlog",
       .command = {"/usr/bin/beanstalkd", "-l", "127.0.0.1", "-p", "{port0}", "-b", "{dir}",
                   "-f0"}},
      {.name = "nats", .command = {"/usr/sbin/nats-server", "-a", "127.0.0.1", "-p", "{port0}"}},
      {.name = "jetstream",
       .command = {"/usr/sbin/nats-server", "-a", "127.0.0.1", "-p", "{port0}", "-js", "-sd",
                   "{dir}"}},
      // Erlang's port mapper runs beside it, so that it is ours to end.
      {.name = "rabbitmq",
       .command = {"/usr/lib/rabbitmq/bin/rabbitmq-server"},
       .helper = {"/usr/bin/epmd", "-address", "127.0.0.1", "-port", "{port1}"},
       .environment = {"ERL_EPMD_ADDRESS=127.0.0.1", "ERL_EPMD_PORT={port1}",
                       "RABBITMQ_NODENAME=bench@localhost", "RABBITMQ_NODE_IP_ADDRESS=127.0.0.1",
                       "RABBITMQ_NODE_PORT={port0}", "RABBITMQ_DIST_PORT={port2}",
                       "RABBITMQ_CONFIG_FILE={dir}/none", "RABBITMQ_MNESIA_BASE={dir}/db",
                       "RABBITMQ_LOG_BASE={dir}/log", "HOME={dir}",
                       "RABBITMQ_ENABLED_PLUGINS_FILE={dir}/plugins",
                       "RABBITMQ_PID_FILE={dir}/pid"},
       .process = "beam.smp",
       .start_seconds = 120},
      {.name = "tcp-relay", .command = {"{bench}", "serve", "tcp-relay", "{port0}"}},
      {.name = "grpc-relay", .command = {"{bench}", "serve", "grpc-relay", "{port0}"}},
      {.name = "twofold",
       .command = {"{frontend}", "--client-address=127.0.0.1:{port0}",
                   "--worker-address=127.0.0.1:{port1}", "--http-address=127.0.0.1:{port2}",
                   "bench"},
       .accepts = 3},
      {.name = "twofold-loops",
       .command = {"{frontend}", "--client-address=127.0.0.1:{port0}",
                   "--worker-address=127.0.0.1:{port1}", "--http-address=127.0.0.1:{port2}",
                   "--loops=2", "bench"},
       .accepts = 3},
      {.name = "twofold-durable",
       .command = {"{frontend}", "--client-address=127.0.0.1:{port0}",
                   "--worker-address=127.0.0.1:{port1}", "--http-address=127.0.0.1:{port2}",
                   "--store=sqlite:{dir}/jobs.db", "--durable=bench", "bench"},
       .accepts = 3},
      {.name = "twofold-tls",
       .command = {"{frontend}", "--client-address=127.0.0.1:{port0}",
                   "--worker-address=127.0.0.1:{port1}", "--http-address=127.0.0.1:{port2}",
                   "--tls-cert={dir}/cert.pem", "--tls-key={dir}/key.pem", "bench"},
       .prepare = {"/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                   "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                   "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "{dir}/key.pem", "-out",
                   "{dir}/cert.pem"},
       .accepts = 3},
  };
  return servers;
}

void ReplaceAll(std::string& text, std::string_view blank, std::string_view value) {
  for (std::size_t at; (at = text.find(blank)) != text.npos;) text.replace(at, blank.size(), value);
}

}  // namespace

const ServerRow* FindServer(std::string_view name) {
  const auto row = std::ranges::find(Servers(), name, &ServerRow::name);
  return row == Servers().end() ? nullptr : &*row;
}

std::vector<std::string> Fill(const Words& words, const Blanks& blanks) {
  std::vector<std::pair<std::string, std::string>> values = {
      {"{dir}", blanks.directory}, {"{bench}", blanks.bench}, {"{frontend}", blanks.frontend}};
  for (std::size_t i = 0; i < blanks.ports.size(); ++i) {
    values.emplace_back("{port" + std::to_string(i) + "}", std::to_string(blanks.ports[i]));
  }
  std::vector<std::string> filled;
  for (const std::string_view word : words) {
    filled.emplace_back(word);
    for (const auto& [blank, value] : values) ReplaceAll(filled.back(), blank, value);
  }
  return filled;
}

}  // namespace twofold::bench
