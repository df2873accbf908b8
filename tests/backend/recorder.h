#pragma once

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "backend/workload.h"

namespace twofold::backend {

/// Runs a workload on an io_context of the test's thread and keeps what it tells.
class Recorder {
 public:
  struct End {
    Instant at;
    v1::Outcome outcome;
    v1::Report report;
  };

  Recorder(boost::asio::io_context& io, Workload& workload) : io_(io), workload_(workload) {
    workload.SetOnEnd([this](Slot slot, Instant now, const RunEnd& end) {
      EXPECT_TRUE(ends_.emplace(slot, End{now, end.outcome, end.report}).second);
    });
  }

  void Start(Slot slot, const std::vector<std::string_view>& arguments) {
    workload_.Start(slot, Now(), arguments);
  }

  /// Runs until all `count` slots have ended; the io_context has nothing left to do then.
  void Await(std::size_t count) {
    while (ends_.size() < count && io_.run_one() > 0) {
    }
    EXPECT_EQ(ends_.size(), count);
  }

  [[nodiscard]] const std::map<Slot, End>& ends() const { return ends_; }

  /// Starts one run in slot 0 and waits for its end.
  End RunOne(const std::vector<std::string_view>& arguments = {}) {
    ends_.clear();
    Start(0, arguments);
    Await(1);
    return ends_.at(0);
  }

 private:
  boost::asio::io_context& io_;
  Workload& workload_;
  std::map<Slot, End> ends_;
};

}  // namespace twofold::backend
