#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// How servers are started: programs of Debian packages, and our own.
namespace twofold::bench {

/// Words of a command line. `{dir}` is the server's temporary directory, `{port0}` `{port1}`
/// `{port2}` are free ports, `{bench}` is this program, `{frontend}` twofold-frontend.
using Words = std::vector<std::string_view>;

struct ServerRow {
  std::string_view name;
  Words command;
  Words prepare = {};       ///< run to its end before; empty: nothing
  Words helper = {};        ///< runs beside it and is ended with it; empty: none
  Words environment = {};   ///< NAME=VALUE
  std::size_t accepts = 1;  ///< so many of its ports, from port0 on, accept when it is ready
  /// Name of the process to account for, if `command` starts it as a child; empty: `command` is it.
  std::string_view process = {};
  double start_seconds = 10;  ///< longest that its start may take
};

/// nullptr: there is none of that name.
const ServerRow* FindServer(std::string_view name);

/// The values that replace the braces.
struct Blanks {
  std::string directory;
  std::vector<int> ports;
  std::string bench;
  std::string frontend;
};

/// Replaces the braces.
std::vector<std::string> Fill(const Words& words, const Blanks& blanks);

}  // namespace twofold::bench
