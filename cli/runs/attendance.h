#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "cli/queues/frontend.h"
#include "lib/common/result.h"
#include "twofold/v1/runs.grpc.pb.h"

namespace twofold::cli {

/// As long as it lives nobody else looks after the run: the frontend sees to that, by a stream that
/// stays open.
///
/// Threads  Not thread-safe.
class Attendance {
 public:
  /// Blocks until the frontend has answered.
  /// Errors   kAlreadyExists: who looks after it. Those of the frontend.
  static Result<std::unique_ptr<Attendance>> Take(const Frontend& frontend, const std::string& run);
  ~Attendance();
  Attendance(const Attendance&) = delete;
  Attendance& operator=(const Attendance&) = delete;

  /// The frontend has gone, maybe come again: take it anew.
  [[nodiscard]] bool lost();

 private:
  using Deadline = std::chrono::system_clock::time_point;

  explicit Attendance(std::unique_ptr<v1::Results::Stub> stub) : stub_(std::move(stub)) {}
  grpc::Status Open(const std::string& run);
  bool Happened(Deadline deadline, bool& in_order);

  const std::unique_ptr<v1::Results::Stub> stub_;
  grpc::ClientContext context_;
  grpc::CompletionQueue events_;
  v1::AttendRunReply reply_;
  std::unique_ptr<grpc::ClientAsyncReader<v1::AttendRunReply>> stream_;
  bool lost_ = false;
};

}  // namespace twofold::cli
