#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "tests/backend/peers/peers_fixture.h"

namespace twofold::backend {
namespace {

using ::testing::HasSubstr;

/// One Exec, as rank 0 makes it.
class Exec {
 public:
  explicit Exec(v1::Peers::Stub& stub) : stream_(stub.Exec(&context_)) {}
  ~Exec() {
    if (!finished_) Cancel();
  }

  Exec& Say(const v1::ExecInput& input) {
    stream_->Write(input);
    return *this;
  }
  Exec& Start(const v1::MemberKey& key, const std::vector<std::string>& argv,
              const std::vector<std::string>& environment = {}) {
    v1::ExecInput input;
    *input.mutable_start()->mutable_member() = key;
    for (const std::string& word : argv) input.mutable_start()->add_argv(word);
    for (const std::string& word : environment) input.mutable_start()->add_environment(word);
    return Say(input);
  }
  bool Data(const std::string& data) {
    v1::ExecInput input;
    input.set_data(data);
    return stream_->Write(input);
  }
  Exec& CloseInput() {
    v1::ExecInput input;
    input.set_close(true);
    return Say(input);
  }
  std::string ReadOnce() {
    v1::ExecOutput output;
    stream_->Read(&output);
    return output.out();
  }
  Exec& ReadToTheEnd() {
    for (v1::ExecOutput output; stream_->Read(&output);) {
      out += output.out();
      err += output.err();
      if (output.has_exit()) exit = output.exit();
    }
    return *this;
  }
  grpc::Status End() {
    ReadToTheEnd();
    finished_ = true;
    return stream_->Finish();
  }
  void Break() { context_.TryCancel(); }
  void Cancel() {
    Break();
    End();
  }

  std::string out;
  std::string err;
  std::optional<v1::ExecExit> exit;

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::ExecInput, v1::ExecOutput>> stream_;
  bool finished_ = false;
};

class ExecTest : public PeersTest {
 protected:
  static std::vector<std::string> Shell(const std::string& text) { return {"sh", "-c", text}; }

  /// A daemon that has left everything, and a program that stays. Its number is in the file "pid".
  std::vector<std::string> Staying() const {
    return Shell("setsid sh -c '(sh -c \"echo \\$\\$ >" + (folder_ / "pid") +
                 "; exec sleep 600\" &)'; exec sleep 600");
  }
  pid_t Daemon() const {
    pid_t pid = 0;
    EXPECT_TRUE(testing::Await([&] {
      std::ifstream(folder_ / "pid") >> pid;
      return pid > 0;
    }));
    return pid;
  }
  static bool AwaitGone(pid_t pid) {
    return testing::Await([&] { return kill(pid, 0) != 0; });
  }
};

TEST_F(ExecTest, RelaysInputOutputAndExitCode) {
  Announce(1, true, {"FROM=member", "HIDDEN"});
  setenv("HIDDEN", "1", 1);
  Exec exec(*stub_);
  exec.Start(Key(1), Shell("cat; echo \"$FROM$HIDDEN$MORE in $PWD\" >&2; exit 3"), {"MORE=, more"});
  exec.Data("one ");
  exec.Data(std::string("t\0o", 3));
  exec.CloseInput();
  EXPECT_TRUE(exec.End().ok());
  EXPECT_EQ(exec.out, std::string("one t\0o", 7));
  const std::string directory = std::filesystem::canonical(folder_ / "").string();
  EXPECT_EQ(exec.err, "member, more in " + directory + "\n");
  ASSERT_TRUE(exec.exit);
  EXPECT_EQ(exec.exit->code(), 3);
  EXPECT_EQ(exec.exit->signal(), 0);
}

TEST_F(ExecTest, HalfClosedStreamIsTheEndOfInput) {
  Announce(1);
  grpc::ClientContext context;
  const auto stream = stub_->Exec(&context);
  v1::ExecInput input;
  *input.mutable_start()->mutable_member() = Key(1);
  input.mutable_start()->add_argv("cat");
  stream->Write(input);
  stream->WritesDone();
  v1::ExecOutput output;
  ASSERT_TRUE(stream->Read(&output));
  EXPECT_TRUE(output.has_exit());
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(ExecTest, AllOutputComesBeforeTheExit) {
  Announce(1);
  Exec exec(*stub_);
  exec.Start(Key(1), Shell("head -c 3000000 /dev/zero; head -c 100000 /dev/zero >&2; kill -9 $$"));
  EXPECT_TRUE(exec.End().ok());
  EXPECT_EQ(exec.out.size(), 3'000'000U);
  EXPECT_EQ(exec.err.size(), 100'000U);
  EXPECT_EQ(exec.exit.value().signal(), SIGKILL);
}

TEST_F(ExecTest, ProgramThatIsNotThereIsSaid) {
  Announce(1);
  for (const std::vector<std::string>& argv :
       {std::vector<std::string>{"no-such-program"}, {"/no/such/program"}, {"./relative"}}) {
    Exec exec(*stub_);
    exec.Start(Key(1), argv);
    EXPECT_TRUE(exec.End().ok());
    EXPECT_NE(exec.exit.value().error(), "") << argv[0];
  }
}

TEST_F(ExecTest, StrangersAreTurnedAwayWithoutAReason) {
  Announce(1);
  for (const auto& spoil : std::initializer_list<std::function<void(v1::MemberKey&)>>{
           [](v1::MemberKey& key) { key.set_job(18); },
           [](v1::MemberKey& key) { key.set_attempt(1); },
           [](v1::MemberKey& key) { key.set_rank(2); },
           [](v1::MemberKey& key) { key.set_secret(std::string(kSecretBytes, 't')); },
           [](v1::MemberKey& key) { key.clear_secret(); }}) {
    v1::MemberKey key = Key(1);
    spoil(key);
    Exec exec(*stub_);
    const grpc::Status status = exec.Start(key, {"touch", folder_ / "done"}).End();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAUTHENTICATED);
    EXPECT_EQ(status.error_message(), "");
  }
  EXPECT_NE(access((folder_ / "done").c_str(), F_OK), 0);
}

TEST_F(ExecTest, MemberThatServesNobodySaysSo) {
  Announce(1, false);
  const grpc::Status status = Exec(*stub_).Start(Key(1), {"true"}).End();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(status.error_message(), HasSubstr("no programs"));
}

TEST_F(ExecTest, StreamsThatAreNoneAreRefusedNamingTheField) {
  Announce(1);
  v1::ExecInput data;
  data.set_data("x");
  EXPECT_THAT(Exec(*stub_).Say(data).End().error_message(), HasSubstr("start"));
  Exec empty(*stub_);
  EXPECT_THAT(empty.Start(Key(1), {}).End().error_message(), HasSubstr("start.argv"));
  Exec twice(*stub_);
  twice.Start(Key(1), {"cat"}).Start(Key(1), {"cat"});
  EXPECT_THAT(twice.End().error_message(), HasSubstr("only the first message"));
  Exec large(*stub_);
  large.Start(Key(1), {"cat"}).Data(std::string(process::kChunkBytes + 1, 'x'));
  EXPECT_THAT(large.End().error_message(), HasSubstr("data has 65537 bytes"));
}

TEST_F(ExecTest, CancelStopsWhatEverWasStarted) {
  Announce(1);
  Exec exec(*stub_);
  exec.Start(Key(1), Staying());
  const pid_t daemon = Daemon();
  exec.Cancel();
  EXPECT_TRUE(AwaitGone(daemon));
}

TEST_F(ExecTest, EndOfTheAttemptStopsWhatEverWasStartedAndWaitsForIt) {
  Announce(1);
  Exec exec(*stub_);
  exec.Start(Key(1), Staying());
  const pid_t daemon = Daemon();
  Withdraw(1).get();
  EXPECT_NE(kill(daemon, 0), 0);
  EXPECT_TRUE(exec.End().ok());
  EXPECT_EQ(exec.exit.value().signal(), SIGTERM);
  EXPECT_EQ(Exec(*stub_).Start(Key(1), {"true"}).End().error_code(),
            grpc::StatusCode::UNAUTHENTICATED);
  Withdraw(1).get();  // of one that is not there
}

TEST_F(ExecTest, WorkerThatEndsStopsWhatEverWasStarted) {
  Announce(1);
  Exec exec(*stub_);
  exec.Start(Key(1), Staying());
  const pid_t daemon = Daemon();
  StopPeers();
  EXPECT_FALSE(exec.End().ok());
  EXPECT_TRUE(AwaitGone(daemon));
}

TEST_F(ExecTest, MemberRunsSoManyProgramsAtOnceAndNoMore) {
  Announce(1);
  std::vector<std::unique_ptr<Exec>> open;
  for (std::size_t i = 0; i < Peers::kMostPrograms; ++i) {
    open.push_back(std::make_unique<Exec>(*stub_));
    open.back()->Start(Key(1), {"cat"});
    ASSERT_TRUE(open.back()->Data("x"));
  }
  // One that has answered has been let in: calls come in any order.
  for (const auto& exec : open) EXPECT_EQ(exec->ReadOnce(), "x");
  EXPECT_EQ(Exec(*stub_).Start(Key(1), {"true"}).End().error_code(),
            grpc::StatusCode::RESOURCE_EXHAUSTED);
  open.pop_back();
  EXPECT_TRUE(testing::Await([&] { return Exec(*stub_).Start(Key(1), {"true"}).End().ok(); }));
}

// ---- Flow control

/// Waits until `number` stands still for a while; then it is that.
std::uint64_t Settled(const std::function<std::uint64_t()>& number) {
  std::uint64_t last = 0;
  int still = 0;
  testing::Await([&] {
    const std::uint64_t now = number();
    still = now == last && now > 0 ? still + 1 : 0;
    last = now;
    return still == 60;  // 0.3 s
  });
  return last;
}

constexpr std::uint64_t kBounded = 32 << 20;  // what HTTP/2 windows and pipes may hold at most

TEST_F(ExecTest, ReaderThatDoesNotReadSlowsTheProgramDown) {
  Announce(1);
  Exec exec(*stub_);
  exec.Start(Key(1), Shell("echo $$ >" + (folder_ / "pid") + "; exec cat /dev/zero"));
  const std::string io = "/proc/" + std::to_string(Daemon()) + "/io";
  const std::uint64_t written = Settled([&] {
    std::string word;
    std::uint64_t number = 0;
    std::ifstream file(io);
    while (file >> word >> number && word != "wchar:") {
    }
    return number;
  });
  EXPECT_GE(written, process::kChunkBytes);
  EXPECT_LT(written, kBounded);
}

TEST_F(ExecTest, ProgramThatDoesNotReadSlowsItsCallerDown) {
  Announce(1);
  Exec exec(*stub_);
  exec.Start(Key(1), {"sleep", "600"});
  std::atomic<std::uint64_t> sent = 0;
  std::thread writer([&] {
    const std::string chunk(process::kChunkBytes, 'x');
    while (sent < 10 * kBounded && exec.Data(chunk)) sent += chunk.size();
  });
  EXPECT_LT(Settled([&] { return sent.load(); }), kBounded);
  exec.Break();
  writer.join();
}

}  // namespace
}  // namespace twofold::backend
