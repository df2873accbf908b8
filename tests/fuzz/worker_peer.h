#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/frontend.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::fuzz {

/// A worker process that may send anything. Checks what it is given against the promises to
/// workers: tokens come once, never more attempts than slots.
class WorkerPeer {
 public:
  WorkerPeer(Frontend& frontend, std::uint64_t process_key);

  /// Sends one message as it is, if the stream still accepts any.
  void Send(std::string_view bytes);

  /// The same, but job numbers under 64 stand for attempts that this worker was given (0: the
  /// newest), so that a fuzzer need not guess ids.
  void SendAboutMine(std::string_view bytes);

  /// Joins as a well-behaved worker does that holds no attempts.
  void Join(const std::string& queue, std::uint32_t slots);
  /// Ends all its attempts, as a well-behaved worker does.
  void AnswerAll(v1::Outcome outcome, bool handed_back);

  void HalfClose() { call_->HalfClose(); }
  void Break() { call_->Break(); }
  /// Reads all that has arrived.
  void Settle() { call_->Settle(); }
  [[nodiscard]] bool gone() const { return call_->ended(); }

 private:
  void Take(std::string_view bytes);
  void TakeAssigns(const v1::AssignBatch& batch);
  void Note(const v1::WorkerMessage& message);
  [[nodiscard]] std::uint64_t Mine(std::uint64_t job) const;

  Frontend& frontend_;
  const std::uint64_t process_key_;
  std::vector<queue::Held> given_;
  std::set<queue::Held> unanswered_;
  std::uint32_t slots_ = 0;  // 0: not joined, or with attempts of an earlier stream
  bool joined_ = false;
  std::unique_ptr<FakeCall> call_;
};

}  // namespace twofold::fuzz
