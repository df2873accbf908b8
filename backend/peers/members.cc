#include "backend/peers/members.h"

#include <absl/strings/str_cat.h>
#include <openssl/crypto.h>
#include <spdlog/spdlog.h>

#include <utility>

#include "lib/rpc/channel.h"
#include "lib/rpc/limits.h"

namespace twofold::backend {
namespace {

constexpr std::size_t kEnvelopeBytes = 1024;  // of a message, around what it carries

}  // namespace

bool IsSecret(std::string_view shown, std::string_view secret) {
  return secret.size() == kSecretBytes && shown.size() == kSecretBytes &&
         CRYPTO_memcmp(shown.data(), secret.data(), kSecretBytes) == 0;
}

void Members::Announce(const MemberId& id, Announced announced) {
  entries_.insert_or_assign(id, std::make_shared<Entry>(io_, std::move(announced)));
}

void Members::Withdraw(const MemberId& id, std::function<void()> on_gone) {
  const auto found = entries_.find(id);
  if (found == entries_.end()) return on_gone();
  Entry& entry = *found->second;
  entry.on_gone = std::move(on_gone);
  for (const auto& weak : std::exchange(entry.asked, {})) {
    const auto reply = weak.lock();
    if (reply) reply->Fail({grpc::StatusCode::UNAVAILABLE, "the attempt is over"});
  }
  if (entry.sessions.empty()) return Go(id);
  for (const auto& session : entry.sessions) session->Stop();
  entry.patience.expires_after(kPatience);
  entry.patience.async_wait([this, id](const boost::system::error_code& error) {
    if (error) return;
    spdlog::error("programs of job {} cannot be killed, they are left to themselves", id.gang.job);
    Go(id);
  });
}

void Members::Left(const MemberId& id, const std::shared_ptr<ExecSession>& session) {
  const auto found = entries_.find(id);
  if (found == entries_.end()) return;
  found->second->sessions.erase(session);
  if (found->second->on_gone && found->second->sessions.empty()) Go(id);
}

void Members::Go(const MemberId& id) {
  const std::shared_ptr<Entry> entry = entries_.extract(id).mapped();
  entry->patience.cancel();
  entry->on_gone();
}

Result<Members::Entry*> Members::Find(const v1::MemberKey& key) {
  const auto found = entries_.find(IdOf(key));
  const bool is_ours = found != entries_.end();
  const std::string nobodys(kSecretBytes, '\0');
  const std::string& secret = is_ours ? found->second->announced.secret : nobodys;
  if (!IsSecret(key.secret(), secret) || !is_ours) {
    if (const auto left_out = refusals_.Admit(Now())) {
      spdlog::warn("peers: turned away a call that is not of an attempt here{}", *left_out);
    }
    return absl::UnauthenticatedError("");
  }
  if (found->second->on_gone) return absl::UnavailableError("the attempt is over");
  return found->second.get();
}

Result<ExecPlace> Members::Admit(const v1::MemberKey& key,
                                 const std::shared_ptr<ExecSession>& session) {
  const Result<Entry*> entry = Find(key);
  if (!entry.ok()) return entry.status();
  const Announced& announced = (*entry)->announced;
  if (!announced.serves_exec) {
    return absl::UnavailableError("this member runs no programs for others");
  }
  if ((*entry)->sessions.size() >= kMostPrograms) {
    return absl::ResourceExhaustedError(
        absl::StrCat("this member runs ", kMostPrograms, " programs for others already"));
  }
  (*entry)->sessions.insert(session);
  return ExecPlace{announced.environment, announced.directory,
                   [this, id = IdOf(key), weak = std::weak_ptr(session)] {
                     if (const auto left = weak.lock()) Left(id, left);
                   }};
}

void Members::Collect(const v1::CollectRequest& request, const CollectCall::Pointer& reply) {
  const Result<Entry*> entry = Find(request.member());
  if (!entry.ok()) return reply->Fail(rpc::ToGrpc(entry.status()));
  std::erase_if((*entry)->asked, [](const auto& weak) { return weak.expired(); });
  (*entry)->asked.push_back(reply);
  (*entry)->announced.member->Collect(request.stop(), [reply](v1::RankRecord record) {
    v1::CollectReply message;
    *message.mutable_rank() = std::move(record);
    const std::size_t bytes = message.ByteSizeLong();
    if (bytes + kEnvelopeBytes <= rpc::kMaxMessageBytes) return reply->Answer(message);
    reply->Fail({grpc::StatusCode::RESOURCE_EXHAUSTED,
                 absl::StrCat("its record has ", bytes, " bytes, too many for one message")});
  });
}

}  // namespace twofold::backend
