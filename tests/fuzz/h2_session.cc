// One HTTP/2 connection, in either role, from its greeting on: the peer's frames, time that passes,
// and what services and callers do with their calls meanwhile.

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/h2/account.h"
#include "lib/h2/session.h"
#include "tests/fuzz/target.h"

namespace twofold::fuzz {
namespace {

using h2::Metadata;
using h2::Session;
using h2::Stream;

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
constexpr int kMostCollects = 1000;  // for one step: what is to be written has an end

/// What is left of the input.
class Input {
 public:
  explicit Input(std::string_view bytes) : rest_(bytes) {}
  [[nodiscard]] bool empty() const { return rest_.empty(); }
  std::uint8_t Byte() {
    if (rest_.empty()) return 0;
    const char first = rest_.front();
    rest_.remove_prefix(1);
    return static_cast<std::uint8_t>(first);
  }
  std::string_view Take(std::size_t most) {
    const std::string_view taken = rest_.substr(0, most);
    rest_.remove_prefix(taken.size());
    return taken;
  }

 private:
  std::string_view rest_;
};

/// A frame's head, and what follows.
std::string Frame(std::uint8_t type, std::uint8_t flags, std::uint8_t stream,
                  std::string_view payload) {
  const auto size = static_cast<std::uint16_t>(payload.size());
  const std::array<std::uint8_t, 9> head = {0,
                                            static_cast<std::uint8_t>(size >> 8),
                                            static_cast<std::uint8_t>(size),
                                            type,
                                            flags,
                                            0,
                                            0,
                                            0,
                                            stream};
  return std::string(reinterpret_cast<const char*>(head.data()), head.size()).append(payload);
}

/// Sends a few messages when it is asked to; checks what it is told.
class Call final : public h2::End {
 public:
  void OnMessage(std::string_view bytes) override {
    Require(!ended_, "nothing is told after the end");
    Require(bytes.size() <= h2::Limits().message_bytes, "no message is larger than one may be");
  }
  void OnHalfClosed() override {
    Require(!std::exchange(half_closed_, true), "the last message is the last one");
  }
  void Pull(h2::MessageWriter& out) override {
    for (; to_send_ > 0 && !out.full(); --to_send_) out.Add(std::string(3000, 'm'));
  }
  void OnEnd(const Status&, const Metadata&) override {
    Require(!std::exchange(ended_, true), "a call ends once");
    stream_ = nullptr;
  }

  void Begin(Stream* stream) { stream_ = stream; }
  [[nodiscard]] Stream* stream() const { return stream_; }
  [[nodiscard]] bool ended() const { return ended_; }
  void Send(int messages) {
    to_send_ += messages;
    stream_->WantPull();
  }

 private:
  Stream* stream_ = nullptr;
  int to_send_ = 0;
  bool half_closed_ = false;
  bool ended_ = false;
};

class Connection {
 public:
  explicit Connection(bool serves) {
    Session::Options options{
        .limits = limits_, .account = *account_, .on_output = [] {}, .serve = {}};
    if (serves) options.serve = [this](Stream& stream) { return Serve(stream); };
    session_ = *Session::Make(std::move(options), now_);
    Give(serves ? std::string(kPreface) + Frame(4, 0, 0, "") : Frame(4, 0, 0, ""));
  }
  ~Connection() {
    session_->Close("the input has ended");
    for (const auto& call : calls_) Require(call->ended(), "each call ends");
    session_.reset();
    Require(account_->held() == 0, "what was charged is given back");
  }

  void Give(std::string_view bytes) {
    if (session_->broken().ok()) static_cast<void>(session_->Receive(bytes, now_));
    Collect();
  }
  void Pass(Duration time) {
    now_ += time;
    if (session_->NextDue() <= now_) session_->OnDue(now_);
    Collect();
  }
  void Drain() {
    session_->Drain(now_);
    Collect();
  }
  void Begin(bool has_deadline) {
    if (session_->serves()) return;
    const auto call = std::make_shared<Call>();
    h2::CallOptions options{.path = "/a.B/C", .metadata = {{"key", "value"}}};
    if (has_deadline) options.deadline = now_ + std::chrono::seconds(1);
    const Result<Stream*> stream = session_->Call(options, call, now_);
    if (stream.ok()) Add(call, *stream);
    Collect();
  }

  /// The call that is meant; null: it is over, or was never there.
  Call* Of(std::uint8_t number) {
    if (calls_.empty()) return nullptr;
    Call* const call = calls_[number % calls_.size()].get();
    return call->stream() == nullptr ? nullptr : call;
  }
  void Collect() {
    for (int i = 0; i < kMostCollects; ++i) {
      h2::Outgoing out;
      session_->Collect(out, now_);
      if (out.bytes.empty()) return;
    }
    Require(false, "what is to be written has an end");
  }
  [[nodiscard]] bool serves() const { return session_->serves(); }

 private:
  Result<std::shared_ptr<h2::End>> Serve(Stream& stream) {
    if (stream.path().ends_with("no")) return absl::UnimplementedError("there is no such method");
    const auto call = std::make_shared<Call>();
    Add(call, &stream);
    return std::shared_ptr<h2::End>(call);
  }
  void Add(const std::shared_ptr<Call>& call, Stream* stream) {
    call->Begin(stream);
    calls_.push_back(call);
  }

  const h2::Limits limits_;
  h2::Ledger ledger_{h2::Budgets()};
  std::unique_ptr<h2::Account> account_ =
      std::make_unique<h2::Account>(ledger_, "host", [](std::string_view) {});
  Instant now_{};
  std::vector<std::shared_ptr<Call>> calls_;
  std::unique_ptr<Session> session_;
};

// ---- what a byte of the input means

using Step = void (*)(Connection& connection, Input& input);

void GiveBytes(Connection& connection, Input& input) { connection.Give(input.Take(input.Byte())); }

void GiveFrame(Connection& connection, Input& input) {
  const std::uint8_t type = input.Byte() % 12;
  const std::uint8_t flags = input.Byte();
  const std::uint8_t stream = input.Byte() % 16;
  connection.Give(Frame(type, flags, stream, input.Take(input.Byte())));
}

void Begin(Connection& connection, Input& input) { connection.Begin(input.Byte() % 2 == 1); }

void Pass(Connection& connection, Input& input) {
  connection.Pass(std::chrono::milliseconds(100) * input.Byte());
}

template <typename Act>
void WithCall(Connection& connection, Input& input, const Act& act) {
  Call* const call = connection.Of(input.Byte());
  if (call != nullptr) act(*call, *call->stream());
  connection.Collect();
}

void Send(Connection& connection, Input& input) {
  const int messages = input.Byte();
  WithCall(connection, input, [&](Call& call, Stream&) { call.Send(messages); });
}

void Pause(Connection& connection, Input& input) {
  WithCall(connection, input, [](Call&, Stream& stream) { stream.Pause(); });
}

void Resume(Connection& connection, Input& input) {
  WithCall(connection, input, [](Call&, Stream& stream) { stream.Resume(); });
}

void Cancel(Connection& connection, Input& input) {
  WithCall(connection, input, [](Call&, Stream& stream) { stream.Cancel(); });
}

void End(Connection& connection, Input& input) {
  WithCall(connection, input, [&](Call&, Stream& stream) {
    connection.serves() ? stream.Finish(absl::OkStatus()) : stream.HalfClose();
  });
}

void Drain(Connection& connection, Input&) { connection.Drain(); }

constexpr std::array<Step, 10> kSteps = {&GiveBytes, &GiveFrame, &Begin,  &Pass, &Send,
                                         &Pause,     &Resume,    &Cancel, &End,  &Drain};

/// The first byte says which role is tried; then each step has a byte that names it.
void Run(Input input) {
  Connection connection(input.Byte() % 2 == 0);
  while (!input.empty()) kSteps[input.Byte() % kSteps.size()](connection, input);
}

}  // namespace
}  // namespace twofold::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  twofold::fuzz::Run(twofold::fuzz::Input(twofold::fuzz::Bytes(data, size)));
  return 0;
}
