#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/common/address.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"

namespace twofold::objects {

/// Brings the loaders of a run together: they start at one instant, and end together if one of them
/// is stopped or lost.
///
/// Loader 0 listens; the others come to it and wait. When all are there it lets them go. From then
/// on each says once a second how much it has done, by which loader 0 knows that it lives and how
/// fast all are together; loader 0 says the same. Loaders start as far apart as a line takes to
/// get from loader 0 to the others.
///
/// Lines    "hello KEY LOADER", "go", "refused WHY", "done COUNT", "stop WHY", "over".
/// Threads  That of its io_context.
class Gathering {
 public:
  struct Plan {
    std::uint32_t loader = 0;
    std::uint32_t loaders = 1;
    HostPort address;  ///< of loader 0, which listens on all its addresses
    std::string key;   ///< of the spec: loaders with another one are refused
    Duration patience{};
  };

  Gathering(boost::asio::io_context& io, Plan plan) : io_(io), plan_(std::move(plan)), timer_(io) {}

  /// Runs the io_context until all are there.
  /// Errors   kDeadlineExceeded: who has not come; kFailedPrecondition: another spec, or a loader
  ///          came twice; kInvalidArgument: cannot listen.
  Status Gather();

  /// Called when another loader was lost or stopped; with the reason.
  std::function<void(const std::string&)> on_stop;

  void Done(std::uint64_t count);              ///< once a second: what this loader has done so far
  [[nodiscard]] std::uint64_t others() const;  ///< what the others had done; of loader 0 only
  void Stop(const std::string& why);           ///< all others, too

  /// Says goodbye: whoever goes without it is lost.
  void Over();

 private:
  template <typename T>
  using Task = boost::asio::awaitable<T>;

  /// Another loader.
  struct Peer {
    explicit Peer(boost::asio::ip::tcp::socket to) : socket(std::move(to)) {}
    boost::asio::ip::tcp::socket socket;
    std::string name = "loader 0";
    std::string buffer;
    std::uint64_t done = 0;
    Instant heard{};
    bool over = false;
  };
  using PeerPointer = std::shared_ptr<Peer>;

  Task<void> Lead();
  Task<void> Admit(PeerPointer peer);
  Task<void> Join();
  Task<void> Listen(PeerPointer peer);
  Task<Result<std::string>> ReadLine(Peer& peer);
  Task<void> Watch();
  void Take(Peer& peer, const std::string& line);
  void Lost(Peer& peer);
  void Tell(Peer& peer, const std::string& line);
  void Finish(Status status);
  [[nodiscard]] Status Missing() const;

  boost::asio::io_context& io_;
  const Plan plan_;
  boost::asio::steady_timer timer_;
  std::vector<PeerPointer> peers_;
  std::optional<Status> gathered_;
};

}  // namespace twofold::objects
