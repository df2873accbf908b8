#include "bench/peers/server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>
#include <thread>

#include "bench/peers/text.h"

namespace twofold::bench {
namespace {

constexpr int kPorts = 3;
constexpr Duration kPoll = std::chrono::milliseconds(10);
constexpr Duration kPrepareLimit = std::chrono::seconds(30);

sockaddr_in Loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// Ports that were free a moment ago. Not every server can be asked to choose one by itself.
std::vector<int> FreePorts() {
  std::array<int, kPorts> sockets;
  std::vector<int> ports;
  for (int& fd : sockets) {
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = Loopback(0);
    socklen_t size = sizeof address;
    bind(fd, reinterpret_cast<sockaddr*>(&address), size);
    getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
    ports.push_back(ntohs(address.sin_port));
  }
  for (const int fd : sockets) close(fd);
  return ports;
}

bool Accepts(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = Loopback(port);
  const bool accepted =
      connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(fd);
  return accepted;
}

// The process of this name in a group; -1: there is none.
pid_t FindInGroup(pid_t group, std::string_view name) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");
    std::string text;
    std::getline(file, text);
    const std::size_t begin = text.find('(');
    const std::size_t end = text.rfind(')');
    if (end == text.npos || text.substr(begin + 1, end - begin - 1) != name) continue;
    std::istringstream rest(text.substr(end + 2));
    char state = 0;
    pid_t parent = 0, its_group = 0;
    rest >> state >> parent >> its_group;
    if (its_group == group) return std::stoi(text);
  }
  return -1;
}

}  // namespace

bool IsInstalled(const ServerRow& row, const Programs& programs) {
  const Blanks blanks{
      .directory = {}, .ports = {}, .bench = programs.bench, .frontend = programs.frontend};
  return access(Fill(row.command, blanks).front().c_str(), X_OK) == 0;
}

Result<std::unique_ptr<Server>> Server::Start(const ServerRow& row, const Programs& programs) {
  std::unique_ptr<Server> server(new Server);
  const Status started = server->Run(row, programs);
  if (started.ok()) return server;
  return Status(started.code(), fmt::format("{}: {}", Message(started), LastLine(server->Log())));
}

Status Server::Run(const ServerRow& row, const Programs& programs) {
  const Blanks blanks{.directory = directory_.path(),
                      .ports = FreePorts(),
                      .bench = programs.bench,
                      .frontend = programs.frontend};
  const std::vector<std::string> environment = Fill(row.environment, blanks);
  const auto start = [&](const Words& words) {
    return Child::Start(Fill(words, blanks), environment, Log(), Log());
  };
  if (!row.prepare.empty()) {
    Result<Child> child = start(row.prepare);
    if (!child.ok()) return child.status();
    const Result<int> code = child->Wait(kPrepareLimit);
    if (!code.ok()) return code.status();
    if (*code != 0) return absl::UnavailableError("cannot be prepared");
  }
  if (!row.helper.empty()) {
    Result<Child> child = start(row.helper);
    if (!child.ok()) return child.status();
    helper_.emplace(*std::move(child));
  }
  Result<Child> child = start(row.command);
  if (!child.ok()) return child.status();
  child_.emplace(*std::move(child));
  for (const int port : blanks.ports) target_.ports.push_back(static_cast<std::uint16_t>(port));
  target_.directory = directory_.path();
  return Await(row);
}

Status Server::Await(const ServerRow& row) {
  const Instant end = Now() + FromSeconds(row.start_seconds);
  for (std::size_t i = 0; i < row.accepts; ++i) {
    while (!Accepts(target_.ports[i])) {
      if (Interrupted()) return absl::CancelledError("interrupted");
      if (child_->Ended()) return absl::UnavailableError("has ended at once");
      if (Now() > end) return absl::UnavailableError("does not accept connections");
      std::this_thread::sleep_for(kPoll);
    }
  }
  pid_ = row.process.empty() ? child_->pid() : FindInGroup(child_->pid(), row.process);
  return pid_ > 0 ? absl::OkStatus() : absl::UnavailableError("has no process of its name");
}

}  // namespace twofold::bench
