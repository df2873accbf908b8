#include "tests/fuzz/client_peer.h"

#include <algorithm>

#include "lib/rpc/batches.h"
#include "tests/fuzz/target.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::fuzz {

ClientPeer::ClientPeer(Frontend& frontend)
    : call_(frontend.Submit([this](std::string_view bytes) { Take(bytes); })) {}

void ClientPeer::Send(std::string_view bytes) {
  if (!call_->reads()) return;
  v1::SubmitRequest request;
  const bool good = request.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) &&
                    rpc::Check(request).ok();
  if (good) {
    for (const std::uint64_t tag : request.tags()) ++due_[tag];
  }
  refused_ = refused_ || !good;
  call_->Receive(bytes);
}

void ClientPeer::Settle() {
  call_->Settle();
  if (!refused_) return;
  Require(gone(), "what is no batch ends the stream");
  Require(absl::IsInvalidArgument(call_->status()), "the client learns that it was its mistake");
}

void ClientPeer::Take(std::string_view bytes) {
  v1::SubmitReply reply;
  Require(reply.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())),
          "replies are messages");
  Require(rpc::Check(reply.results()).ok(), "replies have whole columns");
  Require(reply.accepted().tags_size() == reply.accepted().jobs_size(), "each tag has its job");
  rpc::ForEach(reply.results(), [this](const rpc::ResultRow& row) {
    Require(due_[row.tag]-- > 0, "a job ends once");
  });
}

void ClientPeer::Finish() {
  if (gone()) return;
  Require(std::all_of(due_.begin(), due_.end(), [](const auto& due) { return due.second == 0; }),
          "each job ends");
  HalfClose();
  call_->Settle();
  Require(gone() && call_->status().ok(), "a client that has all its answers leaves in order");
}

}  // namespace twofold::fuzz
