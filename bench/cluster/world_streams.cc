// How the workers of a World lose their frontend, and find the next one.

#include <absl/strings/str_cat.h>

#include <string>
#include <utility>

#include "bench/cluster/world.h"

namespace twofold::scale {
namespace {

constexpr const char* kService = "frontends:9999";
// TCP, HTTP/2 with or without TLS, and the stream's first message.
constexpr std::size_t kTripsToConnect = 3;

}  // namespace

bool World::IsServed(WorkerNumber number) const {
  const Worker& worker = workers_[number];
  const Place& place = places_[QueueOf(number)];
  return worker.stream == Stream::kServed && place.queue.is_served() &&
         worker.life == place.queue.lives();
}

// ---- Away

void World::EndProcess(std::size_t frontend) {
  frontends_.End(frontend);
  hosts_[frontend].parked.clear();
  const Duration most = hosts_[frontend].is_lost ? TimeOf(Cost::kBreakMost) : Duration{};
  const Duration least = hosts_[frontend].is_lost ? TimeOf(Cost::kBreakLeast) : Duration{};
  BreakStreams(frontend, least, most);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (places_[i].is_open && places_[i].frontend == frontend) {
      EndQueue(static_cast<PartitionNumber>(i));
    }
  }
  const Cost delay = hosts_[frontend].is_lost ? Cost::kLostHostDelay : Cost::kServiceDelay;
  time_.At(now() + TimeOf(delay), [this, frontend] {
    if (!frontends_.IsUp(frontend)) hosts_[frontend].in_service = false;
  });
}

void World::LoseHost(std::size_t frontend) {
  hosts_[frontend].is_lost = true;
  EndProcess(frontend);
}

void World::BreakStreams(std::size_t frontend, Duration least, Duration most) {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    const Worker& worker = workers_[i];
    if (worker.frontend != frontend || worker.stream == Stream::kDialling) continue;
    const auto number = static_cast<WorkerNumber>(i);
    Leave(number);
    time_.At(now() + Random(least, most),
             [this, number, turn = worker.turn] { Break(number, turn); });
  }
}

/// Its queue serves it no longer.
void World::Leave(WorkerNumber number) {
  Worker& worker = workers_[number];
  ++worker.turn;
  worker.stream = Stream::kDialling;
  if (worker.journey == nullptr) {
    worker.journey = std::make_unique<Journey>(
        Journey{.route = rpc::Route(kService, random_(), options_.pauses), .left = now()});
  } else if (worker.journey->served) {
    worker.journey->left = now();
    worker.journey->served.reset();
  }
}

void World::Park(WorkerNumber number) {
  Leave(number);
  workers_[number].stream = Stream::kParked;
}

/// The worker notices that its stream, or its dial, has come to nothing.
void World::Break(WorkerNumber number, std::uint32_t turn) {
  Worker& worker = workers_[number];
  if (worker.turn == turn) Go(number, worker.journey->route.Lost(now()));
}

// ---- On its way

void World::Go(WorkerNumber number, const rpc::Dial& dial) {
  Worker& worker = workers_[number];
  worker.stream = Stream::kDialling;
  time_.At(dial.at, [this, number, turn = ++worker.turn] { Arrive(number, turn); });
}

std::size_t World::FirstContact() {
  std::vector<std::size_t> behind;
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    if (hosts_[i].in_service) behind.push_back(i);
  }
  return behind.empty() ? 0 : behind[random_() % behind.size()];
}

void World::Arrive(WorkerNumber number, std::uint32_t turn) {
  Worker& worker = workers_[number];
  if (worker.turn != turn) return;
  const rpc::Dial& dial = worker.journey->route.dial();
  const std::size_t frontend = dial.named ? frontends_.NumberOf(dial.address) : FirstContact();
  worker.frontend = static_cast<std::uint32_t>(frontend);
  ++ledger_.dials;
  if (!frontends_.IsUp(frontend)) {
    ++ledger_.unanswered;
    const Duration after = hosts_[frontend].is_lost
                               ? Random(TimeOf(Cost::kDialLeast), TimeOf(Cost::kDialMost))
                               : TimeOf(Cost::kNetworkTrip);
    time_.At(now() + after, [this, number, turn] { Break(number, turn); });
    return;
  }
  const Duration cost = TimeOf(options_.tls ? Cost::kConnectTls : Cost::kConnect);
  ledger_.connect_cpu[frontend] += cost;
  const Instant connected = hosts_[frontend].cpu.Serve(now(), cost);
  time_.At(connected + TimeOf(Cost::kNetworkTrip, kTripsToConnect),
           [this, number, turn] { Answer(number, turn); });
}

/// What the frontend says to a worker that has come.
void World::Answer(WorkerNumber number, std::uint32_t turn) {
  Worker& worker = workers_[number];
  if (worker.turn != turn) return;
  if (!frontends_.IsUp(worker.frontend)) return Break(number, turn);
  Place& place = PlaceOf(number);
  if (!place.is_open || place.frontend != worker.frontend) return Redirect(number);
  if (place.queue.is_served()) return Join(number);
  worker.stream = Stream::kHeld;
  place.held.push_back(number);
}

/// It names the owner that its last look has shown, be that one dead.
void World::Redirect(WorkerNumber number) {
  Worker& worker = workers_[number];
  hosts_[worker.frontend].cpu.Serve(now(), TimeOf(Cost::kMessage));
  const cluster::Partition* row = frontends_.Find(worker.frontend, QueueOf(number));
  const bool is_elsewhere =
      row != nullptr && !row->owner.empty() && row->owner != frontends_.name(worker.frontend);
  std::string address;
  std::vector<std::string_view> addresses;
  if (is_elsewhere) addresses.emplace_back(address = absl::StrCat(row->owner, ":9999"));
  Go(number, worker.journey->route.Follow(row == nullptr ? 0 : row->epoch, addresses, now()));
}

void World::SendOn(std::size_t frontend, PartitionNumber partition) {
  VisitWorkers(partition, [&](WorkerNumber number) {
    const Worker& worker = workers_[number];
    if (worker.stream == Stream::kParked && worker.frontend == frontend) Redirect(number);
  });
}

// ---- Back

void World::Join(WorkerNumber number) {
  Worker& worker = workers_[number];
  Place& place = PlaceOf(number);
  ++worker.turn;
  worker.stream = Stream::kServed;
  worker.frontend = static_cast<std::uint32_t>(place.frontend);
  worker.life = place.queue.lives();
  queue::Queue& core = CoreOf(QueueOf(number));
  const queue::ProcessKey key{std::uint64_t{number} + 1};
  worker.process = core.IdFor(key);
  const auto index = static_cast<std::size_t>(worker.process);
  if (place.by_process.size() <= index) place.by_process.resize(index + 1);
  place.by_process[index] = number;
  queue::input::WorkerJoined joined{.key = key};
  if (worker.job) joined.held.push_back(*worker.job);
  if (worker.journey != nullptr) {
    ledger_.back.push_back(now() - worker.journey->left);
    worker.journey->route.Served(now());
    worker.journey->served = now();
  }
  core.Step(now(), joined, *this);
  if (worker.has_ended) Deliver(number);
}

/// A route whose stream has worked for so long begins as a new one.
void World::Settle(WorkerNumber number) {
  std::unique_ptr<Journey>& journey = workers_[number].journey;
  if (journey == nullptr || !journey->served) return;
  if (now() - *journey->served >= options_.pauses.settled) journey.reset();
}

}  // namespace twofold::scale
