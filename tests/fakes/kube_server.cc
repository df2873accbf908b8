#include "tests/fakes/kube_server.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <sys/socket.h>

#include <utility>

#include "tests/support/gzip.h"

namespace twofold::fakes {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace ssl = boost::asio::ssl;
using asio::ip::tcp;
using boost::system::error_code;
using WireResponse = beast::http::response<beast::http::string_body>;

constexpr std::size_t kPackFrom = 128 << 10;  // as API servers do

std::string VerbOf(const std::string& method, bool named, bool watches) {
  if (method == "POST") return "create";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return named ? "delete" : "deletecollection";
  if (method != "GET") throw Refusal{405, "MethodNotAllowed", "the server does not allow this"};
  return watches ? "watch" : named ? "get" : "list";
}

}  // namespace

KubeApi::Server::Server(KubeApiOptions options)
    : options_(std::move(options)), objects_(options_.resources, options_.spec_fields) {
  if (!options_.cert.empty()) {
    tls_.emplace(ssl::context::tls);
    tls_->use_certificate_chain(asio::buffer(options_.cert));
    tls_->use_private_key(asio::buffer(options_.key), ssl::context::pem);
    if (!options_.client_ca.empty()) {
      tls_->add_certificate_authority(asio::buffer(options_.client_ca));
      tls_->set_verify_mode(ssl::verify_peer);
    }
  }
  const tcp::endpoint any(asio::ip::address_v4::loopback(), 0);
  acceptor_.open(any.protocol());
  acceptor_.bind(any);
  acceptor_.listen();
  port_ = acceptor_.local_endpoint().port();
  acceptor_thread_ = std::thread([this] { Accept(); });
}

KubeApi::Server::~Server() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
    // Ends what blocks on them; closing would let others have the numbers.
    for (Client& client : clients_) ::shutdown(client.wire->handle(), SHUT_RDWR);
  }
  ::shutdown(acceptor_.native_handle(), SHUT_RDWR);
  acceptor_thread_.join();
  std::list<Client> clients;
  {
    const MutexLock lock(mutex_);
    clients.swap(clients_);
  }
  for (Client& client : clients) client.thread.join();
}

void KubeApi::Server::Accept() {
  for (;;) {
    error_code error;
    tcp::socket socket(io_);
    acceptor_.accept(socket, error);
    const MutexLock lock(mutex_);
    if (stopping_ || error) return;
    ++connections_;
    error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    Client& client = clients_.emplace_back();
    client.wire = std::make_unique<Wire>(std::move(socket), tls_ ? &*tls_ : nullptr);
    client.thread = std::thread([this, wire = client.wire.get()] { Serve(*wire); });
  }
}

void KubeApi::Server::Serve(Wire& wire) {
  if (!wire.Handshake()) {
    beast::flat_buffer buffer;
    while (ServeOne(wire, buffer)) {
    }
  }
  ::shutdown(wire.handle(), SHUT_RDWR);
}

/// False: the connection is of no further use.
bool KubeApi::Server::ServeOne(Wire& wire, beast::flat_buffer& buffer) {
  WireRequest request;
  error_code error;
  beast::http::read(wire, buffer, request, error);
  if (error) return false;
  Answer answer;
  try {
    {
      const MutexLock lock(mutex_);
      requests_.push_back(
          absl::StrCat(std::string(request.method_string()), " ", std::string(request.target())));
    }
    Authenticate(wire, request);
    const Asked asked = Understand(request);
    const std::optional<KubeFault> fault = TakeFault(asked);
    if (fault && !Suffer(wire, *fault, answer)) return false;
    if (fault && !answer.body.empty()) return Reply(wire, request, std::move(answer));
    if (asked.verb == "watch") return Watch(wire, asked, fault);
    const bool is_text = asked.subresource == "proxy" || asked.subresource == "log";
    const bool is_review = asked.resource == kSubjectAccessReviews;
    answer = asked.verb == "metrics" ? Metrics()
             : is_text               ? Text(std::string(request.target()))
             : is_review             ? Review(request)
                                     : Act(asked, request);
    if (fault && fault->kind == KubeFault::Kind::kLoseReply) return false;
  } catch (const Refusal& refusal) {
    answer.status = refusal.status;
    answer.body = ToJson(refusal).dump();
  }
  return Reply(wire, request, std::move(answer));
}

bool KubeApi::Server::Reply(Wire& wire, const WireRequest& request, Answer answer) {
  WireResponse response(static_cast<beast::http::status>(answer.status), 11);
  response.set(beast::http::field::content_type, answer.content_type);
  for (const auto& [name, value] : answer.headers) response.set(name, value);
  if (answer.retry_after_s >= 0) {
    response.set(beast::http::field::retry_after, std::to_string(answer.retry_after_s));
  }
  const bool packs = request[beast::http::field::accept_encoding] == "gzip";
  if (packs && answer.body.size() > kPackFrom) {
    response.set(beast::http::field::content_encoding, "gzip");
    answer.body = Pack(answer.body, Z_BEST_SPEED);
  }
  response.body() = std::move(answer.body);
  response.keep_alive(request.keep_alive());
  response.prepare_payload();
  error_code error;
  beast::http::write(wire, response, error);
  return !error && request.keep_alive();
}

void KubeApi::Server::Authenticate(Wire& wire, const WireRequest& request) {
  const std::string given(request[beast::http::field::authorization]);
  const MutexLock lock(mutex_);
  if (options_.tokens.empty() && options_.client_ca.empty()) return;
  if (!wire.user().empty()) return;
  if (given.starts_with("Bearer ") && options_.tokens.contains(given.substr(7))) return;
  throw Refusal{401, "Unauthorized", "Unauthorized"};
}

Asked KubeApi::Server::Understand(const WireRequest& request) {
  const auto target = http::ParseTarget(std::string(request.target()));
  if (!target.ok()) throw Refusal{400, "BadRequest", std::string(target.status().message())};
  std::vector<std::string> parts;
  for (const auto part : absl::StrSplit(target->path, '/', absl::SkipEmpty())) {
    parts.push_back(http::PercentDecode(std::string(part)).value_or(""));
  }
  if (target->path == "/metrics" || target->path == "/version") {
    Asked asked;
    asked.verb = target->path.substr(1);
    return asked;
  }
  const bool core = !parts.empty() && parts[0] == "api";
  const std::size_t head = core ? 2 : 3;  // api/v1, apis/group/version
  if (parts.size() < head) throw Refusal{404, "NotFound", "the server could not find this path"};
  const std::string group = core ? "" : parts[1];
  const std::string version = parts[head - 1];
  parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(head));
  Asked asked;
  asked.query = target->query;
  if (parts.empty()) {
    asked.verb = "discover";
    asked.resource = {group, version, "", "", false};
    return asked;
  }
  if (parts[0] == "namespaces" && parts.size() > 2) {
    asked.name.space = parts[1];
    parts.erase(parts.begin(), parts.begin() + 2);
  }
  const MutexLock lock(mutex_);
  asked.resource = objects_.At(group, version, parts[0]);
  if (parts.size() > 1) asked.name.name = parts[1];
  if (parts.size() > 2) asked.subresource = parts[2];
  const std::string watch = asked.Query("watch");
  asked.verb = VerbOf(std::string(request.method_string()), parts.size() > 1,
                      watch == "1" || watch == "true");
  const std::string sub = asked.subresource.empty() ? "" : "/" + asked.subresource;
  used_.insert({asked.verb, group, asked.resource.plural + sub, asked.name.space});
  return asked;
}

}  // namespace twofold::fakes
