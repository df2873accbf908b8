#pragma once

#include <string>
#include <vector>

#include "lib/common/result.h"

/// What a worker runs, as a person types it at the command line of this machine. Nothing of it is
/// for what comes with a job.
namespace twofold::suite {

/// The words as a worker takes them, wherever that runs. A built-in workload (sleep, suites) and
/// its spec are as they were typed; it goes before a program of its name. A program is looked up as
/// a shell in this folder would, and gets its absolute path. No words are none.
///
/// Errors   kInvalidArgument: what was looked for, and where.
Result<std::vector<std::string>> FindWorkload(std::vector<std::string> words);

/// The words that have a shell run `line`, with `words` as its $1, $2 and so on; `words` if there
/// is no line.
std::vector<std::string> WithShell(const std::string& line, std::vector<std::string> words);

/// What --help says of --shell.
inline constexpr char kShellHelp[] =
    "A line for /bin/sh instead of a program: 'a | b'; words after -- are its $1, $2, ...";

}  // namespace twofold::suite
