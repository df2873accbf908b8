#include "bench/loops/ways.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

#include "bench/loops/sockets.h"

namespace twofold::h2 {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kReadBytes = 256 << 10;  // as the loop's
constexpr std::size_t kOwnBytes = 128 << 10;   // the largest message here is read at once

enum class Writes {
  kAtEnd,  ///< of a turn, which Asio does not have: see MarkDirty
  kAtOnce  ///< for each socket that was served: what a turn made ready does not go out together
};

class OnAsio : public Waiting {
 public:
  explicit OnAsio(Writes writes) : writes_(writes) { buffers_.in.resize(kReadBytes); }

  /// What is posted runs after all that was found readable together; before that, Asio looks once
  /// more for what is readable.
  void MarkDirty(Link& link) final {
    if (writes_ == Writes::kAtEnd && dirty_.empty()) asio::post(io_, [this] { Flush(); });
    dirty_.push_back(&link);
  }
  void Run() final { io_.run(); }
  void Stop() final { io_.stop(); }
  void Turn(int sockets) final {
    for (int i = 0; i < sockets; ++i) io_.run_one();
  }
  Loop::Buffers& buffers() final { return buffers_; }

 protected:
  // The executor by its type: any_io_executor would cost more.
  using Socket = asio::basic_stream_socket<asio::ip::tcp, asio::io_context::executor_type>;

  void OnServed() {
    if (writes_ == Writes::kAtOnce) Flush();
  }
  Socket Own(Descriptor socket) { return Socket(io_, asio::ip::tcp::v4(), socket.Release()); }

 private:
  void Flush() {
    for (std::size_t i = 0; i < dirty_.size(); ++i) dirty_[i]->OnFlush();  // may mark others
    dirty_.clear();
  }

  const Writes writes_;
  asio::io_context io_{1};
  const asio::executor_work_guard<asio::io_context::executor_type> stays_{io_.get_executor()};
  std::vector<Link*> dirty_;
  Loop::Buffers buffers_;
};

/// Asio says that a socket is readable; all are read into one buffer.
class OnAsioWaits final : public OnAsio {
 public:
  using OnAsio::OnAsio;
  void Add(Link& link, Descriptor socket) override {
    sockets_.push_back(std::make_unique<Socket>(Own(std::move(socket))));
    Wait(*sockets_.back(), link);
  }

 private:
  void Wait(Socket& socket, Link& link) {
    socket.async_wait(Socket::wait_read,
                      [this, &socket, &link](const boost::system::error_code& error) {
                        if (error) return;
                        link.OnReady(EPOLLIN);
                        OnServed();
                        Wait(socket, link);
                      });
  }

  std::vector<std::unique_ptr<Socket>> sockets_;
};

/// Asio reads. It reads several sockets before it says so, hence a buffer for each.
class OnAsioReads final : public OnAsio {
 public:
  using OnAsio::OnAsio;
  void Add(Link& link, Descriptor socket) override {
    readers_.push_back(std::make_unique<Reader>(link, Own(std::move(socket))));
    Read(*readers_.back());
  }

 private:
  struct Reader {
    Reader(Link& to, Socket from) : link(to), socket(std::move(from)) {}
    Link& link;
    Socket socket;
    const std::unique_ptr<char[]> in = std::make_unique_for_overwrite<char[]>(kOwnBytes);
  };

  void Read(Reader& reader) {
    reader.socket.async_read_some(
        asio::buffer(reader.in.get(), kOwnBytes),
        [this, &reader](const boost::system::error_code& error, std::size_t size) {
          if (error) return;
          reader.link.OnBytes({reader.in.get(), size});
          OnServed();
          Read(reader);
        });
  }

  std::vector<std::unique_ptr<Reader>> readers_;
};

template <typename T, auto... kArguments>
std::unique_ptr<Waiting> Make() {
  return std::make_unique<T>(kArguments...);
}

}  // namespace

const Way kWays[4] = {{"lib/h2", Make<OnLoop>},
                      {"async_wait", Make<OnAsioWaits, Writes::kAtEnd>},
                      {"async_read_some", Make<OnAsioReads, Writes::kAtEnd>},
                      {"the same, at once", Make<OnAsioReads, Writes::kAtOnce>}};

void Link::OnReady(std::uint32_t) {
  std::string& in = buffers->in;
  ssize_t got = 0;
  do {
    got = recv(socket, in.data(), in.size(), 0);
    if (got > 0) OnBytes({in.data(), static_cast<std::size_t>(got)});
  } while (got == static_cast<ssize_t>(in.size()));
}

void OnLoop::Add(Link& link, Descriptor socket) {
  Need(loop_.Add(link, socket.get(), EPOLLIN), "epoll_ctl");
  sockets_.push_back(std::move(socket));
}

void OnLoop::Turn(int) { loop_.Turn(std::chrono::seconds(1)); }

}  // namespace twofold::h2
