#include "cli/runs/attendance.h"

#include <absl/strings/str_cat.h>
#include <unistd.h>

#include <chrono>
#include <utility>

#include "cli/runs/local_run.h"

namespace twofold::cli {
namespace {

constexpr std::chrono::seconds kAnswerWithin{10};

}  // namespace

Result<std::unique_ptr<Attendance>> Attendance::Take(const Frontend& frontend,
                                                     const std::string& run) {
  auto stub = frontend.NewStub<v1::Results>();
  if (!stub.ok()) return stub.status();
  std::unique_ptr<Attendance> attendance(new Attendance(*std::move(stub)));
  frontend.Prepare(attendance->context_, Duration::zero());
  const grpc::Status status = attendance->Open(run);
  if (!status.ok()) return frontend.Explain(status);
  return attendance;
}

// What is under way has to end before the queue of events does.
Attendance::~Attendance() {
  context_.TryCancel();
  events_.Shutdown();
  void* tag = nullptr;
  for (bool ok = false; events_.Next(&tag, &ok);) {
  }
}

// One step is under way at a time, so events need no names. `in_order`: the step has succeeded.
bool Attendance::Happened(Deadline deadline, bool& in_order) {
  void* tag = nullptr;
  return events_.AsyncNext(&tag, &in_order, deadline) == grpc::CompletionQueue::GOT_EVENT;
}

// The frontend says once that the run is ours; what ends the stream before is why it is not.
grpc::Status Attendance::Open(const std::string& run) {
  const grpc::Status no_answer(grpc::StatusCode::DEADLINE_EXCEEDED, "");
  const Deadline deadline = std::chrono::system_clock::now() + kAnswerWithin;
  v1::AttendRunRequest request;
  request.set_id(run);
  request.set_who(absl::StrCat(HostName(), ", process ", getpid()));
  bool in_order = false;
  stream_ = stub_->AsyncAttendRun(&context_, request, &events_, nullptr);
  if (!Happened(deadline, in_order)) return no_answer;
  stream_->Read(&reply_, nullptr);
  if (!Happened(deadline, in_order)) return no_answer;
  if (in_order) {
    stream_->Read(&reply_, nullptr);
    return grpc::Status::OK;
  }
  grpc::Status status;
  stream_->Finish(&status, nullptr);
  return Happened(deadline, in_order) ? status : no_answer;
}

bool Attendance::lost() {
  bool in_order = false;
  while (!lost_ && Happened(std::chrono::system_clock::now(), in_order)) {
    lost_ = !in_order;
    if (!lost_) stream_->Read(&reply_, nullptr);
  }
  return lost_;
}

}  // namespace twofold::cli
