#include "tests/support/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

extern char** environ;

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
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, (folder_ / "output").c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  const int failed = posix_spawn(&pid_, path.c_str(), &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) {
    pid_ = -1;
    exit_ = -1;
    ADD_FAILURE() << path << ": " << std::strerror(failed);
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
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return true;
  exit_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return false;
}

std::string Program::output() const {
  std::ostringstream text;
  text << std::ifstream(folder_ / "output").rdbuf();
  return text.str();
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
