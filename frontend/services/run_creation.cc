#include "frontend/services/run_creation.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "frontend/services/patience.h"
#include "frontend/services/run_draft.h"
#include "lib/rpc/channel.h"

namespace twofold::frontend {

Status RunCreator::Create(results::RunCreated run, const Done& done) {
  const std::string id = run.run.id();
  {
    const MutexLock lock(mutex_);
    if (!under_way_.insert(id).second) {
      return absl::AbortedError(absl::StrCat("run.id: '", id, "' is being begun, ask again"));
    }
  }
  const auto finish = [this, id, done](bool existed) {
    auto stored = reader_.Find(id);
    {
      const MutexLock lock(mutex_);
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
    const MutexLock lock(mutex_);
    under_way_.erase(id);
    return known.status();
  }
  return absl::OkStatus();
}

namespace {

using CreateRun = rpc::ServerStream<v1::CreateRunRequest, v1::CreateRunReply>;

class CreateRunCall final : public CreateRun {
 public:
  CreateRunCall(RunCreator& creator, ReaderPool& readers, std::function<Status()> can_store)
      : creator_(creator),
        readers_(readers),
        can_store_(std::move(can_store)),
        draft_(creator.draft_bytes()) {
    patience_.Start();
  }

 private:
  void OnMessage(const v1::CreateRunRequest& request) override {
    patience_.Stop();
    if (const Status status = draft_.Add(request); !status.ok()) return End(status);
    patience_.Start();
  }

  void OnHalfClosed() override {
    patience_.Stop();
    auto run = draft_.Finish();
    if (!run.ok()) return End(run.status());
    if (const Status status = can_store_(); !status.ok()) return End(status);
    const auto shared = std::make_shared<results::RunCreated>(*std::move(run));
    const bool posted = readers_.Post([this, self = shared_from_this(), shared] {
      const Status status =
          creator_.Create(std::move(*shared),
                          [this, self](const Result<v1::CreateRunReply>& reply) { Answer(reply); });
      if (!status.ok()) End(status);
    });
    if (!posted) Close(ReaderPool::Refusal());
  }

  void Answer(const Result<v1::CreateRunReply>& reply) {
    if (!reply.ok()) return End(reply.status());
    Add([&](v1::CreateRunReply& message) {
      message = *reply;
      return message.ByteSizeLong();
    });
    Close(grpc::Status::OK);
  }

  void End(const Status& status) { Close(rpc::ToGrpc(status)); }

  RunCreator& creator_;
  ReaderPool& readers_;
  const std::function<Status()> can_store_;
  RunDraft draft_;
  Patience patience_{[this] { End(absl::DeadlineExceededError("no more of the run has come")); }};
};

}  // namespace

std::shared_ptr<CreateRun> MakeCreateRunCall(RunCreator& creator, ReaderPool& readers,
                                             std::function<Status()> can_store) {
  return std::make_shared<CreateRunCall>(creator, readers, std::move(can_store));
}

}  // namespace twofold::frontend
