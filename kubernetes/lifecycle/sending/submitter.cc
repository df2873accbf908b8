#include "kubernetes/lifecycle/sending/submitter.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "kubernetes/api/errors.h"
#include "kubernetes/lifecycle/moments/kind.h"
#include "kubernetes/lifecycle/moments/stamps.h"
#include "kubernetes/lifecycle/templates/template.h"

namespace twofold::lifecycle {
namespace {

// Time for the first connections; those who wait for their instant connect meanwhile.
constexpr Duration kLead = std::chrono::milliseconds(200);

std::string ReasonFor(const Status& status) {
  const std::string reason = kube::ReasonOf(status);
  return reason.empty() ? std::string(absl::StatusCodeToString(status.code())) : reason;
}

/// What came in one call.
void AddThrottling(const kube::ConnectionCounts& before, const kube::ConnectionCounts& after,
                   SendCounts& counts) {
  counts.throttled += after.throttled - before.throttled;
  counts.throttled_time += after.throttled_time - before.throttled_time;
  for (const auto& [flow, count] : after.throttled_by) {
    const auto known = before.throttled_by.find(flow);
    const std::uint64_t more = count - (known == before.throttled_by.end() ? 0 : known->second);
    if (more > 0) counts.throttled_by[flow] += more;
  }
}

bool HasLabelsOf(const Object& found, const Object& object) {
  return LabelOf(found, kRunLabel) == LabelOf(object, kRunLabel) &&
         LabelOf(found, kWorkloadLabel) == LabelOf(object, kWorkloadLabel);
}

}  // namespace

bool IsOutOfSpace(const Status& status) {
  constexpr int kInsufficientStorage = 507;
  if (kube::HttpStatusOf(status) == kInsufficientStorage) return true;
  const std::string said(status.message());
  return kube::HttpStatusOf(status) >= 500 &&
         (said.find("database space exceeded") != std::string::npos ||
          said.find("no space left on device") != std::string::npos);
}

Result<kube::Reply> CreateOurs(kube::Connection& connection, const kube::Resource& resource,
                               const Object& object) {
  auto reply = connection.Do(kube::Create(resource, object));
  const bool may_be_ours =
      absl::IsAlreadyExists(reply.status()) && kube::WasRepeated(reply.status());
  if (!may_be_ours) return reply;
  auto found = connection.Do(kube::Get(resource, kube::NameOf(object)));
  if (found.ok() && HasLabelsOf(found->body, object)) return found;
  return reply;
}

Submitter::Submitter(const kube::Access& access, const SendPlan& plan,
                     std::vector<kube::Resource> resources, Observed& observed)
    : plan_(plan),
      resources_(std::move(resources)),
      observed_(observed),
      pace_(PaceOf(plan.each.spec), Now() + kLead),
      working_(static_cast<std::size_t>(ConnectionsOf(plan.each.spec))) {
  for (int i = 0; i < ConnectionsOf(plan.each.spec); ++i) {
    connections_.push_back(std::make_unique<kube::Connection>(access));
    threads_.emplace_back([this, &connection = *connections_.back()] { Work(connection); });
  }
}

Submitter::~Submitter() { Stop(); }

void Submitter::Stop() {
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    changed_.NotifyAll();
    const Instant end = Now() + kGrace;
    while (working_ > 0 && changed_.WaitUntil(mutex_, end)) {
    }
  }
  for (const auto& connection : connections_) connection->Interrupt();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

bool Submitter::Await(Instant deadline) {
  MutexLock lock(mutex_);
  while (working_ > 0 && changed_.WaitUntil(mutex_, deadline)) {
  }
  return working_ == 0;
}

SendCounts Submitter::counts() {
  MutexLock lock(mutex_);
  return counts_;
}

void Submitter::Cease() {
  MutexLock lock(mutex_);
  stopped_ = true;
  changed_.NotifyAll();
}

Status Submitter::failure() {
  MutexLock lock(mutex_);
  return failure_;
}

/// Waits for the answers of a wave before the next one begins.
std::optional<Pace::Turn> Submitter::TakeNext() {
  MutexLock lock(mutex_);
  while (!stopped_) {
    if (const auto turn = pace_.Take()) return turn;
    if (pace_.IsOver()) return std::nullopt;
    changed_.Wait(mutex_);
  }
  return std::nullopt;
}

bool Submitter::WaitUntil(Instant planned) {
  MutexLock lock(mutex_);
  while (!stopped_ && Now() < planned) changed_.WaitUntil(mutex_, planned);
  return !stopped_;
}

// The objects are made before their instant, so that this takes no time from it.
void Submitter::Work(kube::Connection& connection) {
  // So that no workload pays for the connection. That it fails, the first call will say.
  (void)connection.Do(kube::Get(kube::kConfigMaps, {plan_.each.space, plan_.each.run}));
  while (const auto turn = TakeNext()) {
    auto objects = RenderOne(plan_, turn->index);
    if (!objects.ok()) {
      Count(connection, connection.counts(), objects.status(), Duration::zero());
      continue;
    }
    if (turn->planned && !WaitUntil(*turn->planned)) break;
    const bool paced = !plan_.each.spec.has_parallel();
    Send(connection, *std::move(objects), paced ? *turn->planned : Now(), turn->wave);
  }
  End();
}

void Submitter::End() {
  MutexLock lock(mutex_);
  --working_;
  changed_.NotifyAll();
}

// It is told to be sent before it is, so that whoever goes on after us knows of it.
void Submitter::Send(kube::Connection& connection, std::vector<Object> objects, Instant planned,
                     std::uint32_t wave) {
  const auto [space, name] = kube::NameOf(objects.front());
  const std::uint32_t slots = SlotsOf(*plan_.kind, plan_.each.spec.workers());
  const Planned beside{wave, ClaimsOf(*plan_.kind, plan_.each.spec)};
  Instant sent;
  const Status known = observed_.With([&, &space = space, &name = name](Observer& observer) {
    Status status = observer.Tell(input::Plan{space, name, slots, planned, beside});
    sent = Now();
    if (status.ok()) observer.Tell(input::Sent{space, name, sent});
    return status;
  });
  const kube::ConnectionCounts before = connection.counts();
  if (!known.ok()) return Count(connection, before, known, Duration::zero());
  const Anchor& anchor = observed_.anchor();
  Stamp(objects.front(), {anchor.UnixNs(planned), anchor.UnixNs(sent)});
  const auto own = CreateOurs(connection, resources_.front(), objects.front());
  Status status = own.status();
  for (std::size_t i = 1; status.ok() && i < objects.size(); ++i) {
    Stamp(objects[i], {anchor.UnixNs(planned), anchor.UnixNs(Now())});
    status = CreateOurs(connection, resources_[i], objects[i]).status();
  }
  observed_.With([&, &space = space, &name = name](Observer& observer) {
    if (own.ok()) observer.Tell(input::Replied{space, name, own->first_byte});
    if (!status.ok()) observer.Tell(input::Refused{space, name, std::string(status.message())});
  });
  Count(connection, before, status, sent - planned);
}

void Submitter::Count(const kube::Connection& connection, const kube::ConnectionCounts& before,
                      const Status& status, Duration late) {
  const kube::ConnectionCounts& after = connection.counts();
  MutexLock lock(mutex_);
  ++counts_.sent;
  if (late > kLate) ++counts_.late;
  counts_.repeated += after.repeats - before.repeats;
  AddThrottling(before, after, counts_);
  if (pace_.Answer(Now())) changed_.NotifyAll();
  if (status.ok()) {
    ++counts_.created;
    return;
  }
  if (IsOutOfSpace(status) && failure_.ok()) {
    failure_ = absl::ResourceExhaustedError(absl::StrCat(
        "stopped: the API server's store takes no more (", std::string(status.message()),
        "); remove objects, compact and defragment etcd or raise its quota, then disarm its "
        "alarm"));
    stopped_ = true;
    changed_.NotifyAll();
  }
  ++counts_.refused[ReasonFor(status)];
  if (counts_.refusal.empty()) counts_.refusal = std::string(status.message());
}

}  // namespace twofold::lifecycle
