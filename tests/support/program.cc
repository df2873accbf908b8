#include "tests/support/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

#include "lib/common/descriptors.h"
#include "lib/process/spawn.h"

namespace twofold::testing {
namespace {

constexpr auto kHang = std::chrono::seconds(60);

std::string MakeTempDir() {
  std::string path = ::testing::TempDir() + "/twofold.XXXXXX";
  if (mkdtemp(path.data()) == nullptr) ADD_FAILURE() << path << ": " << std::strerror(errno);
  return path;
}

}  // namespace

TempDir::TempDir() : path_(MakeTempDir()) {}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Program::Program(const std::string& name, std::vector<std::string> arguments) {
  const std::string path = name.find('/') == std::string::npos ? TWOFOLD_BIN "/" + name : name;
  arguments.insert(arguments.begin(), path);
  const Descriptor printed(
      open((folder_ / "output").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  const auto child = process::Spawn({.argv = std::move(arguments),
                                     .null_in = true,
                                     .is_ours = true,
                                     .out = printed.get(),
                                     .err = printed.get()});
  if (child.ok()) {
    pid_ = child->pid;
  } else {
    exit_ = -1;
    ADD_FAILURE() << child.status();
  }
}

Program::~Program() {
  if (running()) Kill();
}

void Program::Signal(int number) const {
  if (pid_ > 0 && !exit_) kill(pid_, number);
}

int Program::Wait() {
  if (Await([this] { return !running(); })) return *exit_;
  ADD_FAILURE() << "the program does not end; it printed:\n" << output();
  Signal(SIGKILL);
  Await([this] { return !running(); });
  return *exit_;
}

bool Program::running() {
  if (exit_) return false;
  const auto exit = process::Poll(pid_);
  if (!exit) return true;
  exit_ = exit->code - exit->signal;
  return false;
}

std::string Program::output() const {
  std::ostringstream text;
  text << std::ifstream(folder_ / "output").rdbuf();
  return text.str();
}

std::uint64_t FromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoull(text);
}

bool Await(const std::function<bool()>& done) {
  const auto end = std::chrono::steady_clock::now() + kHang;
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

std::optional<double> SeriesIn(const std::string& metrics, const std::string& series) {
  std::istringstream lines(metrics);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(series + " ", 0) == 0) return std::stod(line.substr(series.size() + 1));
  }
  return std::nullopt;
}

}  // namespace twofold::testing
