#include "frontend/run_creation.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "frontend/patience.h"
#include "frontend/run_draft.h"
#include "lib/rpc/channel.h"
#include "lib/rpc/wire.h"

namespace twofold::frontend {

Status RunCreator::Create(results::RunCreated run, const Done& done) {
  const std::string id = run.run.id();
  {
    const std::lock_guard lock(mutex_);
    if (!under_way_.insert(id).second) {
      return absl::AbortedError(absl::StrCat("run.id: '", id, "' is being begun, ask again"));
    }
  }
  const auto finish = [this, id, done](bool existed) {
    auto stored = reader_.Find(id);
    {
      const std::lock_guard lock(mutex_);
      under_way_.erase(id);
    }
    if (!stored.ok()) return done(stored.status());
    v1::CreateRunReply reply;
    *reply.mutable_run() = *std::move(stored);
    reply.set_existed(existed);
    done(reply);
  };
  const auto known = reader_.Find(id);
  if (known.ok()) {
    finish(true);
  } else if (absl::IsNotFound(known.status())) {
    journal_.Append({std::move(run)}, [finish] { finish(false); });
  } else {
    const std::lock_guard lock(mutex_);
    under_way_.erase(id);
    return known.status();
  }
  return absl::OkStatus();
}

namespace {

/// One CreateRun call.
class CreateRunCall final : public grpc::ServerReadReactor<grpc::ByteBuffer>,
                            public std::enable_shared_from_this<CreateRunCall> {
 public:
  CreateRunCall(RunCreator& creator, std::function<Status()> can_store, std::shared_ptr<void> place,
                grpc::ByteBuffer* reply)
      : creator_(creator),
        can_store_(std::move(can_store)),
        place_(std::move(place)),
        reply_(reply),
        draft_(creator.draft_bytes()) {}

  void Start() {
    self_ = shared_from_this();
    Read();
  }

 private:
  void Read() {
    patience_.Start();
    StartRead(&read_);
  }

  void OnReadDone(bool ok) override {
    patience_.Stop();
    if (!ok) return OnHalfClosed();
    v1::CreateRunRequest request;
    Status status = rpc::Parse(read_, request);
    if (status.ok()) status = draft_.Add(request);
    if (!status.ok()) return End(status);
    Read();
  }

  void OnHalfClosed() {
    auto run = draft_.Finish();
    if (!run.ok()) return End(run.status());
    if (const Status status = can_store_(); !status.ok()) return End(status);
    const Status status = creator_.Create(
        *std::move(run), [self = shared_from_this()](const Result<v1::CreateRunReply>& reply) {
          self->Answer(reply);
        });
    if (!status.ok()) End(status);
  }

  void Answer(const Result<v1::CreateRunReply>& reply) {
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(ended_, true)) return;
      if (reply.ok()) *reply_ = rpc::Serialize(*reply);
    }
    Finish(rpc::ToGrpc(reply.status()));
  }

  void End(const Status& status) { Answer(status); }
  void OnCancel() override { End(absl::CancelledError("the caller is gone")); }

  void OnDone() override { self_.reset(); }

  RunCreator& creator_;
  const std::function<Status()> can_store_;
  const std::shared_ptr<void> place_;
  grpc::ByteBuffer* const reply_;
  grpc::ByteBuffer read_;
  RunDraft draft_;
  std::mutex mutex_;
  bool ended_ = false;
  std::shared_ptr<CreateRunCall> self_;
  Patience patience_{[this] { End(absl::DeadlineExceededError("no more of the run has come")); }};
};

}  // namespace

grpc::ServerReadReactor<grpc::ByteBuffer>* ServeCreateRun(RunCreator& creator,
                                                          std::function<Status()> can_store,
                                                          std::shared_ptr<void> place,
                                                          grpc::ByteBuffer* reply) {
  const auto call =
      std::make_shared<CreateRunCall>(creator, std::move(can_store), std::move(place), reply);
  call->Start();
  return call.get();
}

}  // namespace twofold::frontend
