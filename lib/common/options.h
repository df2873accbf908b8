#pragma once

// CLI.hpp would compile its help and its configuration files with each file that has options.
#include <CLI/App.hpp>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace twofold {

/// Exit code for a user's mistake: bad option, port in use, missing file. One line on stderr says
/// what is wrong.
inline constexpr int kExitUsage = 2;

/// Makes single-dash long options double-dash ones (`-backoff 0` is `--backoff 0`) and ties
/// negative numbers to their option (`--limit -1` is `--limit=-1`), up to a `--`.
std::vector<std::string> NormaliseArguments(int argc, const char* const* argv);

/// Parses the command line, with `--help` and `--version` added. An option takes one word each time
/// it is given, whatever it is bound to: one that may come several times is repeated. Words behind
/// `--` are positional arguments as they are, even if they look like options or lists.
///
/// Returns the exit code if the program has to end now (0 after help or version, kExitUsage after
/// printing the error), else nullopt.
std::optional<int> ParseCommandLine(CLI::App& app, int argc, const char* const* argv);

/// Prints `program: message` as the one line that says what is wrong; returns kExitUsage.
int UsageError(const CLI::App& app, const std::string& message);

/// Check values; the error names the option and what is allowed. NaN and infinity never pass.
/// Seconds takes what ParseTime takes; given to `transform`, a time such as 1h30m becomes seconds.
CLI::Validator Seconds(double least = 0, double most = 1e9);
CLI::Validator WholeNumber(long long least, long long most = std::numeric_limits<long long>::max());

/// Declares an option whose value `check` accepts and whose default `--help` shows.
template <typename T>
CLI::Option* AddOption(CLI::App& app, const std::string& names, T& value,
                       const CLI::Validator& check, const std::string& help) {
  return app.add_option(names, value, help)->transform(check)->capture_default_str();
}

/// Declares positional arguments that somebody else understands: a program and its arguments. Each
/// word is as it was given; CLI11 would make nothing of a "{}".
CLI::Option* AddWords(CLI::App& app, const std::string& name, std::vector<std::string>& words,
                      const std::string& help);

/// An address to listen on, as ParseAddress reads it.
CLI::Validator ListenAddress();

/// An address to connect to: one with a host, and a port above 0.
CLI::Validator RemoteAddress();

/// A valid name of a queue: 1 to 63 letters, digits, '-', '_' and '.', beginning and ending with a
/// letter or digit (the rule of Kubernetes label values).
CLI::Validator QueueName();

/// A queue, or one of its shards: `sleep`, or `sleep/0`, `sleep/1` and so on, as people name them.
CLI::Validator QueueOrShard();

/// Why `name` is not a valid queue name; empty if it is.
std::string CheckQueueName(const std::string& name);

}  // namespace twofold
