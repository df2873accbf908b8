#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/googletest.h"
#include "tests/support/program.h"

namespace twofold::testing {

/// Three PostgreSQL servers that Patroni keeps available, with one etcd: a primary, whose commits
/// wait for a synchronous standby (strictly: without one they wait), and another standby. On
/// loopback, with data of its own; goes with the object.
class PatroniCluster {
 public:
  static constexpr std::size_t kNodes = 3;

  /// The Debian packages that it needs and that are not there; empty: none.
  static std::string MissingPackages();

  /// Starts all. Fails the test if it cannot. REQUIRES: no package is missing.
  PatroniCluster();
  ~PatroniCluster();
  PatroniCluster(const PatroniCluster&) = delete;
  PatroniCluster& operator=(const PatroniCluster&) = delete;

  /// Makes an empty database. Returns its address: whichever of the servers takes commits.
  std::string NewDatabase();

  /// The node whose server Patroni says is the primary; nullopt: none, or nobody can be asked.
  [[nodiscard]] std::optional<std::size_t> Primary();
  [[nodiscard]] std::optional<std::size_t> SynchronousStandby();

  /// Waits until there is a primary, other than that node.
  bool AwaitPrimary(std::optional<std::size_t> other_than = {});
  /// Waits until all servers run, and one is a synchronous standby.
  bool AwaitHealth();
  /// What Patroni says of its nodes, for people.
  [[nodiscard]] std::string Describe();

  void KillServer(std::size_t node);   ///< SIGKILL, with all that work for it; Patroni sees to it
  void KillPatroni(std::size_t node);  ///< the server goes on, alone
  void StartPatroni(std::size_t node);
  void KillEtcd();
  void StartEtcd();
  /// Asks for another primary, by patronictl. False: it refuses, and has printed why.
  bool Switchover();

 private:
  struct Node {
    std::string name;
    int server_port = 0;
    int patroni_port = 0;
    std::unique_ptr<Program> patroni;
  };
  struct Seen {
    std::optional<std::size_t> primary;
    std::optional<std::size_t> synchronous;
    std::size_t running = 0;
  };

  [[nodiscard]] std::string FolderOf(const Node& node) const { return folder_ + "/" + node.name; }
  /// Of a database, at whichever server takes commits.
  [[nodiscard]] std::string AddressOf(const std::string& database) const;
  [[nodiscard]] std::string SettingsOf(const Node& node) const;
  /// As the user of PostgreSQL.
  [[nodiscard]] static std::unique_ptr<Program> Run(std::vector<std::string> command);
  [[nodiscard]] Seen Look();

  std::string folder_;
  int etcd_port_ = 0;
  int etcd_peer_port_ = 0;
  std::unique_ptr<Program> etcd_;
  std::array<Node, kNodes> nodes_;
  int databases_ = 0;
};

}  // namespace twofold::testing
