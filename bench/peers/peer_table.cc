#include "bench/peers/peer_table.h"

#include <algorithm>

namespace twofold::bench {
namespace {

constexpr PeerRow kPeers[] = {
    {{.name = "twofold", .enqueue = true, .idle = true, .slots = true},
     "twofold",
     MakeTwofold,
     "volatile jobs: leases, attempts, wait and run times, states"},
    {{.name = "twofold-loops", .enqueue = true, .idle = true, .slots = true},
     "twofold-loops",
     MakeTwofold,
     "the same on two threads"},
    {{.name = "twofold-tls", .enqueue = true, .idle = true, .slots = true},
     "twofold-tls",
     MakeTwofoldTls,
     "the same over TLS"},
    {{.name = "twofold-durable", .enqueue = true, .idle = true, .slots = true},
     "twofold-durable",
     MakeTwofoldDurable,
     "jobs, attempts and results on disk before anybody is told"},
    {{.name = "redis", .takes = true, .enqueue = true, .idle = true},
     "redis",
     MakeRedis,
     "lists; a job is lost with its worker"},
    {{.name = "redis-aof", .takes = true, .enqueue = true},
     "redis-aof",
     MakeRedis,
     "the same, each command on disk before it is answered"},
    {{.name = "nats", .idle = true}, "nats", MakeNats, "request and reply; keeps nothing"},
    {{.name = "jetstream-memory", .takes = true, .enqueue = true},
     "jetstream",
     MakeJetStreamMemory,
     "work-queue stream, acknowledged"},
    {{.name = "jetstream-file", .takes = true, .enqueue = true},
     "jetstream",
     MakeJetStreamFile,
     "the same in files, not synced for each message"},
    {{.name = "gearmand", .takes = true, .enqueue = true, .idle = true},
     "gearmand",
     MakeGearman,
     "a job server: results go to the submitter, jobs of a gone worker back in line"},
    {{.name = "beanstalkd", .takes = true, .enqueue = true, .idle = true},
     "beanstalkd",
     MakeBeanstalkd,
     "reserve and delete; results in a tube for each client"},
    // A sync for each job: a million would take an hour.
    {{.name = "beanstalkd-binlog", .takes = true},
     "beanstalkd-binlog",
     MakeBeanstalkd,
     "the same, each write synced"},
    {{.name = "rabbitmq", .takes = true, .enqueue = true},
     "rabbitmq",
     MakeRabbitTransient,
     "remote procedure call, transient queue, acknowledged"},
    {{.name = "rabbitmq-durable", .takes = true, .enqueue = true},
     "rabbitmq",
     MakeRabbitDurable,
     "durable queue, persistent messages, publisher confirms"},
    {{.name = "grpc-packed", .idle = true},
     "grpc-relay",
     MakeGrpcPacked,
     "relay without a queue: Twofold's streams and packed batches"},
    {{.name = "grpc-repeated", .idle = true},
     "grpc-relay",
     MakeGrpcRepeated,
     "relay without a queue: batches of one message a job"},
    {{.name = "tcp-relay", .idle = true},
     "tcp-relay",
     MakeTcpRelay,
     "relay without a queue: bare sockets, one thread"},
};

}  // namespace

std::span<const PeerRow> Peers() { return kPeers; }

const PeerRow* FindPeer(std::string_view name) {
  const auto row =
      std::ranges::find_if(kPeers, [&](const PeerRow& peer) { return peer.traits.name == name; });
  return row == std::end(kPeers) ? nullptr : row;
}

}  // namespace twofold::bench
