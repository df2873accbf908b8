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

  /// One message, if the stream takes any.
  void Send(std::string_view bytes);
  void HalfClose() { call_->HalfClose(); }
  void Break() { call_->Break(); }

  /// Reads what has come.
  void Settle();

  [[nodiscard]] bool gone() const { return call_->ended(); }

  /// REQUIRES: all jobs have ended, and all was read. Closes the stream.
  void Finish();

 private:
  void Take(const std::string& bytes);

  std::map<std::uint64_t, int> due_;  // ends that have not come, by tag
  bool refused_ = false;              // it has sent what is no batch
  std::unique_ptr<FakeCall> call_;
};

}  // namespace twofold::fuzz
