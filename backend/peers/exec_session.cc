#include "backend/peers/exec_session.h"

#include <boost/asio/post.hpp>
#include <initializer_list>
#include <utility>

#include "backend/peers/exec_request.h"
#include "backend/workload/after.h"
#include "lib/common/instant.h"
#include "lib/process/environment.h"
#include "lib/rpc/parse.h"

namespace twofold::backend {
namespace {

constexpr Duration kPatience = std::chrono::seconds(10);

Status OpenAll(std::initializer_list<process::Pipe*> pipes) {
  for (process::Pipe* pipe : pipes) {
    auto opened = process::OpenPipe();
    if (!opened.ok()) return opened.status();
    *pipe = *std::move(opened);
  }
  return absl::OkStatus();
}

}  // namespace

ExecSession::ExecSession(boost::asio::io_context& io, std::string keeper, Admit admit)
    : io_(io), keeper_(std::move(keeper)), admit_(std::move(admit)), patience_(io) {}

// ---- The stream

std::shared_ptr<ExecSession> ExecSession::Self() {
  return std::static_pointer_cast<ExecSession>(shared_from_this());
}

std::weak_ptr<ExecSession> ExecSession::WeakSelf() { return Self(); }

void ExecSession::OnBegin() {
  boost::asio::post(io_, [self = Self()] {
    After(self->patience_, kPatience, self->WeakSelf(), [](ExecSession& session) {
      session.Refuse(absl::DeadlineExceededError("there is no start"));
    });
    self->Read();
  });
}

// REQUIRES: what was read before has come; likewise of Write.
void ExecSession::Read() {
  if (!ended_) StartRead();
}

void ExecSession::Write(const v1::ExecOutput& output) {
  if (ended_) return;
  next_.Put(output.SerializeAsString());
  WantPull();
}

// The first call wins; what is being written may be lost.
void ExecSession::EndStream(const Status& status) {
  if (!std::exchange(ended_, true)) Finish(status);
}

void ExecSession::Abandon(const Status& status) {
  EndStream(status);
  Gone();
}

void ExecSession::OnRead(std::string_view bytes) {
  boost::asio::post(io_, [self = Self(), bytes = std::string(bytes)] { self->TakeBytes(bytes); });
}

void ExecSession::OnReadEnd() {
  boost::asio::post(io_, [self = Self()] {
    if (!self->gone_) self->HalfClosed();
  });
}

void ExecSession::Pull(h2::MessageWriter& out) {
  if (!next_.Pull(out)) return;
  boost::asio::post(io_, [self = Self()] {
    if (!self->gone_) self->Written();
  });
}

// Not here: a Read or Write that begins meanwhile would be one after the end.
void ExecSession::OnCancel() {
  boost::asio::post(
      io_, [self = Self()] { self->Abandon(absl::CancelledError("the caller has gone")); });
}

void ExecSession::OnDone() {
  boost::asio::post(io_, [self = Self()] { self->Gone(); });
}

// ---- What the caller says

// A malformed message ends the stream.
void ExecSession::TakeBytes(std::string_view bytes) {
  if (gone_) return;
  v1::ExecInput input;
  if (Status status = rpc::Parse(bytes, input); !status.ok()) return EndStream(status);
  if (!started_) return TakeStart(input);
  if (Status status = CheckNext(input); !status.ok()) return Refuse(status);
  Feed(input);
}

void ExecSession::HalfClosed() {
  if (in_) in_->Close();
  if (!started_) Refuse(absl::InvalidArgumentError("there is no start"));
}

void ExecSession::TakeStart(const v1::ExecInput& input) {
  patience_.cancel();
  if (Status status = CheckFirst(input); !status.ok()) return Refuse(status);
  Result<ExecPlace> place = admit_(input.start().member(), Self());
  if (!place.ok()) return Refuse(place.status());
  started_ = true;
  leave_ = std::move(place->leave);
  if (Status status = CheckStart(input.start()); !status.ok()) {
    Refuse(status);
    return Leave();
  }
  if (Status status = Start(input.start(), *place); !status.ok()) {
    TellExit({0, 0, std::string(status.message())});
    return Leave();
  }
  out_->Next();
  err_->Next();
  Read();
}

Status ExecSession::Start(const v1::ExecStart& start, const ExecPlace& place) {
  process::Program program{{start.argv().begin(), start.argv().end()}};
  program.environment =
      process::Overlay(place.environment, {start.environment().begin(), start.environment().end()});
  program.directory = place.directory;
  const auto path = FindOnPath(program.argv[0], process::ValueOf("PATH", program.environment));
  if (!path.ok()) return path.status();
  program.argv[0] = *path;
  process::Pipe in;
  process::Pipe out;
  process::Pipe err;
  if (Status status = OpenAll({&in, &out, &err}); !status.ok()) return status;
  program.in = in.read.get();
  program.out = out.write.get();
  program.err = err.write.get();
  auto kept =
      KeptProgram::Start(io_, keeper_, std::move(program), [weak = WeakSelf()](KeptEnd end) {
        if (const auto self = weak.lock()) self->Ended(std::move(end));
      });
  if (!kept.ok()) return kept.status();
  program_ = *std::move(kept);
  in_ = std::make_shared<process::InputPipe>(io_, in.write.Release());
  const auto make = [this](int descriptor, bool is_err) {
    return std::make_shared<process::OutputPipe>(io_, descriptor,
                                                 [weak = WeakSelf(), is_err](std::string chunk) {
                                                   if (const auto self = weak.lock())
                                                     self->TakeChunk(is_err, std::move(chunk));
                                                 });
  };
  out_ = make(out.read.Release(), false);
  err_ = make(err.read.Release(), true);
  open_outputs_ = 2;
  return absl::OkStatus();
}

// The next message is read when the program has taken this one.
void ExecSession::Feed(const v1::ExecInput& input) {
  const auto go_on = [self = Self(), close = input.close()] {
    if (close) self->in_->Close();
    self->Read();
  };
  if (input.data().empty()) return go_on();
  in_->Write(input.data(), go_on);
}

void ExecSession::Stop() {
  if (program_) program_->Stop();
}

// ---- What the program says

void ExecSession::TakeChunk(bool is_err, std::string chunk) {
  if (chunk.empty()) {
    --open_outputs_;
    return TellExitIfDone();
  }
  Output& output = waiting_.emplace_back();
  output.from = is_err ? err_ : out_;
  *(is_err ? output.message.mutable_err() : output.message.mutable_out()) = std::move(chunk);
  SendNext();
}

void ExecSession::SendNext() {
  if (writing_ || waiting_.empty()) return;
  writing_ = true;
  Write(waiting_.front().message);
}

void ExecSession::Written() {
  writing_ = false;
  const std::shared_ptr<process::OutputPipe> from = std::move(waiting_.front().from);
  waiting_.pop_front();
  if (!from) return EndStream(absl::OkStatus());
  from->Next();
  SendNext();
  TellExitIfDone();
}

void ExecSession::Ended(KeptEnd end) {
  end_ = std::move(end);
  program_.reset();
  out_->Finish();
  err_->Finish();
  TellExitIfDone();
  Leave();
}

void ExecSession::TellExitIfDone() {
  if (end_ && open_outputs_ == 0 && waiting_.empty()) TellExit(*end_);
}

void ExecSession::TellExit(const KeptEnd& end) {
  if (std::exchange(told_exit_, true)) return;
  v1::ExecExit& exit = *waiting_.emplace_back().message.mutable_exit();
  exit.set_code(end.exit_code);
  exit.set_signal(end.signal);
  exit.set_error(end.error);
  SendNext();
}

// ---- Ends

void ExecSession::Refuse(const Status& why) {
  Stop();
  EndStream(why);
}

void ExecSession::Gone() {
  if (std::exchange(gone_, true)) return;
  patience_.cancel();
  told_exit_ = true;  // nobody hears it
  Stop();
  if (in_) in_->Close();
  if (out_) out_->Close();
  if (err_) err_->Close();
}

void ExecSession::Leave() {
  if (leave_) std::exchange(leave_, nullptr)();
}

}  // namespace twofold::backend
