#pragma once

#include <optional>
#include <string>

namespace twofold::rsh {

/// What the command line asks for.
struct Call {
  std::string host;
  std::string command;    ///< a shell's, as ssh has it
  bool no_input = false;  ///< /dev/null instead of our stdin
};

/// Reads `[OPTIONS] HOST COMMAND...`. What comes after HOST is the command: its words are joined by
/// single spaces and nothing else, for that is what callers of ssh count on (mpirun passes words
/// with quotes inside). Returns the exit code if the program has to end now.
std::optional<int> ParseCall(int argc, const char* const* argv, Call& call);

}  // namespace twofold::rsh
