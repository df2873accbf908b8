#include "tests/fakes/fake_frontend.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <stdexcept>
#include <utility>

#include "lib/rpc/service.h"

namespace twofold::fakes {
namespace {

std::uint64_t Ns(Duration duration) { return static_cast<std::uint64_t>(duration.count()); }

std::size_t Append(v1::SubmitReply& reply, std::uint64_t tag, const FakeEnd& end) {
  v1::Report report;
  report.set_error(end.error);
  if (end.retry_after > Duration(0)) reply.set_retry_after_ns(Ns(end.retry_after));
  v1::ResultBatch& batch = *reply.mutable_results();
  const std::uint32_t worker =
      rpc::WorkerIndex(batch, end.worker.node(), end.worker.pod(), end.worker.device());
  return rpc::Append(batch, {.tag = tag,
                             .outcome = end.outcome,
                             .wait_ns = Ns(end.wait),
                             .run_ns = Ns(end.run),
                             .worker = worker,
                             .report = report.SerializeAsString()});
}

v1::Moved& AddMoved(v1::SubmitReply& reply, const FakeMove& move) {
  for (v1::Moved& known : *reply.mutable_moved()) {
    if (known.queue() == move.queue) return known;
  }
  v1::Moved& moved = *reply.add_moved();
  moved.set_queue(move.queue);
  moved.set_epoch(move.epoch);
  for (const std::string& address : move.addresses) {
    moved.add_shards()->set_client_address(address);
  }
  return moved;
}

}  // namespace

class FakeFrontend::Service final : public rpc::Service {
 public:
  explicit Service(FakeBehaviour behaviour)
      : rpc::Service("twofold.v1.Clients"), behaviour_(std::move(behaviour)) {
    Serve("Submit", &Service::Submit);
  }

  Result<std::shared_ptr<rpc::ByteStream>> Submit(const rpc::CallInfo&);

  std::mutex mutex_;  // guards the rest
  std::condition_variable changed_;
  FakeBehaviour behaviour_;
  std::shared_ptr<Session> session_;                        // the newest
  std::map<std::uint64_t, std::shared_ptr<Session>> held_;  // and who is to hear of their ends
  std::uint64_t received_ = 0;
  std::optional<FakeMove> move_;
  std::map<std::string, FakeMove> sent_on_;  // by queue
  std::uint32_t shards_ = 0;
  std::vector<std::uint64_t> epochs_;
  std::size_t open_streams_ = 0;
};

class FakeFrontend::Session final : public rpc::ServerStream<v1::SubmitRequest, v1::SubmitReply> {
 public:
  explicit Session(Service& service) : service_(service) {}

  void Answer(std::uint64_t tag, const FakeEnd& end) {
    Add([&](v1::SubmitReply& reply) { return Append(reply, tag, end); });
  }

  void GiveBack(const std::vector<std::uint64_t>& tags, const FakeMove& move) {
    Add([&](v1::SubmitReply& reply) {
      v1::Moved& moved = AddMoved(reply, move);
      moved.mutable_tags()->Add(tags.begin(), tags.end());
      return moved.ByteSizeLong();
    });
  }

  void OnMessage(const v1::SubmitRequest& request) override {
    if (const Status status = rpc::Check(request); !status.ok()) return Close(status);
    {
      const std::lock_guard lock(service_.mutex_);
      if (!std::exchange(has_sent_, true)) Greet(request.moved_epoch());
      rpc::ForEach(request, [&](const rpc::JobRow& row) {
        Take(row, request.options(static_cast<int>(row.option)));
      });
    }
    service_.changed_.notify_all();
    Flush();
  }

  void OnHalfClosed() override {
    half_closed_ = true;
    CloseIfDone();
  }

  void CloseIfDone() {
    std::unique_lock lock(service_.mutex_);
    const bool done =
        half_closed_ && std::none_of(service_.held_.begin(), service_.held_.end(),
                                     [this](const auto& job) { return job.second.get() == this; });
    lock.unlock();
    if (done) Close(absl::OkStatus());
  }

  void OnGone() override {
    const std::lock_guard lock(service_.mutex_);
    --service_.open_streams_;
    service_.changed_.notify_all();
    std::erase_if(service_.held_, [this](const auto& job) { return job.second.get() == this; });
    if (service_.session_.get() == this) service_.session_.reset();
  }

 private:
  void Greet(std::uint64_t moved_epoch) {
    service_.epochs_.push_back(moved_epoch);
    if (service_.shards_ == 0) return;
    Add([this](v1::SubmitReply& reply) {
      reply.set_shards(service_.shards_);
      return reply.ByteSizeLong();
    });
  }

  void Take(const rpc::JobRow& row, const v1::JobOptions& options) {
    if (service_.move_) return GiveBack({row.tag}, *service_.move_);
    const auto sent_on = service_.sent_on_.find(options.queue());
    if (sent_on != service_.sent_on_.end()) return GiveBack({row.tag}, sent_on->second);
    ++service_.received_;
    const auto end = service_.behaviour_(options, row.spec);
    if (end) return Answer(row.tag, *end);
    service_.held_[row.tag] = std::static_pointer_cast<Session>(shared_from_this());
  }

  Service& service_;
  std::atomic<bool> half_closed_ = false;
  bool has_sent_ = false;
};

Result<std::shared_ptr<rpc::ByteStream>> FakeFrontend::Service::Submit(const rpc::CallInfo&) {
  const auto session = std::make_shared<Session>(*this);
  {
    const std::lock_guard lock(mutex_);
    session_ = session;
    ++open_streams_;
  }
  return session;
}

FakeFrontend::FakeFrontend(FakeBehaviour behaviour, int port)
    : service_(std::make_unique<Service>(std::move(behaviour))) {
  auto server = rpc::Listen("127.0.0.1:" + std::to_string(port), {service_.get()});
  if (!server.ok()) throw std::runtime_error("the fake frontend cannot listen");
  server_ = *std::move(server);
  port_ = server_->address().port;
}

FakeFrontend::~FakeFrontend() = default;

std::string FakeFrontend::address() const { return "127.0.0.1:" + std::to_string(port_); }

void FakeFrontend::Behave(FakeBehaviour behaviour) {
  const std::lock_guard lock(service_->mutex_);
  service_->behaviour_ = std::move(behaviour);
}

void FakeFrontend::Release(const FakeEnd& end) {
  std::set<std::shared_ptr<Session>> answered;
  {
    const std::lock_guard lock(service_->mutex_);
    for (const auto& [tag, session] : std::exchange(service_->held_, {})) {
      session->Answer(tag, end);
      answered.insert(session);
    }
  }
  for (const auto& session : answered) {
    session->Flush();
    session->CloseIfDone();
  }
}

void FakeFrontend::Move(const FakeMove& move, const std::vector<std::uint64_t>& tags) {
  std::shared_ptr<Session> session;
  {
    const std::lock_guard lock(service_->mutex_);
    service_->move_ = move;
    session = service_->session_;
    if (!session) return;
    for (const std::uint64_t tag : tags) service_->held_.erase(tag);
    session->GiveBack(tags, move);
  }
  session->Flush();
}

void FakeFrontend::Own() {
  const std::lock_guard lock(service_->mutex_);
  service_->move_.reset();
  service_->sent_on_.clear();
}

void FakeFrontend::SendOn(const std::string& queue, const FakeMove& move) {
  const std::lock_guard lock(service_->mutex_);
  service_->sent_on_[queue] = move;
}

void FakeFrontend::HasShards(std::uint32_t count) {
  const std::lock_guard lock(service_->mutex_);
  service_->shards_ = count;
}

void FakeFrontend::Answer(std::uint64_t tag, const FakeEnd& end) {
  std::shared_ptr<Session> session;
  {
    const std::lock_guard lock(service_->mutex_);
    session = service_->session_;
    if (!session) return;
    service_->held_.erase(tag);
    session->Answer(tag, end);
  }
  session->Flush();
}

void FakeFrontend::EndStreams(const Status& status) {
  std::unique_lock lock(service_->mutex_);
  const std::shared_ptr<Session> session = service_->session_;
  lock.unlock();
  if (session) session->Close(status);
}

std::uint64_t FakeFrontend::received() const {
  const std::lock_guard lock(service_->mutex_);
  return service_->received_;
}

std::set<std::uint64_t> FakeFrontend::held() const {
  const std::lock_guard lock(service_->mutex_);
  std::set<std::uint64_t> tags;
  for (const auto& [tag, session] : service_->held_) tags.insert(tag);
  return tags;
}

std::vector<std::uint64_t> FakeFrontend::epochs() const {
  const std::lock_guard lock(service_->mutex_);
  return service_->epochs_;
}

std::size_t FakeFrontend::open_streams() const {
  const std::lock_guard lock(service_->mutex_);
  return service_->open_streams_;
}

bool FakeFrontend::Await(const std::function<bool(std::uint64_t, std::size_t)>& condition) {
  std::unique_lock lock(service_->mutex_);
  return service_->changed_.wait_for(lock, std::chrono::seconds(10), [&] {
    return condition(service_->received_, service_->held_.size());
  });
}

}  // namespace twofold::fakes
