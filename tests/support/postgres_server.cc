#include "tests/support/postgres_server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "lib/postgres/connection.h"
#include "tests/support/postgres_user.h"

namespace twofold::testing {
namespace {

constexpr const char* kUser = "tester";  // of the databases
constexpr auto kPatience = std::chrono::seconds(30);

/// The path of a program of PostgreSQL.
std::string Installed(const std::string& program) { return kPostgresPrograms + program; }

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

bool PostgresServer::IsInstalled() { return access(Installed("initdb").c_str(), X_OK) == 0; }

PostgresServer& PostgresServer::Shared() {
  static PostgresServer server;
  return server;
}

PostgresServer::PostgresServer() : folder_(MakePostgresFolder()) {
  Run(Installed("initdb"), {"-D", folder_ + "/data", "-U", kUser, "-A", "trust", "-N", "-E", "UTF8",
                            "--locale=C", "--no-instructions"});
  Start();
}

PostgresServer::PostgresServer(StandbyOf of) : folder_(MakePostgresFolder()) {
  const std::string settings =
      "host=" + of.primary.folder_ + " user=" + kUser + " application_name=standby";
  Run(Installed("pg_basebackup"),
      {"-D", folder_ + "/data", "-d", settings, "-R", "-X", "stream", "-c", "fast", "-N"});
  Start();
}

PostgresServer::~PostgresServer() {
  Stop();
  std::filesystem::remove_all(folder_);
}

/// What it prints goes to folder_/log.
pid_t PostgresServer::Spawn(const std::string& program,
                            const std::vector<std::string>& arguments) const {
  const std::string log = folder_ + "/log";
  std::vector<char*> words = {const_cast<char*>(program.c_str())};
  for (const std::string& each : arguments) words.push_back(const_cast<char*>(each.c_str()));
  words.push_back(nullptr);
  const passwd* const user = PostgresUser();
  const pid_t child = fork();
  if (child != 0) return child;
  if (user != nullptr && (setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0)) _exit(126);
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  dup2(out, 1);
  dup2(out, 2);
  prctl(PR_SET_PDEATHSIG, SIGQUIT);  // it goes even if the test program is killed
  if (chdir("/") == 0) execv(program.c_str(), words.data());
  _exit(127);
}

/// The same, and waits until it has done its work.
void PostgresServer::Run(const std::string& program,
                         const std::vector<std::string>& arguments) const {
  const pid_t child = Spawn(program, arguments);
  int status = -1;
  if (waitpid(child, &status, 0) == child && status == 0) return;
  ADD_FAILURE() << program << " failed: " << TextOf(folder_ + "/log");
}

void PostgresServer::Start() {
  if (server_) return;
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  const auto target = TargetOf(Address("postgres"));
  server_ = Spawn(Installed("postgres"),
                  {"-D", folder_ + "/data", "-k", folder_, "-h", "", "-F", "-c",
                   "max_connections=50", "-c", "shared_buffers=32MB", "-c", "autovacuum=off"});
  while (!postgres::Connection::Open(target, "SELECT 1").ok()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    // A server that was killed leaves processes that hold its memory for a moment.
    if (waitpid(*server_, nullptr, WNOHANG) == *server_) {
      server_.reset();
      if (std::chrono::steady_clock::now() < give_up) return Start();
    }
    if (std::chrono::steady_clock::now() >= give_up) {
      ADD_FAILURE() << "PostgreSQL does not start: " << TextOf(folder_ + "/log");
      return;
    }
  }
}

void PostgresServer::Stop() {
  if (!server_) return;
  kill(*server_, SIGINT);  // its "fast shutdown"
  waitpid(*server_, nullptr, 0);
  server_.reset();
}

void PostgresServer::Kill() {
  if (!server_) return;
  const std::vector<pid_t> children = ChildrenOf(*server_);
  kill(*server_, SIGKILL);
  for (const pid_t child : children) kill(child, SIGKILL);
  waitpid(*server_, nullptr, 0);
  server_.reset();
}

void PostgresServer::SignalAll(int number) const {
  kill(*server_, number);
  for (const pid_t child : ChildrenOf(*server_)) kill(child, number);
}

void PostgresServer::Freeze() { SignalAll(SIGSTOP); }
void PostgresServer::Thaw() { SignalAll(SIGCONT); }

void PostgresServer::Promote() { Script("SELECT pg_promote()"); }

void PostgresServer::SaveData() { Run("/bin/cp", {"-a", folder_ + "/data", folder_ + "/saved"}); }

void PostgresServer::RestoreData() {
  std::filesystem::remove_all(folder_ + "/data");
  Run("/bin/cp", {"-a", folder_ + "/saved", folder_ + "/data"});
}

std::string PostgresServer::NewDatabase() {
  const std::string name = "test" + std::to_string(++databases_);
  Script("CREATE DATABASE " + name + " TEMPLATE template0");
  return Address(name);
}

std::string PostgresServer::Address(const std::string& database) const {
  return "postgresql://" + std::string(kUser) + "@/" + database + "?host=" + folder_;
}

postgres::Target PostgresServer::TargetOf(const std::string& address) {
  return postgres::Target::Parse(address).value();
}

void PostgresServer::Script(const std::string& address, const std::string& sql) const {
  const auto connection = postgres::Connection::Open(TargetOf(address), "SELECT 1");
  const Status status = connection.ok() ? (*connection)->Script(sql) : connection.status();
  EXPECT_TRUE(status.ok()) << status << " of " << sql;
}

}  // namespace twofold::testing
