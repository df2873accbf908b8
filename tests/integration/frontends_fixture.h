#pragma once

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/postgres/connection.h"
#include "lib/queue/types.h"
#include "cli/channel/channel.h"
#include "tests/integration/cluster_fixture.h"
#include "tests/integration/frontends_load.h"
#include "tests/support/postgres_server.h"
#include "twofold/v1/frontends.grpc.pb.h"

namespace twofold::testing {

/// Three frontends that share a database of a real server, with workers, a load of durable jobs and
/// one of volatile jobs; all of queue "sleep". Two more queues have nothing to do.
class FrontendsTest : public ClusterTest {
 protected:
  static constexpr std::size_t kFrontends = 3;

  /// A frontend and its addresses, which it keeps over restarts.
  struct Member {
    std::string name;
    std::string store;
    std::unique_ptr<Program> program;
    std::string client = "127.0.0.1:0";
    std::string worker = "127.0.0.1:0";
    std::string http = "127.0.0.1:0";
  };

  void SetUp() override {
    if (!PostgresServer::IsInstalled()) GTEST_SKIP() << "PostgreSQL is not installed";
    database_ = NewDatabase();
    for (std::size_t i = 0; i < kFrontends; ++i) {
      members_[i].name = "f" + std::to_string(i + 1);
      members_[i].store = StoreOf(i);
      Start(members_[i]);
    }
    AwaitOwners();
  }

  /// Nothing is left to tell of when the frontends go.
  void TearDown() override {
    load_.reset();
    client_ = {};
    backends_.clear();
    for (Member& member : members_) member.program.reset();
  }

  virtual std::string NewDatabase() { return server().NewDatabase(); }
  virtual PostgresServer& server() { return PostgresServer::Shared(); }

  /// The address under which a frontend reaches the database.
  virtual std::string StoreOf(std::size_t /*frontend*/) { return database_; }

  // ---- Frontends

  /// The queues: three partitions, whatever they are.
  virtual Arguments Queues() const { return {"sleep", "idle", "spare"}; }

  /// So that takeovers are quick.
  virtual std::string Ttl() const { return "2"; }
  /// Of all frontends.
  virtual Arguments MoreOptions() const { return {}; }

  void Launch(Member& member) {
    std::filesystem::remove(folder_ / member.name);
    Arguments arguments = MoreOptions();
    arguments.insert(arguments.end(),
                     {"--store", member.store, "--name", member.name, "--ttl", Ttl(), "--grace",
                      "5", "--client-address", member.client, "--worker-address", member.worker,
                      "--http-address", member.http, "--ready-file", folder_ / member.name});
    const Arguments queues = Queues();
    arguments.insert(arguments.end(), queues.begin(), queues.end());
    member.program = std::make_unique<Program>("twofold-frontend", arguments);
  }
  void Start(Member& member) {
    Launch(member);
    const nlohmann::json addresses = AwaitReady(folder_ / member.name, *member.program);
    member.client = addresses.value("client", "");
    member.worker = addresses.value("worker", "");
    member.http = addresses.value("http", "");
  }

  std::vector<std::string> ClientAddresses(const Member* without = nullptr) {
    std::vector<std::string> addresses;
    for (const Member& member : members_) {
      if (&member != without) addresses.push_back(member.client);
    }
    return addresses;
  }

  Member& Named(const std::string& name) {
    for (Member& member : members_) {
      if (member.name == name) return member;
    }
    ADD_FAILURE() << "no frontend has the name '" << name << "'";
    return members_.front();
  }
  Member& OtherThan(const Member& member) {
    return &member == &members_.front() ? members_.back() : members_.front();
  }

  template <typename Request>
  grpc::Status CallFrontend(const Member& at,
                            grpc::Status (v1::Frontends::Stub::*method)(grpc::ClientContext*,
                                                                        const Request&,
                                                                        v1::ListFrontendsReply*),
                            const Request& request, v1::ListFrontendsReply& reply) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    const auto stub = v1::Frontends::NewStub(cli::Connect(at.client));
    return ((*stub).*method)(&context, request, &reply);
  }
  /// Asks `at` to move the queue.
  Status Move(const Member& at, const Member& to) {
    v1::MoveQueueRequest request;
    request.set_queue("sleep");
    request.set_to(to.name);
    v1::ListFrontendsReply reply;
    return cli::FromGrpc(CallFrontend(at, &v1::Frontends::Stub::MoveQueue, request, reply));
  }
  v1::ListFrontendsReply ListFrontends(const Member& at) {
    v1::ListFrontendsReply reply;
    const grpc::Status status =
        CallFrontend(at, &v1::Frontends::Stub::ListFrontends, v1::ListFrontendsRequest{}, reply);
    EXPECT_TRUE(status.ok()) << at.name << ": " << status.error_message();
    return reply;
  }
  v1::ListFrontendsReply ListFrontends() { return ListFrontends(Running()); }

  /// One that can be asked.
  Member& Running() {
    for (Member& member : members_) {
      if (member.program->running() && &member != stopped_) return member;
    }
    ADD_FAILURE() << "no frontend runs";
    return members_.front();
  }

  /// Who serves which queue, "f1 5": with the epoch, as the ones who serve say it.
  std::map<std::string, std::string> Tenures(const Member& at) {
    std::map<std::string, std::string> tenures;
    const v1::ListFrontendsReply reply = ListFrontends(at);
    for (const v1::Frontend& frontend : reply.frontends()) {
      for (const v1::Partition& partition : frontend.partitions()) {
        if (!frontend.away().empty() || partition.suspended()) continue;
        tenures[partition.queue()] = absl::StrCat(frontend.name(), " ", partition.epoch());
      }
    }
    return tenures;
  }
  /// Waits until all queues are served, durable jobs included.
  std::map<std::string, std::string> AwaitOwners() {
    std::map<std::string, std::string> tenures;
    EXPECT_TRUE(Await([&] { return (tenures = Tenures(Running())).size() == 3; }))
        << ListFrontends().DebugString();
    return tenures;
  }
  Member& Owner(const std::string& queue = "sleep") {
    const std::string tenure = AwaitOwners()[queue];
    return Named(tenure.substr(0, tenure.find(' ')));
  }
  Member& AwaitOwnerOtherThan(const Member& gone) {
    std::string tenure;
    EXPECT_TRUE(Await([&] {
      tenure = Tenures(Running())["sleep"];
      return !tenure.empty() && tenure.substr(0, tenure.find(' ')) != gone.name;
    })) << ListFrontends().DebugString();
    return Named(tenure.substr(0, tenure.find(' ')));
  }

  // ---- Load

  /// Workers and loads, whose first contact is a frontend.
  void StartLoad(const Member& contact) {
    worker_address_ = contact.worker;
    client_address_ = contact.client;
    const Arguments options = {"--slots", "4"};
    backends_.push_back(StartBackend({"sleep", "0"}, options));
    backends_.push_back(StartBackend({"/bin/sh", "-c", kScript, folder_ / "ran"}, options));
    client_ = StartClient({"--parallel", "4", "--attempts", "5", "--", "0.01"});
    load_ = std::make_unique<DurableLoad>("load", ClientAddresses());
    ExpectLoadGoesOn();
  }
  /// Writes down which attempt was given to it.
  static constexpr const char* kScript =
      R"(echo "$TWOFOLD_JOB $TWOFOLD_ATTEMPT 0" >> "$0"; exec sleep "$1")";

  void ExpectLoadGoesOn() {
    EXPECT_TRUE(load_->AwaitMore(50)) << ListFrontends().DebugString();
    ExpectVolatileGoesOn();
  }
  void ExpectVolatileGoesOn() {
    const double before = VolatileJobs();
    EXPECT_TRUE(Await([&] { return VolatileJobs() >= before + 50; })) << VolatileJobs();
  }
  double VolatileJobs() { return ClientFinished(client_, "succeeded"); }

  /// Volatile jobs a second while `meanwhile` runs.
  template <typename Action>
  double VolatileRate(const Action& meanwhile) {
    const double jobs = VolatileJobs();
    const Instant start = Now();
    meanwhile();
    return (VolatileJobs() - jobs) / ToSeconds(Now() - start);
  }

  // ---- What is in the tables

  postgres::Rows Query(const std::string& sql) {
    auto connection = postgres::Connection::Open(PostgresServer::TargetOf(database_), "SELECT 1");
    EXPECT_TRUE(connection.ok()) << connection.status();
    if (!connection.ok()) return postgres::Rows(nullptr);
    auto rows = (*connection)->Run(sql);
    EXPECT_TRUE(rows.ok()) << sql << ": " << rows.status();
    return rows.ok() ? *std::move(rows) : postgres::Rows(nullptr);
  }
  std::int64_t Number(const std::string& sql) {
    const postgres::Rows rows = Query(sql);
    return rows.size() == 1 ? rows.Integer(0, 0) : -1;
  }

  /// Of this load.
  std::vector<v1::Job> EndedJobs() {
    const postgres::Rows rows = Query(
        "SELECT id, run, outcome, ended.attempts FROM job JOIN ended USING (id)"
        " WHERE run LIKE '" +
        load_->name() + "%'");
    std::vector<v1::Job> jobs;
    for (int i = 0; i < rows.size(); ++i) {
      v1::Job& job = jobs.emplace_back();
      job.set_id(static_cast<std::uint64_t>(rows.Integer(i, 0)));
      job.set_run(std::string(rows.Text(i, 1)));
      job.set_state(v1::JOB_STATE_FINISHED);
      job.set_outcome(static_cast<v1::Outcome>(rows.Integer(i, 2) + 1));
      job.set_attempts(static_cast<std::uint32_t>(rows.Integer(i, 3)));
    }
    return jobs;
  }

  /// Ends the load, and holds all that was acknowledged against the tables. Jobs were tried as
  /// often at most.
  void ExpectLedgerHolds(std::uint32_t most_attempts = 5) {
    load_->Stop();
    EXPECT_THAT(load_->tally().failed, ::testing::IsEmpty());
    EXPECT_TRUE(Await([this] { return Number("SELECT count(*) FROM live") == 0; }))
        << Number("SELECT count(*) FROM live") << " jobs do not end\n"
        << ListFrontends().DebugString();
    TakeWitness();
    const std::vector<v1::Job> jobs = EndedJobs();
    std::map<std::uint32_t, int> attempts;
    for (const v1::Job& job : jobs) {
      ++attempts[job.attempts()];
      EXPECT_TRUE(job.outcome() == v1::OUTCOME_SUCCEEDED || load_->recorder().WasRefused(job))
          << job.ShortDebugString();
      EXPECT_LE(job.attempts(), most_attempts) << job.ShortDebugString();
    }
    load_->recorder().Check(jobs);
    std::uint64_t refused = 0;
    for (const auto& [why, count] : load_->tally().unavailable) refused += count;
    std::cout << load_->recorder().Summary() << ", " << refused
              << " calls refused or in doubt, jobs by attempts: "
              << ::testing::PrintToString(attempts) << "\n";
  }

  std::string database_;
  std::array<Member, kFrontends> members_;
  const Member* stopped_ = nullptr;  // one that runs and does not answer
  std::vector<std::unique_ptr<Program>> backends_;
  Client client_;
  std::unique_ptr<DurableLoad> load_;

 private:
  /// Of durable jobs: another frontend may give the id of a volatile one again.
  void TakeWitness() {
    std::ifstream lines(folder_ / "ran");
    std::uint64_t job = 0;
    std::uint32_t attempt = 0;
    std::uint32_t rank = 0;
    while (lines >> job >> attempt >> rank) {
      if (queue::IsDurable(queue::JobId{job})) load_->recorder().Ran(job, attempt, rank);
    }
  }
};

}  // namespace twofold::testing
