#include "backend/peers/exec_session.h"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <initializer_list>
#include <utility>

#include "backend/peers/exec_request.h"
#include "backend/workload/after.h"
#include "lib/process/environment.h"
#include "lib/rpc/parse.h"

namespace twofold::backend {
namespace {

Status OpenAll(std::initializer_list<process::Pipe*> pipes) {
  for (process::Pipe* pipe : pipes) {
    auto opened = process::OpenPipe();
    if (!opened.ok()) return opened.status();
    *pipe = *std::move(opened);
  }
  return absl::OkStatus();
}

Result<process::Program> ProgramOf(const v1::ExecStart& start, const ExecPlace& place) {
  process::Program program{{start.argv().begin(), start.argv().end()}};
  program.environment =
      process::Overlay(place.environment, {start.environment().begin(), start.environment().end()});
  program.directory = place.directory;
  auto path = FindOnPath(program.argv[0], process::ValueOf("PATH", program.environment));
  if (!path.ok()) return path.status();
  program.argv[0] = *std::move(path);
  return program;
}

std::string OutputMessage(bool is_err, std::string chunk) {
  v1::ExecOutput output;
  *(is_err ? output.mutable_err() : output.mutable_out()) = std::move(chunk);
  return output.SerializeAsString();
}

std::string ExitMessage(const KeptEnd& end) {
  v1::ExecOutput output;
  v1::ExecExit& exit = *output.mutable_exit();
  exit.set_code(end.exit_code);
  exit.set_signal(end.signal);
  exit.set_error(end.error);
  return output.SerializeAsString();
}

}  // namespace

ExecSession::ExecSession(boost::asio::io_context& io, std::string keeper, Admit admit,
                         Duration patience)
    : io_(io), keeper_(std::move(keeper)), admit_(std::move(admit)), patience_(patience) {}

// ---- The call, from its begin to its end

Task<> ExecSession::Run() {
  Result<v1::ExecStart> start = co_await ReadStart();
  if (!start.ok()) co_return Abandon(start.status());
  const Result<ExecPlace> place = admit_(start->member(), Self());
  if (!place.ok()) co_return Abandon(place.status());
  Task<Result<KeptEnd>> program = RunProgram(*std::move(start), *place);
  const Result<KeptEnd> end = co_await program;
  place->leave();
  if (!end.ok()) co_return Abandon(end.status());
  for (Output& output : outputs_) (void)co_await output.told;
  std::string exit = ExitMessage(*end);
  (void)co_await Write(exit);
  Finish(absl::OkStatus());
}

Task<Result<v1::ExecStart>> ExecSession::ReadStart() {
  boost::asio::steady_timer patience(io_);
  After(patience, patience_, WeakSelf(), [](ExecSession& session) {
    session.Abandon(absl::DeadlineExceededError("there is no start"));
  });
  std::optional<v1::ExecInput> first = co_await ReadInput();
  if (!first) co_return absl::InvalidArgumentError("there is no start");
  if (Status status = CheckFirst(*first); !status.ok()) co_return status;
  co_return std::move(*first->mutable_start());
}

// Nullopt: there are no further ones. One that is malformed ends the call.
Task<std::optional<v1::ExecInput>> ExecSession::ReadInput() {
  const std::optional<std::string> message = co_await Read();
  if (!message) co_return std::nullopt;
  v1::ExecInput input;
  if (Status status = rpc::Parse(*message, input); !status.ok()) {
    Abandon(status);
    co_return std::nullopt;
  }
  co_return input;
}

// How it ended, also when it could not be started.
// Errors   What the caller is told: it is no start.
Task<Result<KeptEnd>> ExecSession::RunProgram(v1::ExecStart start, const ExecPlace& place) {
  if (Status status = CheckStart(start); !status.ok()) co_return status;
  Once<KeptEnd> ended;
  if (Status status = StartProgram(std::move(start), place, ended); !status.ok()) {
    co_return KeptEnd{.error = std::string(status.message())};
  }
  for (Output& output : outputs_) BeginFlow(RelayOutput(output));
  BeginFlow(RelayInput());
  Result<KeptEnd> end = co_await ended;
  program_.reset();
  for (Output& output : outputs_) output.pipe->Finish();
  co_return end;
}

// Keeps nothing of `start`, which may be large.
Status ExecSession::StartProgram(v1::ExecStart start, const ExecPlace& place,
                                 Once<KeptEnd>& ended) {
  Result<process::Program> program = ProgramOf(start, place);
  if (!program.ok()) return program.status();
  process::Pipe in;
  process::Pipe out;
  process::Pipe err;
  if (Status status = OpenAll({&in, &out, &err}); !status.ok()) return status;
  program->in = in.read.get();
  program->out = out.write.get();
  program->err = err.write.get();
  auto kept = KeptProgram::Start(io_, keeper_, *std::move(program), GiveWhile(WeakSelf(), ended));
  if (!kept.ok()) return kept.status();
  program_ = *std::move(kept);
  in_ = std::make_shared<process::InputPipe>(io_, in.write.Release());
  outputs_.emplace_back(io_, out.read.Release(), false);
  outputs_.emplace_back(io_, err.read.Release(), true);
  return absl::OkStatus();
}

Task<> ExecSession::RelayInput() {
  for (;;) {
    std::optional<v1::ExecInput> input = co_await ReadInput();
    if (!input) break;
    if (Status status = CheckNext(*input); !status.ok()) co_return Abandon(status);
    Once<> taken;
    in_->Write(std::move(*input->mutable_data()), GiveWhile(WeakSelf(), taken));
    (void)co_await taken;
    if (input->close()) in_->Close();
  }
  in_->Close();
}

Task<> ExecSession::RelayOutput(Output& output) {
  for (;;) {
    Once<std::string> next;
    output.pipe->Next(GiveWhile(WeakSelf(), next));
    Result<std::string> chunk = co_await next;
    if (chunk->empty()) break;
    std::string message = OutputMessage(output.is_err, *std::move(chunk));
    (void)co_await Write(message);
  }
  output.told.Give(absl::OkStatus());
}

// ---- Ends from outside

void ExecSession::Stop() {
  if (program_) program_->Stop();
}

void ExecSession::Abandon(const Status& status) {
  Stop();
  if (in_) in_->Close();
  for (Output& output : outputs_) output.pipe->Close();
  Finish(status);
}

void ExecSession::OnGone() {
  boost::asio::post(
      io_, [self = Self()] { self->Abandon(absl::CancelledError("the caller has gone")); });
}

// ---- Where its flows go on: with whoever keeps the session, on the io_context

void ExecSession::Serve() {
  boost::asio::post(io_, [self = Self()] { self->BeginFlow(self->Run()); });
}

void ExecSession::GoOn(std::coroutine_handle<> waiter) {
  boost::asio::post(io_, [self = Self(), waiter] { waiter.resume(); });
}

void ExecSession::BeginFlow(Task<> flow) { flows_.emplace_back(std::move(flow)).Begin(); }

std::shared_ptr<ExecSession> ExecSession::Self() {
  return std::static_pointer_cast<ExecSession>(shared_from_this());
}

std::weak_ptr<ExecSession> ExecSession::WeakSelf() { return Self(); }

}  // namespace twofold::backend
