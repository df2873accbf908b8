#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "lib/process/spawn.h"

namespace twofold::backend {

/// A real twofold-backend started by a test; killed with it.
class ProgramUnderTest {
 public:
  /// `environment`: NAME=VALUE, beside what it inherits.
  explicit ProgramUnderTest(std::vector<std::string> arguments,
                            std::vector<std::string> environment = {}) {
    arguments.insert(arguments.begin(), TWOFOLD_BACKEND);
    child_ =
        process::Spawn(
            {.argv = std::move(arguments), .null_in = true, .environment = std::move(environment)})
            .value();
  }
  ProgramUnderTest(const ProgramUnderTest&) = delete;
  ProgramUnderTest& operator=(const ProgramUnderTest&) = delete;
  ~ProgramUnderTest() {
    if (child_.pid > 0) Kill(SIGKILL), Wait();
    close(child_.output);
  }

  void Kill(int number) const { kill(child_.pid, number); }

  /// Its exit code, or minus the signal that ended it. Output is read until then.
  int Wait() {
    ReadOutput();
    int status = 0;
    waitpid(std::exchange(child_.pid, -1), &status, 0);
    const process::Exit exit = process::ExitOf(status);
    return exit.code - exit.signal;
  }

  /// Stdout and stderr, complete after Wait.
  [[nodiscard]] const std::string& output() const { return output_; }

 private:
  void ReadOutput() {
    std::array<char, 4096> bytes;
    for (;;) {
      const ssize_t got = read(child_.output, bytes.data(), bytes.size());
      if (got == 0) return;
      if (got > 0) output_.append(bytes.data(), static_cast<std::size_t>(got));
      pollfd ready{child_.output, POLLIN, 0};
      if (got < 0) poll(&ready, 1, -1);
    }
  }

  process::Child child_;
  std::string output_;
};

struct Exit {
  int code;
  std::string output;
};

/// Runs it to its end.
inline Exit RunProgram(std::vector<std::string> arguments) {
  ProgramUnderTest program(std::move(arguments));
  const int code = program.Wait();
  return {code, program.output()};
}

}  // namespace twofold::backend
