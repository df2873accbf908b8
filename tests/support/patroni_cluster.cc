#include "tests/support/patroni_cluster.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "lib/http/client.h"
#include "lib/postgres/connection.h"
#include "tests/support/postgres_user.h"

namespace twofold::testing {
namespace {

using nlohmann::json;

constexpr const char* kEtcd = "/usr/bin/etcd";
constexpr const char* kPatroni = "/usr/bin/patroni";
constexpr const char* kPatronictl = "/usr/bin/patronictl";

/// Ports that nobody uses; kept open until all are chosen, so that they differ.
std::vector<int> FreePorts(std::size_t count) {
  std::vector<int> sockets;
  std::vector<int> ports;
  while (ports.size() < count) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    sockets.push_back(socket(AF_INET, SOCK_STREAM, 0));
    auto* const name = reinterpret_cast<sockaddr*>(&address);
    if (bind(sockets.back(), name, size) != 0 || getsockname(sockets.back(), name, &size) != 0) {
      ADD_FAILURE() << "no free port";
    }
    ports.push_back(ntohs(address.sin_port));
  }
  for (const int each : sockets) close(each);
  return ports;
}

// The TTL is Patroni's for who is primary: short, so that takeovers are.
constexpr const char* kSettings = R"(
scope: twofold
name: $NAME
restapi: {listen: '127.0.0.1:$PATRONI', connect_address: '127.0.0.1:$PATRONI'}
etcd3: {hosts: '127.0.0.1:$ETCD'}
bootstrap:
  dcs:
    ttl: 6
    loop_wait: 1
    retry_timeout: 2
    master_start_timeout: 0
    synchronous_mode: true
    synchronous_mode_strict: true
    postgresql: {use_pg_rewind: true, parameters: {wal_log_hints: 'on', max_connections: 60, max_wal_senders: 10, max_replication_slots: 10}}
  initdb: [{encoding: UTF8}, {locale: C}, no-sync]
postgresql:
  listen: 127.0.0.1:$SERVER
  connect_address: 127.0.0.1:$SERVER
  data_dir: $FOLDER/data
  bin_dir: /usr/lib/postgresql/15/bin
  pgpass: $FOLDER/pgpass
  remove_data_directory_on_rewind_failure: true
  remove_data_directory_on_diverged_timelines: true
  authentication: {superuser: {username: tester}, replication: {username: tester}, rewind: {username: tester}}
  basebackup: [{checkpoint: fast}, no-sync]
  pg_hba: ['local all all trust', 'host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust']
  parameters: {unix_socket_directories: $FOLDER, fsync: 'off', shared_buffers: 32MB, autovacuum: 'off'}
)";

/// The process that a server's data says it has, if it is really that server's.
std::optional<pid_t> ServerOf(const std::string& folder) {
  pid_t process = 0;
  std::ifstream(folder + "/data/postmaster.pid") >> process;
  std::ifstream command("/proc/" + std::to_string(process) + "/cmdline");
  const std::string text{std::istreambuf_iterator<char>(command), {}};
  if (process <= 0 || text.find(folder) == std::string::npos) return {};
  return process;
}

/// null: it cannot be reached.
std::unique_ptr<postgres::Connection> Open(const std::string& address) {
  auto opened = postgres::Connection::Open(postgres::Target::Parse(address).value(), "SELECT 1");
  return opened.ok() ? *std::move(opened) : nullptr;
}

}  // namespace

std::string PatroniCluster::MissingPackages() {
  const std::pair<const char*, std::string> needed[] = {
      {"etcd-server", kEtcd},
      {"patroni", kPatroni},
      {"postgresql-15", std::string(kPostgresPrograms) + "initdb"}};
  std::string missing;
  for (const auto& [package, program] : needed) {
    if (access(program.c_str(), X_OK) != 0) absl::StrAppend(&missing, " ", package);
  }
  return missing;
}

PatroniCluster::PatroniCluster() : folder_(MakePostgresFolder()) {
  const std::vector<int> ports = FreePorts(2 + 2 * kNodes);
  etcd_port_ = ports[0];
  etcd_peer_port_ = ports[1];
  StartEtcd();
  for (std::size_t i = 0; i < kNodes; ++i) {
    nodes_[i].name = "pg" + std::to_string(i);
    nodes_[i].server_port = ports[2 + 2 * i];
    nodes_[i].patroni_port = ports[3 + 2 * i];
    std::filesystem::create_directory(FolderOf(nodes_[i]));
    const passwd* const user = PostgresUser();
    if (user != nullptr && chown(FolderOf(nodes_[i]).c_str(), user->pw_uid, user->pw_gid) != 0) {
      ADD_FAILURE() << "cannot give " << FolderOf(nodes_[i]) << " to " << user->pw_name;
    }
    std::ofstream(FolderOf(nodes_[i]) + "/patroni.yml") << SettingsOf(nodes_[i]);
    StartPatroni(i);
  }
  EXPECT_TRUE(AwaitHealth()) << Describe();
}

PatroniCluster::~PatroniCluster() {
  for (Node& node : nodes_) node.patroni.reset();
  for (std::size_t i = 0; i < kNodes; ++i) KillServer(i);
  etcd_.reset();
  Await([this] {
    std::error_code failed;  // a process may still write there
    std::filesystem::remove_all(folder_, failed);
    return !failed;
  });
}

std::string PatroniCluster::SettingsOf(const Node& node) const {
  return absl::StrReplaceAll(kSettings, {{"$NAME", node.name},
                                         {"$PATRONI", std::to_string(node.patroni_port)},
                                         {"$SERVER", std::to_string(node.server_port)},
                                         {"$ETCD", std::to_string(etcd_port_)},
                                         {"$FOLDER", FolderOf(node)}});
}

std::unique_ptr<Program> PatroniCluster::Run(std::vector<std::string> command) {
  const passwd* const user = PostgresUser();
  std::vector<std::string> words;
  if (user != nullptr) {
    words = {"--reuid", user->pw_name, "--regid", std::to_string(user->pw_gid), "--clear-groups"};
  }
  words.insert(words.end(), {"--pdeathsig", "TERM", "--"});
  words.insert(words.end(), command.begin(), command.end());
  return std::make_unique<Program>("/usr/bin/setpriv", words);
}

// ---- What is so

PatroniCluster::Seen PatroniCluster::Look() {
  Seen seen;
  for (const Node& asked : nodes_) {
    if (asked.patroni == nullptr || !asked.patroni->running()) continue;
    const auto answer = http::Get(absl::StrCat("http://127.0.0.1:", asked.patroni_port, "/cluster"),
                                  std::chrono::seconds(2));
    const json cluster = answer.ok() ? json::parse(answer->body, nullptr, false) : json();
    if (!cluster.is_object() || !cluster.contains("members")) continue;
    for (const json& member : cluster["members"]) {
      const std::string state = member.value("state", "");
      if (state != "running" && state != "streaming") continue;
      const auto node = static_cast<std::size_t>(member.value("name", "pg0").back() - '0');
      const std::string role = member.value("role", "");
      if (role == "leader") seen.primary = node;
      if (role == "sync_standby") seen.synchronous = node;
      ++seen.running;
    }
    return seen;
  }
  return seen;
}

std::optional<std::size_t> PatroniCluster::Primary() { return Look().primary; }
std::optional<std::size_t> PatroniCluster::SynchronousStandby() { return Look().synchronous; }

bool PatroniCluster::AwaitPrimary(std::optional<std::size_t> other_than) {
  return Await([&] {
    const auto primary = Primary();
    return primary && primary != other_than;
  });
}

bool PatroniCluster::AwaitHealth() {
  return Await([this] {
    const Seen seen = Look();
    if (!seen.primary || !seen.synchronous || seen.running != kNodes) return false;
    // What Patroni says is of some time ago; the primary says what is so.
    const auto primary = Open(AddressOf("postgres"));
    if (primary == nullptr) return false;
    const auto standbys = primary->Run(absl::StrCat(
        "SELECT count(*), count(*) FILTER (WHERE sync_state = 'sync' AND application_name = '",
        nodes_[*seen.synchronous].name, "') FROM pg_stat_replication WHERE state = 'streaming'"));
    return standbys.ok() && standbys->Integer(0, 0) == kNodes - 1 && standbys->Integer(0, 1) == 1;
  });
}

std::string PatroniCluster::Describe() {
  const auto list = Run({kPatronictl, "-c", FolderOf(nodes_[0]) + "/patroni.yml", "list"});
  list->Wait();
  return list->output();
}

std::string PatroniCluster::AddressOf(const std::string& database) const {
  std::string all;
  for (const Node& node : nodes_) {
    absl::StrAppend(&all, all.empty() ? "" : ",", "127.0.0.1:", node.server_port);
  }
  return "postgresql://tester@" + all + "/" + database + "?target_session_attrs=read-write";
}

std::string PatroniCluster::NewDatabase() {
  const std::string name = "test" + std::to_string(++databases_);
  const auto connection = Open(AddressOf("postgres"));
  EXPECT_TRUE(connection && connection->Script("CREATE DATABASE " + name).ok());
  // libpq asks no other server when one does not have the database.
  for (const Node& node : nodes_) {
    EXPECT_TRUE(Await([&] {
      return Open(absl::StrCat("postgresql://tester@127.0.0.1:", node.server_port, "/", name)) !=
             nullptr;
    })) << node.name;
  }
  return AddressOf(name);
}

// ---- What happens to it

void PatroniCluster::KillServer(std::size_t node) {
  const auto server = ServerOf(FolderOf(nodes_[node]));
  if (!server) return;
  const std::vector<pid_t> children = ChildrenOf(*server);
  kill(*server, SIGKILL);
  for (const pid_t child : children) kill(child, SIGKILL);
}

void PatroniCluster::KillPatroni(std::size_t node) {
  EXPECT_EQ(nodes_[node].patroni->Kill(), -SIGKILL) << nodes_[node].patroni->output();
}

void PatroniCluster::StartPatroni(std::size_t node) {
  nodes_[node].patroni = Run({kPatroni, FolderOf(nodes_[node]) + "/patroni.yml"});
}

void PatroniCluster::KillEtcd() { EXPECT_EQ(etcd_->Kill(), -SIGKILL); }

void PatroniCluster::StartEtcd() {
  const std::string clients = absl::StrCat("http://127.0.0.1:", etcd_port_);
  const std::string peers = absl::StrCat("http://127.0.0.1:", etcd_peer_port_);
  etcd_ = Run({kEtcd, "--data-dir", folder_ + "/etcd", "--name", "one", "--listen-client-urls",
               clients, "--advertise-client-urls", clients, "--listen-peer-urls", peers,
               "--initial-advertise-peer-urls", peers, "--initial-cluster", "one=" + peers});
}

bool PatroniCluster::Switchover() {
  const auto primary = Primary();
  const auto next = SynchronousStandby();
  if (!primary || !next) return false;
  const auto asked =
      Run({kPatronictl, "-c", FolderOf(nodes_[0]) + "/patroni.yml", "switchover", "twofold",
           "--master", nodes_[*primary].name, "--candidate", nodes_[*next].name, "--force"});
  const bool is_done = asked->Wait() == 0;
  if (!is_done) std::cout << asked->output();
  return is_done;
}

}  // namespace twofold::testing
