#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "lib/common/mutex.h"
#include "lib/http/message.h"
#include "tests/fakes/kube_api.h"
#include "tests/fakes/kube_objects.h"
#include "tests/fakes/kube_wire.h"

/// The inside of the fake API server: its connections, and what they share.
namespace twofold::fakes {

using WireRequest = boost::beast::http::request<boost::beast::http::string_body>;

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
  std::vector<std::pair<std::string, std::string>> headers = {};
};

/// A line of a watch.
struct WatchLine {
  std::string text;
  KubeSend send = {};  ///< but for the instant; of a bookmark: empty
};

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
  void OnText(std::function<std::optional<std::string>(const std::string&)> on_text);
  void OnReview(std::function<bool(const Json&)> on_review);
  void EndWatches(bool in_mid_line);
  void Bookmark();
  void Add(KubeFault fault);
  std::set<KubeUse> used();
  std::vector<std::string> requests();
  int connections();
  bool AwaitWatches(int count, Instant deadline);
  void SetStorage(std::optional<std::uint64_t> bytes);
  std::vector<KubeSend> sends();
  void SetTokens(std::set<std::string> tokens);

 private:
  struct Client {
    std::unique_ptr<Wire> wire;
    std::thread thread;
  };

  void Accept();
  void Serve(Wire& wire);
  bool ServeOne(Wire& wire, boost::beast::flat_buffer& buffer);
  bool Reply(Wire& wire, const WireRequest& request, Answer answer);
  Asked Understand(const WireRequest& request);
  void Authenticate(Wire& wire, const WireRequest& request);
  std::optional<KubeFault> TakeFault(const Asked& asked);
  bool Suffer(Wire& wire, const KubeFault& fault, Answer& answer);
  Answer Metrics();
  Answer Text(const std::string& target);
  Answer Review(const WireRequest& request);
  Answer Discover(const Asked& asked) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Answer Act(const Asked& asked, const WireRequest& request);
  Answer List(const Asked& asked) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Answer Write(const Asked& asked, const WireRequest& request, KubeObjects& objects)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Watch(Wire& wire, const Asked& asked, const std::optional<KubeFault>& fault);
  void NoteSend(const WatchLine& line);
  std::uint64_t BeginWatch(const Asked& asked, std::vector<WatchLine>& lines)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WatchLoop(Wire& wire, const Asked& asked, const std::optional<KubeFault>& fault);
  bool AwaitStop(Duration wait);

  KubeApiOptions options_;
  std::optional<boost::asio::ssl::context> tls_;
  boost::asio::io_context io_;
  boost::asio::ip::tcp::acceptor acceptor_{io_};
  std::uint16_t port_ = 0;

  Mutex mutex_;
  Condition changed_;
  KubeObjects objects_ ABSL_GUARDED_BY(mutex_);
  std::list<Client> clients_ ABSL_GUARDED_BY(mutex_);
  std::vector<KubeFault> faults_ ABSL_GUARDED_BY(mutex_);
  std::set<KubeUse> used_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::string> requests_ ABSL_GUARDED_BY(mutex_);
  std::function<void(const std::string&, const Json&)> on_change_ ABSL_GUARDED_BY(mutex_);
  std::function<std::optional<std::string>(const std::string&)> on_text_ ABSL_GUARDED_BY(mutex_);
  std::function<bool(const Json&)> on_review_ ABSL_GUARDED_BY(mutex_);
  int connections_ ABSL_GUARDED_BY(mutex_) = 0;
  int watches_ ABSL_GUARDED_BY(mutex_) = 0;
  int ends_ ABSL_GUARDED_BY(mutex_) = 0;
  int breaks_ ABSL_GUARDED_BY(mutex_) = 0;
  int bookmarks_ ABSL_GUARDED_BY(mutex_) = 0;
  std::optional<std::uint64_t> storage_ ABSL_GUARDED_BY(mutex_) = 4 << 20;
  bool keeps_sends_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<KubeSend> sends_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;

  std::thread acceptor_thread_;
};

}  // namespace twofold::fakes
