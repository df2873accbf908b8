#include "tests/support/http2_peer.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <nghttp2/nghttp2.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace twofold::testing {
namespace {

constexpr std::chrono::seconds kPatience{30};
constexpr std::size_t kFrameHead = 9;  // size, type, flags, stream
constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

template <typename T, void (*Free)(T*)>
struct Freed {
  void operator()(T* object) const { Free(object); }
};
using Context = std::unique_ptr<SSL_CTX, Freed<SSL_CTX, SSL_CTX_free>>;
using Session = std::unique_ptr<SSL, Freed<SSL, SSL_free>>;

template <typename Read>
auto ReadPem(const std::string& text, Read read) {
  BIO* const bio = BIO_new_mem_buf(text.data(), static_cast<int>(text.size()));
  auto* const made = read(bio, nullptr, nullptr, nullptr);
  BIO_free(bio);
  return made;
}

}  // namespace

struct Http2Peer::Secured {
  Context context;
  Session session;
};

/// The headers' tables of what the server sends.
struct Http2Peer::Inflater {
  Inflater() { nghttp2_hd_inflate_new(&tables); }
  ~Inflater() { nghttp2_hd_inflate_del(tables); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  nghttp2_hd_inflater* tables = nullptr;
};

Http2Peer::Http2Peer(std::uint16_t port, const Tls* tls, const std::string& host)
    : socket_(socket(AF_INET, SOCK_STREAM, 0)), inflater_(std::make_unique<Inflater>()) {
  EXPECT_GE(socket_, 0);
  SetPatience(kPatience);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  EXPECT_EQ(inet_pton(AF_INET, host.c_str(), &address.sin_addr), 1);
  const int later = 1;  // connect chooses the port, as it may take one of a connection that is over
  setsockopt(socket_, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &later, sizeof later);
  EXPECT_EQ(bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return;
  if (tls == nullptr) return;
  signal(SIGPIPE, SIG_IGN);  // OpenSSL writes without MSG_NOSIGNAL
  secured_ = std::make_unique<Secured>();
  secured_->context.reset(SSL_CTX_new(TLS_client_method()));
  if (!tls->cert.empty()) {
    const std::unique_ptr<X509, Freed<X509, X509_free>> cert(ReadPem(tls->cert, PEM_read_bio_X509));
    const std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY, EVP_PKEY_free>> key(
        ReadPem(tls->key, PEM_read_bio_PrivateKey));
    SSL_CTX_use_certificate(secured_->context.get(), cert.get());
    SSL_CTX_use_PrivateKey(secured_->context.get(), key.get());
  }
  static constexpr unsigned char kH2[] = {2, 'h', '2'};
  SSL_CTX_set_alpn_protos(secured_->context.get(), kH2, sizeof kH2);
  secured_->session.reset(SSL_new(secured_->context.get()));
  SSL_set_fd(secured_->session.get(), socket_);
  SSL_connect(secured_->session.get());  // if it fails, so will Send
}

Http2Peer::~Http2Peer() {
  secured_.reset();
  close(socket_);
}

void Http2Peer::SetPatience(std::chrono::milliseconds patience) {
  const timeval time{patience.count() / 1000, patience.count() % 1000 * 1000};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

std::string Http2Peer::ServerName() const {
  const X509* const cert = SSL_get0_peer_certificate(secured_->session.get());
  std::array<char, 256> name{};
  if (cert != nullptr) {
    X509_NAME_get_text_by_NID(X509_get_subject_name(cert), NID_commonName, name.data(),
                              name.size());
  }
  return name.data();
}

bool Http2Peer::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const long sent =
        secured_ ? SSL_write(secured_->session.get(), bytes.data(), static_cast<int>(bytes.size()))
                 : send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

long Http2Peer::Read(char* into, std::size_t size) {
  return secured_ ? SSL_read(secured_->session.get(), into, static_cast<int>(size))
                  : recv(socket_, into, size, 0);
}

/// False: the server has closed.
bool Http2Peer::Receive() {
  std::array<char, 65536> buffer{};
  const long size = Read(buffer.data(), buffer.size());
  if (size > 0) received_.append(buffer.data(), static_cast<std::size_t>(size));
  return size > 0;
}

/// The status of gRPC among the headers of a block; empty: it has none.
std::string Http2Peer::StatusIn(std::string_view block) {
  std::string status;
  const auto* at = reinterpret_cast<const std::uint8_t*>(block.data());
  const auto* const end = at + block.size();
  for (int flags = 0; (flags & NGHTTP2_HD_INFLATE_FINAL) == 0;) {
    nghttp2_nv header{};
    const ssize_t used = nghttp2_hd_inflate_hd2(inflater_->tables, &header, &flags, at,
                                                static_cast<std::size_t>(end - at), 1);
    if (used < 0) {
      ADD_FAILURE() << "the server sends headers that cannot be read";
      break;
    }
    at += used;
    if ((flags & NGHTTP2_HD_INFLATE_EMIT) == 0) continue;
    const std::string_view name(reinterpret_cast<const char*>(header.name), header.namelen);
    if (name == "grpc-status") {
      status.assign(reinterpret_cast<const char*>(header.value), header.valuelen);
    }
  }
  nghttp2_hd_inflate_end_headers(inflater_->tables);
  return status;
}

std::string Http2Peer::ReadFrame() {
  const auto receive = [this](std::size_t size) {
    while (received_.size() < size) {
      if (!Receive()) return false;
    }
    return true;
  };
  if (!receive(kFrameHead)) return {};
  const auto byte = [this](std::size_t i) { return static_cast<std::uint8_t>(received_[i]); };
  const std::size_t size = (std::size_t{byte(0)} << 16 | byte(1) << 8 | byte(2)) + kFrameHead;
  if (!receive(size)) return {};
  std::string frame = received_.substr(0, size);
  received_.erase(0, size);
  return frame;
}

int Http2Peer::ReadStatus(std::string* data) {
  while (true) {
    const std::string frame = ReadFrame();
    if (frame.empty()) return -1;
    const std::string_view payload = std::string_view(frame).substr(kFrameHead);
    if (frame[3] == kData && data != nullptr) data->append(payload);
    if (frame[3] != kHeaders) continue;
    const std::string status = StatusIn(payload);
    if (!status.empty()) return std::stoi(status);
  }
}

bool Http2Peer::IsClosed(std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  std::array<char, 65536> buffer{};
  while (std::chrono::steady_clock::now() < end) {
    pollfd waited{socket_, POLLIN, 0};
    poll(&waited, 1, 10);
    if (waited.revents == 0) continue;
    const long size = recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (size == 0 || (size < 0 && errno != EAGAIN)) return true;
  }
  return false;
}

std::string Http2Peer::Number(std::uint32_t number, int bytes) {
  std::string text;
  while (bytes-- > 0) text.push_back(static_cast<char>(number >> (8 * bytes)));
  return text;
}

std::string Http2Peer::Frame(Type type, std::uint8_t flags, std::uint32_t stream,
                             std::string_view payload) {
  std::string frame = Number(static_cast<std::uint32_t>(payload.size()), 3);
  frame.push_back(static_cast<char>(type));
  frame.push_back(static_cast<char>(flags));
  frame += Number(stream);
  return frame.append(payload);
}

std::string Http2Peer::Literal(std::string_view name, std::string_view value) {
  std::string literal(1, '\0');
  for (const std::string_view text : {name, value}) {
    EXPECT_LT(text.size(), 127U) << "a longer one needs more than one byte for its length";
    literal.push_back(static_cast<char>(text.size()));
    literal.append(text);
  }
  return literal;
}

std::string Http2Peer::Request(std::string_view path, std::string_view more) {
  return Literal(":method", "POST") + Literal(":scheme", "http") + Literal(":path", path) +
         Literal(":authority", "x") + Literal("te", "trailers") +
         Literal("content-type", "application/grpc") + std::string(more);
}

std::string Http2Peer::Resets(std::string_view path, std::uint32_t first, int count) {
  std::string frames;
  const std::string request = Request(path);
  for (std::uint32_t stream = first; count > 0; stream += 2, --count) {
    frames += Frame(kHeaders, kEndHeaders, stream, request);
    frames += Frame(kReset, kNone, stream, Number(8));
  }
  return frames;
}

std::string Http2Peer::ManyHeaders() {
  constexpr std::size_t kMostInAFrame = 16'384;
  const std::string header = Literal("x", "yyyyyyyyyyyyyyyy");
  std::string block;
  while (block.size() + header.size() <= kMostInAFrame) block += header;
  return block;
}

bool Http2Peer::Greet() {
  const std::string no_table = Number(1, 2) + Number(0);  // SETTINGS_HEADER_TABLE_SIZE
  return Send(std::string(kPreface) + Frame(kSettings, kNone, 0, no_table));
}

bool Http2Peer::Call(std::string_view path, std::string_view more, std::string_view message,
                     bool compressed) {
  const std::uint32_t stream = std::exchange(stream_, stream_ + 2);
  std::string data(1, compressed ? '\1' : '\0');
  data += Number(static_cast<std::uint32_t>(message.size()));
  data.append(message);
  return Send(Frame(kHeaders, kEndHeaders, stream, Request(path, more)) +
              Frame(kData, kEndStream, stream, data));
}

int HealthStatus(std::uint16_t port, const Http2Peer::Tls* tls) {
  Http2Peer peer(port, tls);
  if (!peer.Greet() || !peer.Call("/grpc.health.v1.Health/Check")) return -1;
  return peer.ReadStatus();
}

}  // namespace twofold::testing
