#include "tests/fakes/kube_api.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <openssl/x509.h>
#include <poll.h>
#include <sys/socket.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <list>
#include <thread>
#include <utility>

#include "lib/common/mutex.h"
#include "lib/http/message.h"
#include "lib/kube/credentials.h"
#include "tests/fakes/kube_objects.h"

namespace twofold::fakes {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace ssl = boost::asio::ssl;
using asio::ip::tcp;
using boost::system::error_code;
using kube::NameOf;
using kube::TextAt;
using WireRequest = beast::http::request<beast::http::string_body>;
using WireResponse = beast::http::response<beast::http::string_body>;
using Kind = KubeFault::Kind;

constexpr std::size_t kPackFrom = 128 << 10;  // as API servers do

/// A peer's bytes, through TLS or not: a SyncReadStream and SyncWriteStream.
class Wire {
 public:
  Wire(tcp::socket socket, ssl::context* context) : socket_(std::move(socket)) {
    if (context != nullptr) tls_.emplace(socket_, *context);
  }

  error_code Handshake() {
    error_code error;
    if (tls_) tls_->handshake(ssl::stream_base::server, error);
    return error;
  }

  template <typename Buffers>
  std::size_t read_some(const Buffers& buffers, error_code& error) {
    return tls_ ? tls_->read_some(buffers, error) : socket_.read_some(buffers, error);
  }
  template <typename Buffers>
  std::size_t read_some(const Buffers& buffers) {
    error_code error;
    const std::size_t size = read_some(buffers, error);
    if (error) throw boost::system::system_error(error);
    return size;
  }
  template <typename Buffers>
  std::size_t write_some(const Buffers& buffers, error_code& error) {
    return tls_ ? tls_->write_some(buffers, error) : socket_.write_some(buffers, error);
  }
  template <typename Buffers>
  std::size_t write_some(const Buffers& buffers) {
    error_code error;
    const std::size_t size = write_some(buffers, error);
    if (error) throw boost::system::system_error(error);
    return size;
  }

  /// False: the peer is gone, or takes nothing for `patience`.
  bool Write(std::string_view text, Duration patience) {
    const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(patience);
    error_code error;
    socket_.non_blocking(true, error);
    while (!text.empty() && !error) {
      text.remove_prefix(write_some(asio::buffer(text.data(), text.size()), error));
      if (error != asio::error::would_block) continue;
      pollfd ready{handle(), POLLOUT, 0};
      if (poll(&ready, 1, static_cast<int>(wait.count())) == 1) error.clear();
    }
    error_code ignored;
    socket_.non_blocking(false, ignored);
    return !error;
  }

  /// The common name of the certificate that the peer has shown; empty: none.
  std::string user() {
    X509* certificate = tls_ ? SSL_get0_peer_certificate(tls_->native_handle()) : nullptr;
    if (certificate == nullptr) return {};
    std::array<char, 256> name{};
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name.data(),
                              static_cast<int>(name.size()));
    return name.data();
  }

  int handle() { return socket_.native_handle(); }

 private:
  tcp::socket socket_;
  std::optional<ssl::stream<tcp::socket&>> tls_;
};

/// What a request is about.
struct Asked {
  std::string verb;  ///< as roles have it
  Resource resource;
  ObjectName name;
  std::string subresource;
  http::Params query;

  [[nodiscard]] std::string Query(std::string_view key) const {
    const std::string* value = http::Find(query, key);
    return value == nullptr ? "" : *value;
  }
};

struct Answer {
  int status = 200;
  std::string body;
  std::string content_type = "application/json";
  int retry_after_s = -1;
  bool keep_alive = true;
};

std::string VerbOf(const std::string& method, bool named, bool watches) {
  if (method == "POST") return "create";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return named ? "delete" : "deletecollection";
  if (method != "GET") throw Refusal{405, "MethodNotAllowed", "the server does not allow this"};
  return watches ? "watch" : named ? "get" : "list";
}

std::string Pack(const std::string& text) {
  z_stream state{};
  deflateInit2(&state, Z_BEST_SPEED, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&state, text.size()), '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  state.avail_in = static_cast<uInt>(text.size());
  state.next_out = reinterpret_cast<Bytef*>(packed.data());
  state.avail_out = static_cast<uInt>(packed.size());
  deflate(&state, Z_FINISH);
  packed.resize(state.total_out);
  deflateEnd(&state);
  return packed;
}

std::string EventLine(const std::string& type, const Json& object) {
  // The type comes first, as from API servers.
  return absl::StrCat(R"({"type":")", type, R"(","object":)", object.dump(), "}\n");
}

std::string Chunk(const std::string& text) {
  return absl::StrCat(absl::Hex(text.size()), "\r\n", text, "\r\n");
}

Json BookmarkOf(const Resource& resource, std::uint64_t version, bool ends_initial) {
  Json bookmark = {{"kind", resource.kind},
                   {"apiVersion", kube::ApiVersion(resource)},
                   {"metadata", {{"resourceVersion", std::to_string(version)}}}};
  if (ends_initial) {
    bookmark["metadata"]["annotations"] = {{"k8s.io/initial-events-end", "true"}};
  }
  return bookmark;
}

/// What a watcher with selectors is told of a change; empty: nothing.
std::string TypeFor(const ObjectChange& change, const Asked& asked) {
  if (change.plural != asked.resource.plural || change.group != asked.resource.group) return {};
  const std::string space = NameOf(change.object).space;
  if (!asked.name.space.empty() && asked.name.space != space) return {};
  const auto matches = [&](const Json& object) {
    return !object.is_null() && MatchesLabels(object, asked.Query("labelSelector")) &&
           MatchesFields(object, asked.Query("fieldSelector"));
  };
  const bool before = matches(change.before);
  const bool now = change.type != "DELETED" && matches(change.object);
  if (before && now) return "MODIFIED";
  return before ? "DELETED" : now ? "ADDED" : "";
}

}  // namespace

class KubeApi::Server {
 public:
  explicit Server(KubeApiOptions options);
  ~Server();

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] const KubeApiOptions& options() const { return options_; }

  /// Runs `act` on the objects under the lock; watchers look for changes then.
  template <typename Act>
  auto With(Act act) {
    const MutexLock lock(mutex_);
    changed_.NotifyAll();
    return act(objects_);
  }

  void OnChange(std::function<void(const std::string&, const Json&)> on_change);
  void EndWatches(bool in_mid_line);
  void Bookmark();
  void Add(KubeFault fault);
  std::set<KubeUse> used();
  std::vector<std::string> requests();
  int connections();
  bool AwaitWatches(int count, Instant deadline);
  void SetTokens(std::set<std::string> tokens);

 private:
  struct Client {
    std::unique_ptr<Wire> wire;
    std::thread thread;
  };

  void Accept();
  void Serve(Wire& wire);
  bool ServeOne(Wire& wire, beast::flat_buffer& buffer);
  bool Reply(Wire& wire, const WireRequest& request, Answer answer);
  Asked Understand(const WireRequest& request);
  void Authenticate(Wire& wire, const WireRequest& request);
  std::optional<KubeFault> TakeFault(const Asked& asked);
  bool Suffer(Wire& wire, const KubeFault& fault, Answer& answer);
  Answer Act(const Asked& asked, const WireRequest& request);
  Answer List(const Asked& asked) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Answer Write(const Asked& asked, const WireRequest& request, KubeObjects& objects)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Watch(Wire& wire, const Asked& asked, const std::optional<KubeFault>& fault);
  std::uint64_t BeginWatch(const Asked& asked, std::vector<std::string>& lines)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WatchLoop(Wire& wire, const Asked& asked, const std::optional<KubeFault>& fault);
  bool AwaitStop(Duration wait);

  KubeApiOptions options_;
  std::optional<ssl::context> tls_;
  asio::io_context io_;
  tcp::acceptor acceptor_{io_};
  std::uint16_t port_ = 0;

  Mutex mutex_;
  Condition changed_;
  KubeObjects objects_ ABSL_GUARDED_BY(mutex_);
  std::list<Client> clients_ ABSL_GUARDED_BY(mutex_);
  std::vector<KubeFault> faults_ ABSL_GUARDED_BY(mutex_);
  std::set<KubeUse> used_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::string> requests_ ABSL_GUARDED_BY(mutex_);
  std::function<void(const std::string&, const Json&)> on_change_ ABSL_GUARDED_BY(mutex_);
  int connections_ ABSL_GUARDED_BY(mutex_) = 0;
  int watches_ ABSL_GUARDED_BY(mutex_) = 0;
  int ends_ ABSL_GUARDED_BY(mutex_) = 0;
  int breaks_ ABSL_GUARDED_BY(mutex_) = 0;
  int bookmarks_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;

  std::thread acceptor_thread_;
};

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
    answer = Act(asked, request);
    if (fault && fault->kind == Kind::kLoseReply) return false;
  } catch (const Refusal& refusal) {
    answer.status = refusal.status;
    answer.body = ToJson(refusal).dump();
  }
  return Reply(wire, request, std::move(answer));
}

bool KubeApi::Server::Reply(Wire& wire, const WireRequest& request, Answer answer) {
  WireResponse response(static_cast<beast::http::status>(answer.status), 11);
  response.set(beast::http::field::content_type, answer.content_type);
  if (answer.retry_after_s >= 0) {
    response.set(beast::http::field::retry_after, std::to_string(answer.retry_after_s));
  }
  const bool packs = request[beast::http::field::accept_encoding] == "gzip";
  if (packs && answer.body.size() > kPackFrom) {
    response.set(beast::http::field::content_encoding, "gzip");
    answer.body = Pack(answer.body);
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
  if (target->path == "/version") {
    Asked asked;
    asked.verb = "version";
    return asked;
  }
  std::vector<std::string> parts;
  for (const auto part : absl::StrSplit(target->path, '/', absl::SkipEmpty())) {
    parts.push_back(http::PercentDecode(std::string(part)).value_or(""));
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

std::optional<KubeFault> KubeApi::Server::TakeFault(const Asked& asked) {
  const MutexLock lock(mutex_);
  for (KubeFault& fault : faults_) {
    const bool fits = (fault.verb.empty() || fault.verb == asked.verb) &&
                      (fault.plural.empty() || fault.plural == asked.resource.plural);
    if (!fits || fault.times == 0) continue;
    --fault.times;
    return fault;
  }
  return std::nullopt;
}

/// What a fault does before the request is served: an answer in its place, if `answer` gets a body.
/// False: the connection ends.
bool KubeApi::Server::Suffer(Wire& wire, const KubeFault& fault, Answer& answer) {
  switch (fault.kind) {
    case Kind::kStatus:
      answer.status = fault.status;
      answer.body =
          fault.body.empty() ? ToJson({fault.status, "", "made to fail"}).dump() : fault.body;
      return true;
    case Kind::kThrottle:
      answer = {429, "Too many requests, please try again later.", "text/plain; charset=utf-8",
                fault.retry_after_s};
      return true;
    case Kind::kClose:
      return false;
    case Kind::kHang:
      AwaitStop(Duration::max());
      return false;
    case Kind::kSlow:
      return AwaitStop(fault.delay);
    case Kind::kWrongType:
      answer.body = "<html><body>Sign in</body></html>";
      answer.content_type = "text/html";
      return true;
    case Kind::kHuge:
      answer.body = absl::StrCat("{\"x\":\"", std::string(fault.bytes, 'x'), "\"}");
      return true;
    case Kind::kNoInitialEvents:
      answer.status = 422;
      answer.body =
          ToJson({422, "Invalid",
                  "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch "
                  "unless the WatchList feature gate is enabled"})
              .dump();
      return true;
    case Kind::kEndAtOnce:
      wire.Write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n",
                 options_.slow_reader);
      return false;
    case Kind::kLoseReply:
    case Kind::kBreakLine:
    case Kind::kDouble:
    case Kind::kExpired:
      return true;
  }
  return true;
}

/// False: the fake ends.
bool KubeApi::Server::AwaitStop(Duration wait) {
  const bool forever = wait == Duration::max();
  const Instant end = forever ? Instant() : Now() + wait;
  const MutexLock lock(mutex_);
  while (!stopping_ && (forever || Now() < end)) {
    if (forever) {
      changed_.Wait(mutex_);
    } else {
      changed_.WaitUntil(mutex_, end);
    }
  }
  return !stopping_;
}

Answer KubeApi::Server::Act(const Asked& asked, const WireRequest& request) {
  Answer answer;
  std::vector<ObjectChange> changes;
  std::function<void(const std::string&, const Json&)> tell;
  {
    const MutexLock lock(mutex_);
    const std::size_t before = objects_.history().size();
    if (asked.verb == "discover") {
      Json found = {{"kind", "APIResourceList"}, {"resources", Json::array()}};
      for (const Resource& resource : objects_.resources()) {
        if (resource.group != asked.resource.group || resource.version != asked.resource.version) {
          continue;
        }
        found["resources"].push_back({{"name", resource.plural + "/status"},
                                      {"kind", resource.kind},
                                      {"namespaced", resource.namespaced}});
        found["resources"].push_back({{"name", resource.plural},
                                      {"kind", resource.kind},
                                      {"namespaced", resource.namespaced}});
      }
      answer.body = found.dump();
    } else if (asked.verb == "version") {
      answer.body = Json{{"major", "1"}, {"minor", "36"}, {"gitVersion", "v1.36.1"}}.dump();
    } else if (asked.verb == "list") {
      answer = List(asked);
    } else if (asked.verb == "get") {
      answer.body = objects_.Get(asked.resource, asked.name).dump();
    } else {
      answer = Write(asked, request, objects_);
    }
    // Those of this request: what others change meanwhile is told by them.
    const auto& history = objects_.history();
    tell = on_change_;
    if (tell) changes.assign(history.begin() + static_cast<std::ptrdiff_t>(before), history.end());
    changed_.NotifyAll();
  }
  // Controllers that a test plays are told without the lock: they call us.
  for (const ObjectChange& change : changes) tell(change.type, change.object);
  return answer;
}

Answer KubeApi::Server::Write(const Asked& asked, const WireRequest& request,
                              KubeObjects& objects) {
  const std::string type(request[beast::http::field::content_type]);
  const Json body = Json::parse(request.body().empty() ? "{}" : request.body(), nullptr, false);
  if (body.is_discarded()) throw Refusal{400, "BadRequest", "the body is no JSON"};
  Writing writing{asked.Query("fieldManager"), asked.Query("dryRun") == "All",
                  asked.Query("fieldValidation") == "Strict", asked.Query("force") == "true",
                  asked.subresource};
  Answer answer;
  if (asked.verb == "create") {
    answer.status = 201;
    if (asked.subresource == "binding") {
      answer.body = objects.Bind(asked.name, body, writing).dump();
    } else if (asked.subresource.empty()) {
      answer.body = objects.Create(asked.resource, asked.name.space, body, writing).dump();
    } else {
      throw Refusal{404, "NotFound", "the server could not find the requested resource"};
    }
  } else if (asked.verb == "patch") {
    bool created = false;
    answer.body = objects.Patch(asked.resource, asked.name, type, body, writing, created).dump();
    if (created) answer.status = 201;
  } else if (asked.verb == "delete") {
    const Json left = objects.Delete(asked.resource, asked.name, body);
    answer.body = left.is_null() ? Json{{"kind", "Status"},
                                        {"apiVersion", "v1"},
                                        {"status", "Success"},
                                        {"details", {{"name", asked.name.name}}}}
                                       .dump()
                                 : left.dump();
  } else {
    throw Refusal{405, "MethodNotAllowed", "the server does not allow this method"};
  }
  return answer;
}

Answer KubeApi::Server::List(const Asked& asked) {
  const std::string wanted = asked.Query("resourceVersion");
  std::uint64_t version = objects_.version();
  std::uint64_t number = 0;
  if (absl::SimpleAtoi(wanted, &number) && number > version) {
    throw Refusal{
        504,
        "Timeout",
        absl::StrCat("Too large resource version: ", number),
        {{"causes", {{{"reason", "ResourceVersionTooLarge"}}}}, {"retryAfterSeconds", 1}}};
  }
  std::string after;
  const std::string token = asked.Query("continue");
  if (!token.empty()) {
    const std::vector<std::string> halves = absl::StrSplit(token, absl::MaxSplits(':', 1));
    if (halves.size() != 2 || !absl::SimpleAtoi(halves[0], &version)) {
      throw Refusal{400, "BadRequest", "continue key is not valid"};
    }
    if (version < objects_.compacted()) {
      throw Refusal{410, "Expired",
                    "The provided continue parameter is too old to display a consistent list "
                    "result."};
    }
    after = halves[1];
  }
  std::size_t limit = 0;
  // From the cache (resourceVersion=0) all come at once.
  if (!absl::SimpleAtoi(asked.Query("limit"), &limit) || wanted == "0") limit = 0;
  Json list = {{"kind", asked.resource.kind + "List"},
               {"apiVersion", kube::ApiVersion(asked.resource)},
               {"metadata", {{"resourceVersion", std::to_string(version)}}},
               {"items", Json::array()}};
  std::size_t left = 0;
  for (Json& object : objects_.List(asked.resource, asked.name.space, asked.Query("labelSelector"),
                                    asked.Query("fieldSelector"))) {
    const ObjectName name = NameOf(object);
    const std::string key = absl::StrCat(name.space, "/", name.name);
    if (!after.empty() && key <= after) continue;
    if (limit > 0 && list["items"].size() == limit) {
      ++left;
      continue;
    }
    list["metadata"]["continue"] = absl::StrCat(version, ":", key);
    object.erase("kind");
    object.erase("apiVersion");
    list["items"].push_back(std::move(object));
  }
  if (left == 0) {
    list["metadata"].erase("continue");
  } else {
    list["metadata"]["remainingItemCount"] = left;
  }
  Answer answer;
  answer.body = list.dump();
  return answer;
}

bool KubeApi::Server::Watch(Wire& wire, const Asked& asked, const std::optional<KubeFault>& fault) {
  if (asked.Query("sendInitialEvents") == "true" &&
      asked.Query("resourceVersionMatch") != "NotOlderThan") {
    throw Refusal{422, "Invalid", "resourceVersionMatch: Forbidden: must be NotOlderThan"};
  }
  if (!wire.Write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                  "Transfer-Encoding: chunked\r\n\r\n",
                  options_.slow_reader)) {
    return false;
  }
  WatchLoop(wire, asked, fault);
  return false;
}

/// Where in the history a watch begins, and the lines that come before.
std::uint64_t KubeApi::Server::BeginWatch(const Asked& asked, std::vector<std::string>& lines) {
  std::uint64_t version = 0;
  const bool initial = asked.Query("sendInitialEvents") == "true";
  const bool given = absl::SimpleAtoi(asked.Query("resourceVersion"), &version) && version > 0;
  if (given && version < objects_.compacted()) {
    Refusal expired{
        410, "Expired",
        absl::StrCat("too old resource version: ", version, " (", objects_.compacted(), ")")};
    lines.push_back(EventLine("ERROR", ToJson(expired)));
    return version;
  }
  if (given) return version;
  for (const Json& object :
       objects_.List(asked.resource, asked.name.space, asked.Query("labelSelector"),
                     asked.Query("fieldSelector"))) {
    lines.push_back(EventLine("ADDED", object));
  }
  if (initial) {
    lines.push_back(EventLine("BOOKMARK", BookmarkOf(asked.resource, objects_.version(), true)));
  }
  return objects_.version();
}

void KubeApi::Server::WatchLoop(Wire& wire, const Asked& asked,
                                const std::optional<KubeFault>& fault) {
  const auto has = [&](Kind kind) { return fault && fault->kind == kind; };
  int seconds = 0;
  if (!absl::SimpleAtoi(asked.Query("timeoutSeconds"), &seconds)) seconds = 1800;
  const Instant deadline = Now() + std::chrono::seconds(seconds);
  std::vector<std::string> lines;
  std::uint64_t version = 0;
  std::size_t next = 0;
  bool ends = false;
  bool breaks = has(Kind::kBreakLine);
  int end_at = 0;
  int break_at = 0;
  int bookmarks = 0;
  {
    const MutexLock lock(mutex_);
    version = BeginWatch(asked, lines);
    ends = !lines.empty() && lines.front().find("ERROR") != std::string::npos;
    if (has(Kind::kExpired)) {
      lines = {EventLine("ERROR", ToJson({410, "Expired", "too old resource version"}))};
      ends = true;
    }
    next = static_cast<std::size_t>(
        std::find_if(objects_.history().begin(), objects_.history().end(),
                     [&](const ObjectChange& change) { return change.version > version; }) -
        objects_.history().begin());
    ++watches_;
    end_at = ends_;
    break_at = breaks_;
    bookmarks = bookmarks_;
    changed_.NotifyAll();
  }
  for (;;) {
    for (const std::string& line : lines) {
      // Half an event, and the connection is gone.
      const bool cut = breaks && has(Kind::kBreakLine) && line.find("BOOKMARK") == line.npos;
      const std::string text = Chunk(line);
      bool sent = wire.Write(cut ? text.substr(0, text.size() / 2) : text, options_.slow_reader);
      if (sent && has(Kind::kDouble)) sent = wire.Write(text, options_.slow_reader);
      if (!sent || cut) ends = breaks = true;
      if (breaks && ends) break;
    }
    if (ends) break;
    lines.clear();
    const MutexLock lock(mutex_);
    while (lines.empty() && !ends) {
      const auto& history = objects_.history();
      for (; next < history.size(); ++next) {
        const std::string type = TypeFor(history[next], asked);
        if (!type.empty()) lines.push_back(EventLine(type, history[next].object));
      }
      if (bookmarks != bookmarks_) {
        bookmarks = bookmarks_;
        lines.push_back(
            EventLine("BOOKMARK", BookmarkOf(asked.resource, objects_.version(), false)));
      }
      if (break_at != breaks_) {
        ends = breaks = true;
        lines.assign(1, R"({"type":"ADDED","object":{"metadata)");
      } else if (stopping_) {
        ends = breaks = true;
      } else if (lines.empty() && (end_at != ends_ || Now() >= deadline)) {
        ends = true;
        lines.push_back(
            EventLine("BOOKMARK", BookmarkOf(asked.resource, objects_.version(), false)));
      } else if (lines.empty()) {
        changed_.WaitUntil(mutex_, deadline);
      }
    }
    if (!ends) continue;
    // The last ones; outside the lock it would be the same, as nobody waits for this thread.
    for (const std::string& line : lines) wire.Write(Chunk(line), options_.slow_reader);
    break;
  }
  if (!breaks) wire.Write("0\r\n\r\n", options_.slow_reader);
  const MutexLock lock(mutex_);
  --watches_;
  changed_.NotifyAll();
}

void KubeApi::Server::OnChange(std::function<void(const std::string&, const Json&)> on_change) {
  const MutexLock lock(mutex_);
  on_change_ = std::move(on_change);
}

void KubeApi::Server::EndWatches(bool in_mid_line) {
  const MutexLock lock(mutex_);
  ++(in_mid_line ? breaks_ : ends_);
  changed_.NotifyAll();
}

void KubeApi::Server::Bookmark() {
  const MutexLock lock(mutex_);
  ++bookmarks_;
  changed_.NotifyAll();
}

void KubeApi::Server::Add(KubeFault fault) {
  const MutexLock lock(mutex_);
  faults_.push_back(std::move(fault));
}

std::set<KubeUse> KubeApi::Server::used() {
  const MutexLock lock(mutex_);
  return used_;
}

std::vector<std::string> KubeApi::Server::requests() {
  const MutexLock lock(mutex_);
  return requests_;
}

int KubeApi::Server::connections() {
  const MutexLock lock(mutex_);
  return connections_;
}

bool KubeApi::Server::AwaitWatches(int count, Instant deadline) {
  const MutexLock lock(mutex_);
  while (watches_ != count && Now() < deadline) changed_.WaitUntil(mutex_, deadline);
  return watches_ == count;
}

void KubeApi::Server::SetTokens(std::set<std::string> tokens) {
  const MutexLock lock(mutex_);
  options_.tokens = std::move(tokens);
}

KubeApi::KubeApi(KubeApiOptions options) : server_(std::make_unique<Server>(std::move(options))) {}
KubeApi::~KubeApi() = default;

std::uint16_t KubeApi::port() const { return server_->port(); }

std::string KubeApi::url() const {
  return absl::StrCat(server_->options().cert.empty() ? "http" : "https", "://127.0.0.1:", port());
}

kube::Access KubeApi::access(const std::string& ca) const {
  kube::Config config;
  config.cluster.server = url();
  config.cluster.ca = ca;
  const auto& tokens = server_->options().tokens;
  if (!tokens.empty()) config.identity.token = *tokens.begin();
  return kube::Open(std::move(config));
}

Json KubeApi::Put(const Resource& resource, Json object) {
  return server_->With([&](KubeObjects& all) { return all.Put(resource, std::move(object)); });
}

Json KubeApi::Change(const Resource& resource, const ObjectName& name,
                     const std::function<void(Json&)>& change) {
  return server_->With([&](KubeObjects& all) {
    Json object = all.Get(resource, name);
    change(object);
    return all.Put(resource, std::move(object));
  });
}

void KubeApi::Remove(const Resource& resource, const ObjectName& name) {
  server_->With([&](KubeObjects& all) { all.Remove(resource, name); });
}

std::optional<Json> KubeApi::Find(const Resource& resource, const ObjectName& name) const {
  return server_->With([&](KubeObjects& all) {
    const Json* object = all.Find(resource, name);
    return object == nullptr ? std::nullopt : std::optional<Json>(*object);
  });
}

std::vector<Json> KubeApi::All(const Resource& resource) const {
  return server_->With([&](KubeObjects& all) { return all.List(resource, "", "", ""); });
}

void KubeApi::OnChange(std::function<void(const std::string&, const Json&)> on_change) {
  server_->OnChange(std::move(on_change));
}

void KubeApi::Compact() {
  server_->With([](KubeObjects& all) { all.Compact(); });
}

void KubeApi::EndWatches() { server_->EndWatches(false); }
void KubeApi::BreakWatches() { server_->EndWatches(true); }
void KubeApi::Bookmark() { server_->Bookmark(); }
void KubeApi::Add(KubeFault fault) { server_->Add(std::move(fault)); }
std::set<KubeUse> KubeApi::used() const { return server_->used(); }
std::vector<std::string> KubeApi::requests() const { return server_->requests(); }
int KubeApi::connections() const { return server_->connections(); }
bool KubeApi::AwaitWatches(int count, Instant deadline) const {
  return server_->AwaitWatches(count, deadline);
}
void KubeApi::SetTokens(std::set<std::string> tokens) { server_->SetTokens(std::move(tokens)); }

}  // namespace twofold::fakes
