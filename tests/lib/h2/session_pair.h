#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/common/instant.h"
#include "lib/h2/account.h"
#include "lib/h2/session.h"
#include "tests/support/googletest.h"

namespace twofold::h2 {

/// Remembers what it is told, and sends what it is given.
class RecordingEnd final : public End {
 public:
  void OnMessage(std::string_view bytes) override {
    messages.emplace_back(bytes);
    if (on_message) on_message();
  }
  void OnHalfClosed() override {
    half_closed = true;
    if (on_half_closed) on_half_closed();
  }
  void Pull(MessageWriter& out) override {
    ++pulls;
    for (; !to_send.empty() && !out.full(); to_send.pop_front()) out.Add(to_send.front());
    if (on_pull) std::exchange(on_pull, nullptr)();
  }
  void OnEnd(const Status& status, const Metadata& trailers) override {
    EXPECT_FALSE(ended) << "it ended before: " << *ended;
    ended = status;
    trailers_came = trailers;
    stream = nullptr;
  }

  void Send(std::string message) {
    to_send.push_back(std::move(message));
    if (stream != nullptr) stream->WantPull();
  }

  Stream* stream = nullptr;
  std::vector<std::string> messages;
  std::deque<std::string> to_send;
  int pulls = 0;
  bool half_closed = false;
  std::optional<Status> ended;
  Metadata trailers_came;
  std::function<void()> on_message;
  std::function<void()> on_half_closed;
  std::function<void()> on_pull;  // once
};

/// A session that serves, with what a loop would have for it. Time moves when a test says so.
class ServingSession {
 public:
  explicit ServingSession(const Limits& limits = {}, const Budgets& budgets = {},
                          bool keep_frames = false);
  ~ServingSession();

  /// Gives it bytes, and returns what it answers; "" once it is broken or over.
  std::string Give(std::string_view bytes);
  /// What it has to say by itself.
  std::string Take();
  /// Lets time pass, and calls what is due.
  void Pass(Duration time);

  /// Serves each call by an end of its own: the newest is the last.
  [[nodiscard]] RecordingEnd& end(std::size_t index) const { return *ends_.at(index); }
  [[nodiscard]] RecordingEnd& end() const { return *ends_.back(); }
  [[nodiscard]] std::size_t calls() const { return ends_.size(); }
  /// Calls to which no end was given yet (and no OnEnd) must not be kept for a count of memory.
  void Forget() { ends_.clear(); }

  Session& operator*() { return *session_; }
  Session* operator->() { return session_.get(); }
  [[nodiscard]] std::size_t held() const { return account_->held(); }
  [[nodiscard]] Instant now() const { return now_; }
  [[nodiscard]] bool is_dirty() const { return dirty_; }

  std::function<Result<std::shared_ptr<End>>(Stream&)> serve;  ///< empty: a RecordingEnd
  std::function<void(RecordingEnd&)> on_call;

 private:
  Result<std::shared_ptr<End>> Serve(Stream& stream);

  const Limits limits_;
  Ledger ledger_;
  std::unique_ptr<Account> account_;
  std::vector<std::shared_ptr<RecordingEnd>> ends_;
  Instant now_{std::chrono::hours(1)};
  bool dirty_ = false;
  std::unique_ptr<Session> session_;
};

/// A caller's session and the one that serves it, without anything between them.
class SessionPair {
 public:
  explicit SessionPair(const Limits& callers = {}, const Limits& serving = {});
  ~SessionPair();

  /// Begins a call, and does not carry anything.
  std::shared_ptr<RecordingEnd> Call(const CallOptions& options = {.path = "/test.Echo/Call"});

  /// Carries bytes to and fro until nobody has anything to say.
  void Carry();

  [[nodiscard]] Session& caller() { return *caller_; }
  [[nodiscard]] ServingSession& server() { return server_; }
  [[nodiscard]] std::size_t caller_held() const { return account_->held(); }
  void Pass(Duration time);

 private:
  const Limits limits_;
  Ledger ledger_{Budgets{}};
  std::unique_ptr<Account> account_;
  Instant now_{std::chrono::hours(1)};
  std::unique_ptr<Session> caller_;
  ServingSession server_;
};

}  // namespace twofold::h2
