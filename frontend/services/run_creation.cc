#include <absl/strings/str_cat.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "frontend/services/patience.h"
#include "frontend/services/run_calls.h"
#include "lib/common/instant.h"
#include "lib/common/task.h"
#include "lib/results/records.h"
#include "lib/rpc/awaited_stream.h"
#include "lib/rpc/parse.h"
#include "lib/show/message.h"

namespace twofold::frontend {
namespace {

// As lib/spec allows for a file, its permutations and all their values.
constexpr std::size_t kMostPermutations = 100'000;
constexpr std::size_t kMostBytes = 64 << 20;
constexpr std::size_t kPermutationBytes = 64;  // beside its values

Status BadRun(const std::string& message) { return absl::InvalidArgumentError(message); }

/// It is a word on command lines and a part of addresses.
Status CheckId(const std::string& id) {
  if (id.empty()) return BadRun("run.id is empty");
  const auto fits = [](char c) { return static_cast<unsigned char>(c) > ' ' && c != 0x7f; };
  if (!std::all_of(id.begin(), id.end(), fits)) {
    return BadRun("run.id has a blank or a control character");
  }
  return absl::OkStatus();
}

/// A run as CreateRun sends it, message by message. What it holds is a share of `bytes`.
class RunDraft {
 public:
  explicit RunDraft(Budget& bytes) : share_(bytes) {}

  Status Add(const v1::CreateRunRequest& request) {
    if (complete_) return BadRun("last: something came after the last message");
    if (request.has_run()) {
      if (Status status = SetRun(request.run()); !status.ok()) return status;
    }
    if (run_.run.id().empty()) return BadRun("run: the first message must have it");
    for (const v1::Permutation& each : request.permutations()) {
      if (Status status = AddPermutation(each); !status.ok()) return status;
    }
    complete_ = request.last();
    return absl::OkStatus();
  }

  [[nodiscard]] std::size_t bytes() const { return share_.size(); }

  /// The run, which the draft has no longer.
  Result<results::RunCreated> Finish() {
    if (run_.run.id().empty()) return BadRun("run: the first message must have it");
    if (!complete_) return absl::AbortedError("last: the call was broken off; no run was begun");
    return std::move(run_);
  }

 private:
  Status SetRun(const v1::Run& run) {
    if (!run_.run.id().empty()) return BadRun("run: only the first message has it");
    if (Status status = CheckId(run.id()); !status.ok()) return status;
    if (Status status = Grow(run.ByteSizeLong()); !status.ok()) return status;
    run_.run = run;
    run_.run.clear_counts();
    run_.run.clear_cancelled_unix_ns();
    run_.run.clear_ended_unix_ns();
    run_.run.set_created_unix_ns(UnixNowNs());
    return absl::OkStatus();
  }

  Status AddPermutation(const v1::Permutation& permutation) {
    const std::uint64_t last = run_.permutations.empty() ? 0 : run_.permutations.back().number();
    if (permutation.number() <= last) {
      return BadRun(absl::StrCat("permutations.number is ", permutation.number(), " after ", last,
                                 "; numbers count upwards from 1"));
    }
    if (!show::Parsed(permutation.varied()).is_object()) {
      return BadRun(absl::StrCat("permutations.varied of ", permutation.number(),
                                 " is no JSON object of at most ", rpc::kMaxVariedDepth,
                                 " levels"));
    }
    bytes_ += permutation.varied().size();
    if (bytes_ > kMostBytes || run_.permutations.size() >= kMostPermutations) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "permutations: more than ", kMostPermutations, ", or more than ", kMostBytes, " bytes"));
    }
    const Status status = Grow(kPermutationBytes + permutation.varied().size());
    if (!status.ok()) return status;
    run_.permutations.push_back(permutation);
    return absl::OkStatus();
  }

  Status Grow(std::size_t bytes) {
    if (share_.Grow(bytes)) return absl::OkStatus();
    return absl::ResourceExhaustedError(absl::StrCat("runs that are being begun have more than ",
                                                     rpc::kMaxDraftBytes,
                                                     " bytes; try again later"));
  }

  results::RunCreated run_;
  Budget::Share share_;
  std::size_t bytes_ = 0;
  bool complete_ = false;
};

bool HasJobs(const v1::Run& run) {
  const v1::RunCounts& counts = run.counts();
  return counts.waiting() + counts.running() + counts.submitted_again() > 0 ||
         !counts.ended().empty();
}

class CreateRunCall final : public rpc::AwaitedStream {
 public:
  CreateRunCall(std::shared_ptr<RunCreation> shared, std::string host)
      : shared_(std::move(shared)), host_(std::move(host)) {}

 private:
  void Serve() override { Run(shared_from_this()); }

  Detached Run(std::shared_ptr<void> /*self*/) {
    const Result<v1::CreateRunReply> reply = co_await Reply();
    if (!reply.ok()) co_return Finish(reply.status());
    std::string bytes = reply->SerializeAsString();
    (void)co_await Write(bytes);
    Finish(absl::OkStatus());
  }

  Task<Result<v1::CreateRunReply>> Reply() {
    RunDraft draft(shared_->draft_bytes);
    const Status read = co_await ReadAll(draft);
    if (!read.ok()) co_return read;
    OnPool readers(&shared_->readers);
    const Status entered = co_await readers;
    if (!entered.ok()) co_return entered;
    co_return co_await Create(draft);
  }

  Task<Status> ReadAll(RunDraft& draft) {
    for (;;) {
      patience_.Start();
      const std::optional<std::string> bytes = co_await Read();
      patience_.Stop();
      if (!bytes) co_return absl::OkStatus();
      v1::CreateRunRequest request;
      Status status = rpc::Parse(*bytes, request);
      if (status.ok()) status = draft.Add(request);
      if (!status.ok()) co_return status;
    }
  }

  /// Blocks on the store.
  Task<Result<v1::CreateRunReply>> Create(RunDraft& draft) {
    auto run = draft.Finish();
    if (!run.ok()) co_return run.status();
    if (Status status = CanStore(&shared_->storage->journal()); !status.ok()) co_return status;
    const std::string id = run->run.id();
    const auto claim = shared_->under_way.Take(id);
    if (claim == nullptr) {
      co_return absl::AbortedError(absl::StrCat("run.id: '", id, "' is being begun, ask again"));
    }
    const results::RunReader& runs = shared_->storage->run_reader();
    auto known = runs.Find(id);
    if (!absl::IsNotFound(known.status())) co_return Told(std::move(known), true);
    const auto has_begun = [&runs](const std::string& draft_id) {
      const auto found = runs.Find(draft_id);
      return absl::IsNotFound(found.status()) || (found.ok() && HasJobs(*found));
    };
    Status status = shared_->drafts.Add(host_, id, draft.bytes(), has_begun);
    if (!status.ok()) co_return status;
    const Later<> commit([&](auto done) {
      shared_->storage->journal().Append({*std::move(run)},
                                         [done = std::move(done)] { done(absl::OkStatus()); });
    });
    status = co_await commit;
    if (!status.ok()) co_return status;
    co_return Told(runs.Find(id), false);
  }

  static Result<v1::CreateRunReply> Told(Result<v1::Run> run, bool existed) {
    if (!run.ok()) return run.status();
    v1::CreateRunReply reply;
    *reply.mutable_run() = *std::move(run);
    reply.set_existed(existed);
    return reply;
  }

  const std::shared_ptr<RunCreation> shared_;
  const std::string host_;
  Patience patience_{
      *this, [this] { Finish(absl::DeadlineExceededError("no more of the run has come")); }};
};

}  // namespace

std::shared_ptr<rpc::ByteStream> MakeCreateRunCall(std::shared_ptr<RunCreation> shared,
                                                   std::string host) {
  return std::make_shared<CreateRunCall>(std::move(shared), std::move(host));
}

Status Drafts::Add(const std::string& host, const std::string& run, std::size_t bytes,
                   const HasBegun& has_begun) {
  const MutexLock lock(mutex_);
  if (of_host_.size() >= kMostHosts && !of_host_.contains(host)) of_host_.erase(of_host_.begin());
  std::vector<Draft>& drafts = of_host_[host];
  const auto is_too_much = [&] {
    std::size_t sum = bytes;
    for (const Draft& draft : drafts) sum += draft.bytes;
    return drafts.size() >= kMostOfHost || sum > kMostBytesOfHost;
  };
  if (is_too_much()) {
    std::erase_if(drafts, [&](const Draft& draft) { return has_begun(draft.run); });
  }
  if (is_too_much()) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "this host has begun ", drafts.size(),
        " runs without a job, as many as it may; submit their jobs, delete them, or wait a day"));
  }
  drafts.push_back({run, bytes});
  return absl::OkStatus();
}

}  // namespace twofold::frontend
