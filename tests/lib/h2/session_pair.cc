#include "tests/lib/h2/session_pair.h"

#include <utility>

namespace twofold::h2 {

ServingSession::ServingSession(const Limits& limits, const Budgets& budgets, bool keep_frames)
    : limits_(limits),
      ledger_(budgets),
      account_(std::make_unique<Account>(ledger_, "host", [](std::string_view) {})) {
  auto made = Session::Make({.limits = limits_,
                             .account = *account_,
                             .on_output = [this] { dirty_ = true; },
                             .serve = [this](Stream& stream) { return Serve(stream); },
                             .keep_frames = keep_frames},
                            now_);
  if (made.ok()) session_ = *std::move(made);
}

ServingSession::~ServingSession() {
  if (session_ != nullptr) session_->Close("the test is over");
  session_.reset();
  EXPECT_EQ(account_->held(), 0U) << "what was charged is given back";
}

Result<std::shared_ptr<End>> ServingSession::Serve(Stream& stream) {
  if (serve) return serve(stream);
  auto end = std::make_shared<RecordingEnd>();
  end->stream = &stream;
  ends_.push_back(end);
  if (on_call) on_call(*end);
  return std::shared_ptr<End>(std::move(end));
}

std::string ServingSession::Give(std::string_view bytes) {
  if (session_->broken().ok()) static_cast<void>(session_->Receive(bytes, now_));
  return Take();
}

std::string ServingSession::Take() {
  Outgoing all;
  for (Outgoing some; dirty_;) {
    some.bytes.clear();
    session_->Collect(some, now_);
    if (some.bytes.empty()) dirty_ = false;
    all.bytes += some.bytes;
  }
  return all.bytes;
}

void ServingSession::Pass(Duration time) {
  now_ += time;
  if (session_->NextDue() <= now_) session_->OnDue(now_);
}

SessionPair::SessionPair(const Limits& callers, const Limits& serving)
    : limits_(callers),
      account_(std::make_unique<Account>(ledger_, "server", [](std::string_view) {})),
      caller_(*Session::Make(
          {.limits = limits_, .account = *account_, .on_output = {}, .serve = {}}, now_)),
      server_(serving) {}

SessionPair::~SessionPair() {
  caller_->Close("the test is over");
  caller_.reset();
  EXPECT_EQ(account_->held(), 0U) << "what was charged is given back";
}

std::shared_ptr<RecordingEnd> SessionPair::Call(const CallOptions& options) {
  auto end = std::make_shared<RecordingEnd>();
  const Result<Stream*> stream = caller_->Call(options, end, now_);
  if (stream.ok()) {
    end->stream = *stream;
  } else {
    end->ended = stream.status();
  }
  return end;
}

void SessionPair::Carry() {
  for (;;) {
    Outgoing out;
    caller_->Collect(out, now_);
    const std::string answer = out.bytes.empty() ? server_.Take() : server_.Give(out.bytes);
    if (!answer.empty() && caller_->broken().ok()) {
      static_cast<void>(caller_->Receive(answer, now_));
    } else if (out.bytes.empty()) {
      return;
    }
  }
}

void SessionPair::Pass(Duration time) {
  now_ += time;
  server_.Pass(time);
  if (caller_->NextDue() <= now_) caller_->OnDue(now_);
}

}  // namespace twofold::h2
