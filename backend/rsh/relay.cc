#include "backend/rsh/relay.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "lib/common/address.h"
#include "lib/common/descriptors.h"
#include "lib/common/options.h"
#include "lib/rpc/blocking_stream.h"
#include "lib/rpc/dialer.h"
#include "lib/rpc/loop_thread.h"
#include "lib/security/client.h"
#include "twofold/v1/peers.pb.h"

namespace twofold::rsh {
namespace {

constexpr char kDescription[] =
    "Runs a command at another member of the gang, as `ssh` would, without sshd and keys.\n"
    "twofold-rsh [OPTIONS] HOST COMMAND...";

constexpr char kHelp[] = R"(
HOST is the address of a member as in TWOFOLD_GANG_PEERS, or its pod or node. The words of COMMAND are
joined by spaces and run by /bin/sh there. Input, output and exit code are relayed: 128 + N stands for
signal N, 255 for a failure of twofold-rsh itself. When it ends, however that comes about, or the job
does, the command is stopped with all that it has started; what is still there when the command ends
is, too.

It works in programs of rank 0, whose worker sets TWOFOLD_GANG, with members whose worker has a port
for it (twofold-backend --peers-address; benchmark suites have one).

Examples:
  twofold-rsh 10.0.0.2 hostname
  mpirun --mca plm_rsh_agent twofold-rsh --mca plm_rsh_no_tree_spawn 1 --leave-session-attached \
      --bind-to none --host 10.0.0.1,10.0.0.2 -np 2 NPmpi
)";

constexpr auto kConnectPatience = std::chrono::seconds(10);
constexpr std::size_t kChunkBytes = 64 << 10;

using Stream = rpc::BlockingStream<v1::ExecInput, v1::ExecOutput>;

// In one write: lines of many of us go to one terminal.
int Complain(const std::string& host, const std::string& what) {
  const std::string line = absl::StrCat("twofold-rsh: ", host, ": ", what, "\n");
  std::fputs(line.c_str(), stderr);
  return kOwnFailure;
}

v1::ExecInput StartMessage(const gang::Gang& gang, std::uint32_t rank, const Call& call) {
  v1::ExecInput input;
  v1::ExecStart& start = *input.mutable_start();
  *start.mutable_member() = gang::KeyOf(gang.roster, rank);
  for (const char* word : {"/bin/sh", "-c", call.command.c_str()}) start.add_argv(word);
  return input;
}

// Each chunk is read when the one before has been taken: a slow command slows our input down.
void PumpInput(Stream& stream, bool no_input) {
  v1::ExecInput input;
  std::string chunk(kChunkBytes, '\0');
  for (;;) {
    const ssize_t got = no_input ? 0 : read(STDIN_FILENO, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    input.set_data(chunk.data(), static_cast<std::size_t>(got));
    if (!stream.Write(input)) return;
  }
  input.clear_data();
  input.set_close(true);
  stream.Write(input);
}

sigset_t BlockSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, number);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  return set;
}

std::string WhyNotConnected(const std::string& address, const security::Client& security) {
  const std::string tls = security::DiagnoseTls(address, security);
  if (!tls.empty()) return absl::StrCat("cannot connect to ", address, ": ", tls);
  return absl::StrCat("cannot connect to ", address, " within ",
                      std::chrono::seconds(kConnectPatience).count(), " s");
}

// The connection goes with us, and the command with the connection.
[[noreturn]] void Go(int code) { std::_Exit(code); }

void GoAtSignal(const sigset_t& signals) {
  std::thread([signals] {
    int number = 0;
    sigwait(&signals, &number);
    Go(128 + number);
  }).detach();
}

void GoAtEndOfAttempt(const std::string& host, int gang_file) {
  std::thread([host, gang_file] {
    gang::AwaitRelease(gang_file);
    Go(Complain(host, "the attempt of this gang is over, or its worker is gone"));
  }).detach();
}

int Relay(const std::string& host, Stream& stream) {
  v1::ExecOutput output;
  while (stream.Read(output)) {
    if (output.has_exit()) {
      const v1::ExecExit& exit = output.exit();
      return exit.error().empty() ? ExitCodeOf(exit) : Complain(host, exit.error());
    }
    if (!WriteAll(STDOUT_FILENO, output.out()) || !WriteAll(STDERR_FILENO, output.err())) {
      return kOwnFailure;  // nobody reads it
    }
  }
  return Complain(host, Explain(stream.Finish()));
}

}  // namespace

std::optional<int> ParseCall(int argc, const char* const* argv, Call& call) {
  CLI::App app{kDescription, "twofold-rsh"};
  app.footer(kHelp);
  bool ignored = false;
  app.add_flag("-n", call.no_input, "Input is /dev/null");
  app.add_flag("-q,-T,-x", ignored, "Nothing: callers of ssh pass them");
  // An option of the command is none of ours.
  const char* const* const end = argv + argc;
  const bool asks_completion = argc > 1 && argv[1] == std::string_view("--completion");
  const char* const* const host =
      asks_completion  // the only option whose value may be a word of its own
          ? end
          : std::find_if(argv + 1, end,
                         [](std::string_view word) { return !word.starts_with('-'); });
  if (const auto code = ParseCommandLine(app, static_cast<int>(host - argv), argv)) return code;
  if (end - host < 2) return UsageError(app, "needs HOST and COMMAND (try --help)");
  call.host = *host;
  call.command = absl::StrJoin(host + 1, end, " ");
  return std::nullopt;
}

int ExitCodeOf(const v1::ExecExit& exit) {
  if (!exit.error().empty()) return kOwnFailure;
  return exit.signal() != 0 ? 128 + exit.signal() : exit.code();
}

std::string Explain(const Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnauthenticated:
      return "refused: its worker does not run this attempt, not yet or not any more";
    case absl::StatusCode::kOk:
      return "its worker ended the stream before the command";
    default:
      return std::string(status.message());
  }
}

[[noreturn]] void Run(const gang::ReadGangFile& file, std::uint32_t rank, const Call& call) {
  GoAtSignal(BlockSignals());
  GoAtEndOfAttempt(call.host, file.descriptor);
  const gang::Gang& gang = file.gang;
  const v1::Peer& member = gang.roster.peers(static_cast<int>(rank));
  if (member.port() == 0) {
    Go(Complain(call.host,
                "its worker runs no programs for others (twofold-backend --peers-address)"));
  }
  const Result<security::Client> security =
      gang.tls ? security::Client::Open(*gang.tls) : security::Client();
  if (!security.ok()) Go(Complain(call.host, std::string(security.status().message())));
  const std::string address =
      ToString({member.address(), static_cast<std::uint16_t>(member.port())});
  rpc::LoopThread loop{h2::Budgets()};
  const auto channel = rpc::Dialer(loop, address, *security).Connected(kConnectPatience);
  if (channel == nullptr) Go(Complain(call.host, WhyNotConnected(address, *security)));
  const auto stream = std::make_shared<Stream>();
  stream->Start(channel, rpc::CallTo("/twofold.v1.Peers/Exec", *security));
  if (stream->Write(StartMessage(gang, rank, call))) {
    std::thread([&] { PumpInput(*stream, call.no_input); }).detach();
  }
  Go(Relay(call.host, *stream));
}

}  // namespace twofold::rsh
