#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/process/process.h"
#include "lib/process/reaper.h"

namespace twofold::backend {

/// Which versions the programs of this machine have, as they say themselves: asked once each.
///
/// Threads  On the thread of the io_context.
/// Cost     The first time that a program is asked for it is run, for 5 s at most.
class ToolVersions {
 public:
  using OnVersion = std::function<void(const std::string&)>;

  ToolVersions(boost::asio::io_context& io, process::Reaper& reaper) : io_(io), reaper_(reaper) {}
  ~ToolVersions();

  /// Tells the version of the program at `path`; empty: it has no way to say, or did not. May tell
  /// before it returns, and tells all the same when who asked does not care any more.
  void Ask(const std::string& path, OnVersion on_version);

 private:
  struct Tool {
    std::optional<std::string> version;  // nullopt: it is being asked
    std::shared_ptr<process::Process> process;
    std::unique_ptr<boost::asio::steady_timer> limit;
    std::vector<OnVersion> waiting;
  };

  void Answer(Tool& tool, const std::string& version);

  boost::asio::io_context& io_;
  process::Reaper& reaper_;
  std::map<std::string, Tool> tools_;  // by path
};

}  // namespace twofold::backend
