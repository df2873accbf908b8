// The session alone, with a wire that a test pulls and an io_context that it turns: at which moment
// a call ends is the test's.

#include "backend/peers/exec_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/h2/message.h"
#include "tests/support/program.h"

namespace twofold::backend {
namespace {

using ::testing::HasSubstr;

class ExecWire final : public rpc::Wire {
 public:
  void Read() override { ++reads; }
  void WantPull() override {}
  void Finish(Status status, h2::Metadata) override {
    if (!finished) finished = std::move(status);
  }
  void BreakOff() override {}
  void After(Duration, std::function<void()>) override {}
  void HandOver(std::shared_ptr<rpc::ByteStream>, std::optional<std::string>) override {}

  int reads = 0;
  std::optional<Status> finished;
};

class ExecSessionTest : public ::testing::Test {
 protected:
  ExecSessionTest() {
    std::signal(SIGPIPE, SIG_IGN);
    Renew();
  }

  /// As if the one before had not been.
  void Renew(Duration patience = ExecSession::kPatience) {
    std::filesystem::remove(folder_ / "pid");
    kept_.reset();
    stream_.reset();
    left_ = 0;
    io_ = std::make_unique<boost::asio::io_context>(1);
    wire_ = std::make_shared<ExecWire>();
    session_ = std::make_shared<ExecSession>(
        *io_, TWOFOLD_BIN "/twofold-keeper",
        [this](const v1::MemberKey&, const std::shared_ptr<ExecSession>& session) {
          kept_ = session;  // as Peers does
          return ExecPlace{{}, folder_ / "", [this] {
                             ++left_;
                             kept_.reset();
                           }};
        },
        patience);
    stream_ = session_;
    weak_ = session_;
  }

  /// Turns the io_context until it holds.
  template <typename Holds>
  void TurnUntil(Holds holds) {
    io_->restart();
    const Instant end = Now() + std::chrono::seconds(20);
    while (!holds() && Now() < end) io_->run_one_for(std::chrono::milliseconds(5));
    EXPECT_TRUE(holds());
  }

  void Begin() {
    stream_->Begin(wire_);
    TurnUntil([this] { return wire_->reads == 1; });
  }
  void Say(const v1::ExecInput& input) { stream_->OnRead(input.SerializeAsString()); }
  void SayData() {
    v1::ExecInput input;
    input.set_data(std::string(process::kChunkBytes, 'x'));
    Say(input);
  }
  /// The call's, whose program says its number in the file "pid" and goes on with `text`.
  void SayStart(const std::string& text) {
    v1::ExecInput input;
    for (const std::string& word :
         {std::string("sh"), std::string("-c"), "echo $$ >" + (folder_ / "pid") + "; " + text}) {
      input.mutable_start()->add_argv(word);
    }
    Say(input);
  }
  void StartProgram(const std::string& text) {
    Begin();
    SayStart(text);
    TurnUntil([this] { return wire_->reads == 2 && Pid() > 0; });
  }
  /// The first chunk fills the program's pipe.
  void StartProgramThatTakesNoInput() {
    StartProgram("exec sleep 600");
    SayData();
    TurnUntil([this] { return wire_->reads == 3; });
    SayData();
    TurnSome();
    EXPECT_EQ(wire_->reads, 3) << "the second one was taken";
  }
  void StartProgramWhoseOutputNobodyTakes() {
    StartProgram("cat /dev/zero & exec cat /dev/zero >&2");
    TurnUntil([this] { return stream_->waiting_bytes() > process::kChunkBytes; });
    TurnSome();
    EXPECT_LT(stream_->waiting_bytes(), 2 * process::kChunkBytes + 100);
  }
  void StartProgramWhoseExitNobodyTakes() {
    StartProgram("exit 3");
    TurnUntil([this] { return left_ == 1 && stream_->waiting_bytes() > 0; });
  }
  void TurnSome() {
    io_->restart();
    io_->run_for(std::chrono::milliseconds(30));
  }

  /// 0: no program has begun.
  pid_t Pid() const {
    pid_t pid = 0;
    std::ifstream(folder_ / "pid") >> pid;
    return pid;
  }
  /// Waits for it, by the clock: that needs no turns of ours.
  bool ProgramIsGone() const {
    const pid_t pid = Pid();
    return pid == 0 || testing::Await([&] { return kill(pid, 0) != 0; });
  }
  std::string Finished() const {
    return wire_->finished ? wire_->finished->ToString() : "not finished";
  }
  /// The wire's side lets the call go.
  void EndCall() {
    stream_->OnReadEnd();
    stream_->End();
    session_.reset();
    stream_.reset();
  }

  /// Brings a new session to each stage of a call, and tries `end` there.
  void AtEachStage(const std::function<void()>& end) {
    const std::vector<std::pair<const char*, std::function<void()>>> stages = {
        {"not begun", [] {}},
        {"begun", [this] { Begin(); }},
        {"program runs", [this] { StartProgram("exec sleep 600"); }},
        {"input is not taken", [this] { StartProgramThatTakesNoInput(); }},
        {"output is not taken", [this] { StartProgramWhoseOutputNobodyTakes(); }},
        {"exit is not taken", [this] { StartProgramWhoseExitNobodyTakes(); }}};
    for (const auto& [name, reach] : stages) {
      SCOPED_TRACE(name);
      Renew();
      reach();
      EXPECT_EQ(Finished(), "not finished");
      end();
    }
  }

  testing::TempDir folder_;
  std::unique_ptr<boost::asio::io_context> io_;
  std::shared_ptr<ExecWire> wire_;
  std::shared_ptr<ExecSession> session_;
  std::shared_ptr<ExecSession> kept_;        // from its admission until it leaves
  std::shared_ptr<rpc::ByteStream> stream_;  // the session, as the wire has it
  std::weak_ptr<ExecSession> weak_;
  int left_ = 0;
};

TEST_F(ExecSessionTest, CallerThatSaysNothingIsNotWaitedForForEver) {
  Renew(std::chrono::milliseconds(1));
  stream_->Begin(wire_);
  TurnUntil([this] { return wire_->finished.has_value(); });
  EXPECT_EQ(Finished(), "DEADLINE_EXCEEDED: there is no start");
}

TEST_F(ExecSessionTest, AbandonedAtAnyStageItEndsAtOnceAndLeavesNothing) {
  AtEachStage([this] {
    session_->Abandon(absl::UnavailableError("this worker ends"));
    if (!wire_->finished) stream_->Begin(wire_);
    EXPECT_EQ(Finished(), "UNAVAILABLE: this worker ends");
    EXPECT_TRUE(ProgramIsGone());
    EndCall();
    kept_.reset();
    io_.reset();
    EXPECT_TRUE(weak_.expired());
  });
}

TEST_F(ExecSessionTest, CallerThatGoesAtAnyStageEndsTheProgramAndAllIsForgotten) {
  AtEachStage([this] {
    EndCall();
    TurnUntil([this] { return weak_.expired(); });
    EXPECT_EQ(kept_, nullptr) << "it has not left";
    EXPECT_LE(left_, 1);
    EXPECT_TRUE(ProgramIsGone());
  });
}

TEST_F(ExecSessionTest, WhatIsNoMessageEndsTheProgramAlsoWhenNobodyTakesItsOutput) {
  StartProgramWhoseOutputNobodyTakes();
  stream_->OnRead("\xff");
  TurnUntil([this] { return left_ == 1; });
  EXPECT_THAT(Finished(), HasSubstr("INVALID_ARGUMENT"));
  EXPECT_TRUE(ProgramIsGone());
}

TEST_F(ExecSessionTest, WhoeverIsAdmittedLeavesAlsoWithoutAProgram) {
  Begin();
  Say(v1::ExecInput());
  TurnUntil([this] { return wire_->finished.has_value(); });
  EXPECT_EQ(left_, 0) << "it was not admitted";
  Renew();
  Begin();
  v1::ExecInput empty;
  empty.mutable_start();
  Say(empty);
  TurnUntil([this] { return wire_->finished.has_value(); });
  EXPECT_EQ(left_, 1);
}

TEST_F(ExecSessionTest, HalfCloseWithoutAStartIsRefused) {
  Begin();
  stream_->OnReadEnd();
  TurnUntil([this] { return wire_->finished.has_value(); });
  EXPECT_EQ(Finished(), "INVALID_ARGUMENT: there is no start");
}

}  // namespace
}  // namespace twofold::backend
