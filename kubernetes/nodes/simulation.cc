#include "kubernetes/nodes/simulation.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "kubernetes/api/errors.h"
#include "kubernetes/nodes/cluster.h"

namespace twofold::nodes {
namespace {

constexpr std::uint32_t kNodesAConnection = 1500;  // 150 renewals a second

Clocks ClocksNow() {
  return {Now(), std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now())};
}

std::string ReasonOf(const Status& status) {
  std::string reason = kube::ReasonOf(status);
  return reason.empty() ? std::string(absl::StatusCodeToString(status.code())) : reason;
}

}  // namespace

Simulation::Simulation(const kube::Access& access, SimulationPlan settings,
                       const std::vector<std::uint32_t>& existing, int connections,
                       kube::WatchOptions watch)
    : settings_(std::move(settings)),
      fleet_(settings_.nodes, settings_.losses, ClocksNow(), existing, Now()),
      lives_(settings_.nodes, settings_.habits, ClocksNow(),
             [this](std::uint32_t node, Instant now) {
               mutex_.AssertHeld();
               return fleet_.LostUntil(node, now);
             }),
      watcher_(kube::Watcher::Start(access, BoundPods(), watch)) {
  for (std::uint32_t i = 0; i * kNodesAConnection < settings_.nodes.count; ++i) {
    Add(Lane::kNodes, access);
  }
  for (int i = 0; i < connections; ++i) Add(Lane::kPods, access);
  threads_.emplace_back([this] { watcher_->ForEach([this](const auto& event) { Take(event); }); });
}

void Simulation::Add(Lane lane, const kube::Access& access) {
  connections_.push_back(std::make_unique<kube::Connection>(access));
  {
    MutexLock lock(mutex_);
    ++working_;
  }
  threads_.emplace_back(
      [this, lane, &connection = *connections_.back()] { Work(lane, connection); });
}

Simulation::~Simulation() { Stop(); }

void Simulation::Stop() {
  watcher_->Stop();
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    for (Condition& changed : changed_) changed.NotifyAll();
    const Instant end = Now() + kGrace;
    while (working_ > 0 && idle_.WaitUntil(mutex_, end)) {
    }
  }
  for (const auto& connection : connections_) connection->Interrupt();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Simulation::Work(Lane lane, kube::Connection& connection) {
  while (const auto order = Await(lane)) {
    const std::uint64_t before = connection.counts().throttled;
    const auto reply = connection.Do(order->call);
    Tell(lane, *order, reply, connection.counts().throttled - before);
  }
  MutexLock lock(mutex_);
  --working_;
  idle_.NotifyAll();
}

// Whoever waits does so for what is due next. Each change of that wakes one thread to wait anew:
// when something comes due earlier, and when the thread that waited for it leaves with it.
std::optional<Order> Simulation::Await(Lane lane) {
  MutexLock lock(mutex_);
  while (!stopped_) {
    if (auto order = TakeDue(lane, Now())) {
      ChangedOf(lane).NotifyOne();
      return order;
    }
    if (const auto due = NextDue(lane)) {
      ChangedOf(lane).WaitUntil(mutex_, *due);
    } else {
      ChangedOf(lane).Wait(mutex_);
    }
  }
  return std::nullopt;
}

std::optional<Order> Simulation::TakeDue(Lane lane, Instant now) {
  return lane == Lane::kNodes ? fleet_.Take(now) : lives_.Take(now);
}

std::optional<Instant> Simulation::NextDue(Lane lane) {
  return lane == Lane::kNodes ? fleet_.NextDue() : lives_.NextDue();
}

void Simulation::Tell(Lane lane, const Order& order, const Result<kube::Reply>& reply,
                      std::uint64_t throttled) {
  const Instant now = Now();
  Status wrong;
  {
    MutexLock lock(mutex_);
    LaneCounts& counts = lanes_[static_cast<std::size_t>(lane)];
    counts.throttled += throttled;
    Count(counts, order, reply);
    wrong = lane == Lane::kPods
                ? lives_.Done(order.ticket, reply.status(), now)
                : fleet_.Done(order.ticket,
                              reply.ok() ? Result<kube::Json>(reply->body) : reply.status(), now);
    // That others came first is no error.
    if (!wrong.ok()) ++counts.errors[ReasonOf(wrong)];
  }
  if (wrong.ok() || absl::IsCancelled(wrong)) return;
  if (const auto left_out = log_.Admit(now)) {
    spdlog::warn("{}; tried again{}", std::string(wrong.message()), *left_out);
  }
}

void Simulation::Count(LaneCounts& counts, const Order& order, const Result<kube::Reply>& reply) {
  ++counts.calls;
  if (!reply.ok()) return;
  if (order.is_timed) counts.lateness.Record(reply->first_byte - order.planned);
  counts.times.Record(reply->first_byte - reply->sent);
}

void Simulation::Take(const kube::WatchEvent& event) {
  using Kind = kube::WatchEvent::Kind;
  if (event.kind == Kind::kTrouble) {
    spdlog::warn("pods: {}", std::string(event.trouble.message()));
    return;
  }
  MutexLock lock(mutex_);
  const auto due = lives_.NextDue();
  switch (event.kind) {
    case Kind::kListing:
      lives_.Listing();
      break;
    case Kind::kListed:
    case Kind::kAdded:
    case Kind::kModified:
      lives_.Seen(event.object, event.arrived);
      break;
    case Kind::kSynced:
      lives_.Listed();
      break;
    case Kind::kDeleted:
      lives_.Gone(kube::TextAt(event.object, "/metadata/uid"));
      break;
    case Kind::kBookmark:
    case Kind::kTrouble:
      break;
  }
  if (lives_.NextDue() != due) ChangedOf(Lane::kPods).NotifyOne();
}

SimulationCounts Simulation::counts() {
  const kube::WatchCounts watch = watcher_->counts();
  MutexLock lock(mutex_);
  return {fleet_.counts(), lives_.counts(), lanes_, watch};
}

std::vector<GpuLoad> Simulation::Gpus() {
  std::vector<GpuLoad> gpus;
  gpus.reserve(settings_.nodes.count * static_cast<std::size_t>(settings_.nodes.gpus()));
  MutexLock lock(mutex_);
  lives_.ForEachGpu([&](const Lives::GpuUse& use) {
    GpuLoad& gpu = gpus.emplace_back();
    gpu.node = use.node;
    gpu.device = use.device;
    gpu.utilisation = use.utilisation;
    if (use.pod == nullptr) return;
    gpu.pod = use.pod->name;
    if (!use.pod->containers.empty()) gpu.container = use.pod->containers.front().name;
  });
  return gpus;
}

}  // namespace twofold::nodes
