#pragma once

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/workload/workload.h"

namespace twofold::backend {

/// Runs a workload on an io_context of the test's thread and keeps what it tells.
class Recorder final : private Workload::Listener {
 public:
  struct End {
    Instant at;
    v1::Outcome outcome;
    v1::Report report;
  };

  Recorder(boost::asio::io_context& io, Workload& workload) : io_(io), workload_(workload) {
    workload.SetListener(*this);
  }

  void Start(Slot slot, const std::vector<std::string_view>& arguments,
             const GangSeat* gang = nullptr) {
    workload_.Start(slot, Now(), {{slot, 1}, arguments, gang});
  }

  /// Runs until all `count` slots have ended; the io_context has nothing left to do then.
  void Await(std::size_t count) {
    io_.restart();  // it may have had nothing to do for a while
    while (ends_.size() < count && io_.run_one() > 0) {
    }
    EXPECT_EQ(ends_.size(), count);
  }

  /// Runs until `condition()` holds. REQUIRES: something goes on that will make it so.
  template <typename Condition>
  void AwaitThat(Condition&& condition) {
    io_.restart();
    while (!condition() && io_.run_one() > 0) {
    }
    EXPECT_TRUE(condition());
  }

  [[nodiscard]] const std::map<Slot, End>& ends() const { return ends_; }
  [[nodiscard]] const std::set<Slot>& ready() const { return ready_; }
  [[nodiscard]] const std::vector<process::ProgressLine>& progress() const { return progress_; }
  [[nodiscard]] const std::string& printed() const { return printed_; }

  /// Starts one run in slot 0 and waits for its end.
  End RunOne(const std::vector<std::string_view>& arguments = {}) {
    ends_.clear();
    Start(0, arguments);
    Await(1);
    return ends_.at(0);
  }

 private:
  void OnEnd(Slot slot, Instant now, RunEnd end) override {
    EXPECT_TRUE(
        ends_.emplace(slot, End{now, end.outcome, end.report.value_or(v1::Report())}).second);
  }
  void OnReady(Slot slot) override { EXPECT_TRUE(ready_.insert(slot).second); }
  void OnProgress(Slot, process::ProgressLine line) override {
    progress_.push_back(std::move(line));
  }
  void OnOutput(Slot, std::string_view bytes) override { printed_ += bytes; }

  boost::asio::io_context& io_;
  Workload& workload_;
  std::map<Slot, End> ends_;
  std::set<Slot> ready_;
  std::vector<process::ProgressLine> progress_;
  std::string printed_;
};

}  // namespace twofold::backend
