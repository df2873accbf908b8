#include "bench/frontends/cluster.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "bench/frontends/trouble.h"
#include "bench/peers/process_stats.h"
#include "cli/channel/channel.h"

namespace twofold::budgets {
namespace {

namespace fs = std::filesystem;

constexpr auto kCallLimit = std::chrono::seconds(10);

const v1::Frontend* OwnerIn(const v1::ListFrontendsReply& list, const std::string& queue) {
  for (const v1::Frontend& frontend : list.frontends()) {
    if (!frontend.away().empty()) continue;
    for (const v1::Partition& partition : frontend.partitions()) {
      if (partition.queue() == queue && !partition.suspended()) return &frontend;
    }
  }
  return nullptr;
}

}  // namespace

// ---- Place

Database& Place::database() {
  if (!database_) database_.emplace(folder_.path() / "database");
  return *database_;
}

std::string Place::NewFile(std::string_view name) {
  return folder_.path() / absl::StrCat(++files_, "-", std::string(name));
}

bench::Child Place::Start(const std::string& program, const std::vector<std::string>& arguments,
                          std::optional<int> core) {
  std::vector<std::string> words;
  if (core) words = {"/usr/bin/taskset", "--cpu-list", absl::StrCat(*core)};
  words.push_back(fs::read_symlink("/proc/self/exe").parent_path() / program);
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::string log = NewFile(program + ".log");
  return ValueOf(bench::Child::Start(words, {}, log, log));
}

// ---- Frontend

Frontend::Frontend(Place& place, Options options)
    : place_(place), options_(std::move(options)), ready_file_(place.NewFile("ready")) {
  Launch();
  AwaitReady();
}

void Frontend::Kill() {
  kill(program_->pid(), SIGKILL);
  (void)program_->Wait(std::chrono::seconds(10));
  program_.reset();
}

void Frontend::Launch() {
  fs::remove(ready_file_);
  std::vector<std::string> arguments = {
      "--client-address", client_,       "--worker-address", worker_,
      "--http-address",   "127.0.0.1:0", "--ready-file",     ready_file_};
  if (!options_.store.empty()) {
    arguments.insert(arguments.end(), {"--store", options_.store, "--name", options_.name, "--ttl",
                                       absl::StrCat(place_.ttl())});
  }
  if (options_.relay) arguments.emplace_back("--relay");
  arguments.insert(arguments.end(), options_.queues.begin(), options_.queues.end());
  program_.emplace(place_.Start("twofold-frontend", arguments, options_.core));
}

void Frontend::AwaitReady() {
  std::map<std::string, std::string> addresses;
  Await("the start of a frontend", [&] {
    if (program_->Ended()) throw Trouble("a frontend has ended at once");
    addresses = local::ReadReadyFile(ready_file_).value_or(addresses);
    return !addresses.empty();
  });
  client_ = addresses.at("client");
  worker_ = addresses.at("worker");
}

double Frontend::CpuSeconds() const {
  const auto seconds = bench::CpuSeconds(program_->pid());
  if (!seconds) throw Trouble("a frontend has ended");
  return *seconds;
}

// ---- Cluster

Cluster::Cluster(Place& place, const Options& options)
    : store_(options.store.empty() ? place.database().New() : options.store) {
  for (int i = 0; i < options.frontends; ++i) {
    frontends_.push_back(std::make_unique<Frontend>(
        place, Frontend::Options{.name = absl::StrCat("f", i + 1),
                                 .queues = options.queues,
                                 .store = store_,
                                 .core = options.pinned ? std::optional(i) : std::nullopt,
                                 .relay = options.relay}));
  }
  if (!options.store.empty()) return;  // it serves, and knows of no others
  Await("the opening of all queues", [&] {
    return std::all_of(options.queues.begin(), options.queues.end(),
                       [this](const std::string& queue) { return Find(queue).has_value(); });
  });
}

v1::ListFrontendsReply Cluster::List() {
  const auto running = std::find_if(frontends_.begin(), frontends_.end(),
                                    [](const auto& each) { return each->running(); });
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kCallLimit);
  v1::ListFrontendsReply reply;
  const grpc::Status status = StubOf((*running)->client()).ListFrontends(&context, {}, &reply);
  return status.ok() ? reply : v1::ListFrontendsReply();
}

v1::Frontends::Stub& Cluster::StubOf(const std::string& client) {
  auto& stub = stubs_[client];
  if (stub == nullptr) stub = v1::Frontends::NewStub(cli::Connect(client));
  return *stub;
}

std::optional<v1::Partition> Cluster::Find(const std::string& queue) {
  const v1::ListFrontendsReply list = List();
  const v1::Frontend* const owner = OwnerIn(list, queue);
  if (owner == nullptr) return std::nullopt;
  return *std::find_if(owner->partitions().begin(), owner->partitions().end(),
                       [&](const v1::Partition& each) { return each.queue() == queue; });
}

Frontend& Cluster::Owner(const std::string& queue) {
  std::string name;
  Await("the opening of a queue", [&] {
    const v1::ListFrontendsReply list = List();
    const v1::Frontend* const owner = OwnerIn(list, queue);
    if (owner != nullptr) name = owner->name();
    return owner != nullptr;
  });
  return **std::find_if(frontends_.begin(), frontends_.end(),
                        [&](const auto& each) { return each->name() == name; });
}

Frontend& Cluster::OtherThan(const Frontend& one) {
  return **std::find_if(frontends_.begin(), frontends_.end(),
                        [&](const auto& each) { return each.get() != &one && each->running(); });
}

std::string Cluster::Contacts() {
  return absl::StrJoin(frontends_, ",",
                       [](std::string* text, const auto& each) { *text += each->worker(); });
}

Duration Cluster::AwaitSlots(std::uint64_t slots, const std::string& queue) {
  return Await("the return of all workers", [&] {
    const auto partition = Find(queue);
    return partition && partition->worker_slots() == slots;
  });
}

void Cluster::Move(const std::string& queue, const Frontend& to) {
  v1::MoveQueueRequest request;
  request.set_queue(queue);
  request.set_to(to.name());
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kCallLimit);
  v1::ListFrontendsReply reply;
  const grpc::Status status = StubOf(to.client()).MoveQueue(&context, request, &reply);
  if (!status.ok()) throw Trouble("cannot move a queue: " + status.error_message());
  Await("a move", [&] { return &Owner(queue) == &to; });
}

bench::Child StartWorker(Place& place, const std::string& frontend, int slots,
                         const std::string& queue) {
  return place.Start("twofold-backend",
                     {"--frontend", frontend, "--queue", queue, "--slots", absl::StrCat(slots),
                      "--backoff", "0.1", "--backoff-max", "0.5", "--ignore", "--", "sleep", "0"});
}

}  // namespace twofold::budgets
