#include "bench/frontends/database.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <signal.h>

#include <chrono>
#include <vector>

#include "bench/frontends/trouble.h"
#include "bench/peers/process_stats.h"
#include "cli/local/database.h"
#include "lib/postgres/connection.h"
#include "lib/postgres/target.h"

namespace twofold::budgets {
namespace {

constexpr Duration kPatience = std::chrono::seconds(30);

}  // namespace

Database::Database(const std::string& folder)
    : folder_(folder),
      lock_(ValueOf(folder_.Lock())),
      spec_(ValueOf(local::MakeDatabase(folder_))) {
  Start();
}

Database::~Database() {
  if (server_) {
    Thaw();
    kill(server_->pid(), spec_.stop_signal);
    (void)server_->Wait(kPatience);
    server_.reset();
  }
  folder_.Remove();
}

void Database::Start() {
  std::vector<std::string> words = {spec_.program};
  words.insert(words.end(), spec_.arguments.begin(), spec_.arguments.end());
  const std::string log = folder_.LogFile("postgres");
  server_.emplace(ValueOf(bench::Child::Start(words, {}, log, log)));
  Await("the start of PostgreSQL", [this] {
    if (server_->Ended()) throw Trouble("PostgreSQL has ended at once");
    return local::DatabaseServes(spec_.pid_file, server_->pid());
  });
}

std::string Database::New() {
  const std::string& address = spec_.serves.at("store");
  const std::string name = absl::StrCat("bench", ++databases_);
  Query(address, "CREATE DATABASE " + name);
  return absl::StrReplaceAll(address, {{"/postgres?", "/" + name + "?"}});
}

postgres::Rows Database::Query(const std::string& address, const std::string& sql) {
  const auto target = ValueOf(postgres::Target::Parse(address));
  return ValueOf(ValueOf(postgres::Connection::Open(target, "SELECT 1"))->Run(sql));
}

double Database::CpuSeconds() const {
  const auto seconds = bench::FamilyCpuSeconds(server_->pid());
  if (!seconds) throw Trouble("PostgreSQL has ended");
  return *seconds;
}

void Database::SignalAll(int number) const {
  kill(server_->pid(), number);
  for (const pid_t child : bench::ChildrenOf(server_->pid())) kill(child, number);
}

}  // namespace twofold::budgets
