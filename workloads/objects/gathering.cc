#include "workloads/objects/gathering.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <charconv>

#include "lib/common/printable.h"
#include "workloads/objects/connection.h"

namespace twofold::objects {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr std::size_t kMostOfLine = 1024;
constexpr Duration kRetry = std::chrono::milliseconds(100);
// A loader that says nothing for so long is lost; it has something to say each second.
constexpr Duration kSilence = std::chrono::seconds(15);

std::uint64_t NumberIn(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

Status Gathering::Gather() {
  timer_.expires_after(plan_.patience);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) Finish(Missing());
  });
  asio::co_spawn(io_, plan_.loader == 0 ? Lead() : Join(), asio::detached);
  while (!gathered_) io_.run_one();
  timer_.cancel();
  if (gathered_->ok()) {
    for (const PeerPointer& peer : peers_) {
      peer->heard = Now();
      asio::co_spawn(io_, Listen(peer), asio::detached);
    }
    asio::co_spawn(io_, Watch(), asio::detached);
  }
  return *gathered_;
}

void Gathering::Finish(Status status) {
  if (gathered_) return;
  if (!status.ok()) {
    for (const PeerPointer& peer : peers_) {
      Tell(*peer, absl::StrCat("refused ", std::string(status.message())));
    }
  }
  gathered_ = std::move(status);
}

Status Gathering::Missing() const {
  const std::string waited = absl::StrCat(ToSeconds(plan_.patience), " s");
  if (plan_.loader > 0) {
    return absl::DeadlineExceededError(absl::StrCat(
        "barrier: loader 0 at ", ToString(plan_.address), " did not let go within ", waited));
  }
  std::string there;
  for (const PeerPointer& peer : peers_)
    absl::StrAppend(&there, there.empty() ? "" : ", ", peer->name);
  return absl::DeadlineExceededError(
      absl::StrCat("barrier: of ", plan_.loaders - 1, " other loaders, ", peers_.size(),
                   " came within ", waited, peers_.empty() ? "" : ": ", there));
}

asio::awaitable<void> Gathering::Lead() {
  const auto listen = [this]() -> Result<tcp::acceptor> {
    boost::system::error_code error;
    tcp::acceptor acceptor(io_);
    const tcp::endpoint any(tcp::v6(), plan_.address.port);
    acceptor.open(any.protocol(), error);
    const bool v4 = static_cast<bool>(error);  // a host without IPv6
    const tcp::endpoint at = v4 ? tcp::endpoint(tcp::v4(), plan_.address.port) : any;
    if (v4) acceptor.open(at.protocol(), error);
    if (!v4) acceptor.set_option(asio::ip::v6_only(false), error);
    acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor.bind(at, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      return absl::InvalidArgumentError(absl::StrCat("barrier: cannot listen on port ",
                                                     plan_.address.port, ": ", error.message()));
    }
    return acceptor;
  };
  auto acceptor = listen();
  if (!acceptor.ok()) co_return Finish(acceptor.status());
  if (plan_.loaders == 1) co_return Finish(absl::OkStatus());
  while (!gathered_) {
    auto [error, socket] = co_await acceptor->async_accept(kTuple);
    if (error || gathered_) break;
    asio::co_spawn(io_, Admit(std::make_shared<Peer>(std::move(socket))), asio::detached);
  }
}

asio::awaitable<void> Gathering::Admit(PeerPointer peer) {
  const auto line = co_await ReadLine(*peer);
  if (!line.ok() || gathered_) co_return;  // somebody who knocked and went
  const std::vector<std::string> words = absl::StrSplit(*line, ' ');
  if (words.size() != 3 || words[0] != "hello") co_return;
  peer->name = "loader " + Printable(words[2], 8);
  const auto same = [&](const PeerPointer& other) { return other->name == peer->name; };
  if (words[1] != plan_.key) co_return Tell(*peer, "refused its spec differs from loader 0's");
  if (std::any_of(peers_.begin(), peers_.end(), same)) {
    co_return Tell(*peer, "refused there is one with its loaderid already");
  }
  peers_.push_back(peer);
  if (peers_.size() + 1 < plan_.loaders) co_return;
  for (const PeerPointer& each : peers_) Tell(*each, "go");
  Finish(absl::OkStatus());
}

asio::awaitable<void> Gathering::Join() {
  const Instant deadline = Now() + plan_.patience;
  tcp::resolver resolver(io_);
  auto peer = std::make_shared<Peer>(tcp::socket(io_));
  while (true) {
    const auto [unknown, found] = co_await resolver.async_resolve(
        plan_.address.host, std::to_string(plan_.address.port), kTuple);
    boost::system::error_code error = unknown;
    for (auto at = found.begin(); at != found.end() && !peer->socket.is_open(); ++at) {
      const auto [bad] = co_await peer->socket.async_connect(at->endpoint(), kTuple);
      error = bad;
      if (bad) peer->socket.close(error);
    }
    if (peer->socket.is_open()) break;
    if (Now() >= deadline || gathered_) co_return;
    asio::steady_timer pause(io_, kRetry);  // it may not be there yet
    co_await pause.async_wait(kTuple);
  }
  peers_.push_back(peer);
  Tell(*peer, absl::StrCat("hello ", plan_.key, " ", plan_.loader));
  const auto line = co_await ReadLine(*peer);
  if (!line.ok()) co_return Finish(absl::UnavailableError("barrier: loader 0 went away"));
  if (*line == "go") co_return Finish(absl::OkStatus());
  peers_.clear();
  Finish(absl::FailedPreconditionError("barrier: loader 0 says: " + Printable(*line, 200)));
}

asio::awaitable<Result<std::string>> Gathering::ReadLine(Peer& peer) {
  const auto [error, size] = co_await asio::async_read_until(
      peer.socket, asio::dynamic_buffer(peer.buffer, kMostOfLine), '\n', kTuple);
  if (error) co_return absl::UnavailableError(error.message());
  std::string line = peer.buffer.substr(0, size - 1);
  peer.buffer.erase(0, size);
  co_return line;
}

asio::awaitable<void> Gathering::Listen(PeerPointer peer) {
  while (!peer->over) {
    const auto line = co_await ReadLine(*peer);
    if (!line.ok()) co_return Lost(*peer);
    Take(*peer, *line);
  }
}

void Gathering::Take(Peer& peer, const std::string& line) {
  peer.heard = Now();
  const std::size_t space = std::min(line.find(' '), line.size());
  const std::string word = line.substr(0, space);
  const std::string rest = line.substr(std::min(space + 1, line.size()));
  if (word == "done") peer.done = NumberIn(rest);
  if (word == "over") peer.over = true;
  if (word != "stop") return;
  const std::string why = Printable(rest, 200);
  if (plan_.loader == 0) Stop(why);  // the others hear of it from here
  if (on_stop) on_stop(why);
}

void Gathering::Lost(Peer& peer) {
  if (std::exchange(peer.over, true)) return;
  const std::string why = peer.name + " was lost";
  Stop(why);
  if (on_stop) on_stop(why);
}

asio::awaitable<void> Gathering::Watch() {
  asio::steady_timer timer(io_);
  while (true) {
    timer.expires_after(std::chrono::seconds(1));
    co_await timer.async_wait(kTuple);
    for (const PeerPointer& peer : peers_) {
      if (!peer->over && Now() - peer->heard > kSilence) Lost(*peer);
    }
  }
}

// A line is short and there is one a second, so it always fits into the socket's buffer.
void Gathering::Tell(Peer& peer, const std::string& line) {
  boost::system::error_code ignored;  // who does not hear it is found lost by Listen
  asio::write(peer.socket, asio::buffer(line + "\n"), ignored);
}

void Gathering::Done(std::uint64_t count) {
  for (const PeerPointer& peer : peers_) {
    if (!peer->over) Tell(*peer, absl::StrCat("done ", count));
  }
}

std::uint64_t Gathering::others() const {
  std::uint64_t all = 0;
  for (const PeerPointer& peer : peers_) all += peer->done;
  return all;
}

void Gathering::Stop(const std::string& why) {
  for (const PeerPointer& peer : peers_) {
    if (!peer->over) Tell(*peer, "stop " + why);
  }
}

void Gathering::Over() {
  for (const PeerPointer& peer : peers_) Tell(*peer, "over");
}

}  // namespace twofold::objects
