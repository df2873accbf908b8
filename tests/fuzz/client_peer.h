#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "tests/fuzz/frontend.h"

namespace twofold::fuzz {

/// A client that may send anything, and counts what it is owed: one end for each job it has sent.
class ClientPeer {
 public:
  explicit ClientPeer(Frontend& frontend);

  /// Sends one message, if the stream still accepts any.
  void Send(std::string_view bytes);
  void HalfClose() { call_->HalfClose(); }
  void Break() { call_->Break(); }

  /// Reads all that has arrived.
  void Settle();

  [[nodiscard]] bool gone() const { return call_->ended(); }

  /// REQUIRES: all jobs have ended, and all was read. Closes the stream.
  void Finish();

 private:
  void Take(std::string_view bytes);

  std::map<std::uint64_t, int> due_;  // how many ends it is still owed, by tag
  bool refused_ = false;              // it sent something that is no batch
  std::unique_ptr<FakeCall> call_;
};

}  // namespace twofold::fuzz
