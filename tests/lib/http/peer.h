#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace twofold::http {

inline constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

/// The other end of a connection to a server on loopback: sends any bytes, broken ones too.
/// Every wait ends after 30 s at most, so that a failing test ends.
class Peer {
 public:
  /// `receive_buffer`: bytes the kernel may keep for us, 0 = its own choice. `host`: our address,
  /// of 127.0.0.0/8.
  explicit Peer(std::uint16_t port, int receive_buffer = 0, const char* host = "127.0.0.1");
  Peer(Peer&& other) noexcept;
  Peer(const Peer&) = delete;
  ~Peer();

  /// False: the server has closed.
  bool Send(std::string_view bytes);
  void FinishSending();

  /// One response, as long as its Content-Length says (or its head alone, for an answer to HEAD);
  /// empty if the server closes first.
  std::string ReadResponse();
  std::string ReadHead();

  /// All up to and with `mark`; empty if the server closes first.
  std::string ReadUntil(std::string_view mark);

  /// All until the server closes. `closed` is false if it does not.
  std::string ReadAll();
  [[nodiscard]] bool closed() const { return closed_; }

 private:
  bool ReadSome();

  int socket_;
  bool closed_ = false;
  std::string received_;
};

/// Sends `bytes` on a connection of its own; all that comes back until the server closes.
std::string Ask(std::uint16_t port, std::string_view bytes);

/// The status of a response as raw text; 0 if it is none.
int StatusOf(std::string_view response);

}  // namespace twofold::http
