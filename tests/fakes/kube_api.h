#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kubernetes/api/call.h"
#include "kubernetes/api/connection.h"
#include "lib/common/instant.h"

namespace twofold::fakes {

/// What goes wrong with requests. Each fault applies to the next `times` requests it fits.
struct KubeFault {
  enum class Kind {
    kStatus,    ///< answers `status` with `body` (a Status object if empty)
    kThrottle,  ///< 429, plain text, Retry-After: `retry_after_s`; by whom, if that is said
    kNoSpace,   ///< what writes get once etcd has met its quota: 500, mvcc: database space exceeded
    kClose,     ///< closes the connection instead of answering, before anything is done
    kLoseReply,        ///< does it, then closes the connection instead of answering
    kHang,             ///< answers nothing until the fake stops
    kSlow,             ///< waits `delay` before answering
    kWrongType,        ///< answers 200 with a page of HTML
    kHuge,             ///< answers 200 with a body of `bytes`
    kBreakLine,        ///< of a watch: sends half of the next event and closes
    kDouble,           ///< of a watch: sends each event twice
    kEndAtOnce,        ///< of a watch: 200 and an empty body
    kExpired,          ///< of a watch: 200 and a line ERROR of code 410
    kNoInitialEvents,  ///< of a watch with sendInitialEvents: 422, as servers before 1.32 do
  };

  Kind kind;
  std::string verb = {};    ///< create, get, list, watch, patch, delete, metrics; empty: any
  std::string plural = {};  ///< empty: any
  int times = 1;
  int status = 500;
  std::string body = {};
  int retry_after_s = 1;
  std::string priority_level = {};  ///< of kThrottle: uids; empty: no such header
  std::string flow_schema = {};
  Duration delay{};
  std::size_t bytes = 0;
};

struct KubeApiOptions {
  std::string cert = {};       ///< PEM; empty: plain HTTP
  std::string key = {};        ///< PEM
  std::string client_ca = {};  ///< PEM: clients may show a certificate of it; its name is the user
  std::set<std::string> tokens = {};  ///< accepted ones; none, and no client_ca: everybody may call
  std::vector<kube::Resource> resources = {};  ///< custom ones, beside those of call.h

  /// Beside the fields that all objects have, the ones a kind's spec may have; by kind. Strict
  /// validation refuses others; kinds that are not here are not checked.
  std::map<std::string, std::set<std::string>> spec_fields = {};

  Duration slow_reader = std::chrono::seconds(2);  ///< who takes nothing for so long is closed
};

/// A line of a watch that was sent.
struct KubeSend {
  std::string plural;
  std::string space;
  std::string name;
  std::string version;  ///< of the object
  Instant at;           ///< before its first byte was given to the socket
};

/// What has been asked for, as a role would have to allow it.
struct KubeUse {
  std::string verb;
  std::string group;
  std::string resource;  ///< "pods" or "pods/status"
  std::string space;

  auto operator<=>(const KubeUse&) const = default;
};

inline const kube::Resource kSubjectAccessReviews{
    "authorization.k8s.io", "v1", "subjectaccessreviews", "SubjectAccessReview", false};

/// An API server in memory, without controllers, scheduler or kubelets: tests play those (Change).
/// It behaves as a Kubernetes 1.36 was seen to: versions, uids and whole seconds; chunks; bookmarks
/// and sendInitialEvents; strategic merge of the lists that statuses have; status as a subresource;
/// graceful deletion of pods on nodes; owners.
///
/// Threads  Safe. A thread a connection; all end with the destructor.
class KubeApi {
 public:
  explicit KubeApi(KubeApiOptions options = {});
  ~KubeApi();

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::string url() const;

  /// For clients: no credentials, or the first token; trusts `ca`.
  [[nodiscard]] kube::Access access(const std::string& ca = {}) const;

  /// Changes behind the API, which watchers see. Put makes or replaces; both return what is stored.
  kube::Json Put(const kube::Resource& resource, kube::Json object);
  kube::Json Change(const kube::Resource& resource, const kube::ObjectName& name,
                    const std::function<void(kube::Json&)>& change);
  void Remove(const kube::Resource& resource, const kube::ObjectName& name);

  [[nodiscard]] std::optional<kube::Json> Find(const kube::Resource& resource,
                                               const kube::ObjectName& name) const;
  [[nodiscard]] std::vector<kube::Json> All(const kube::Resource& resource) const;

  /// Called after each change by a client, under no lock, on the connection's thread: here a test
  /// plays controller. `type` is ADDED, MODIFIED or DELETED.
  void OnChange(std::function<void(const std::string& type, const kube::Json& object)> on_change);

  /// Answers calls for text: of `log`, and of `proxy`, which leads to programs. Gets the target of
  /// the request; nullopt: 404. Called under no lock, on the connection's thread.
  void OnText(std::function<std::optional<std::string>(const std::string& target)> on_text);

  /// Answers SubjectAccessReviews, by their spec: whether it is allowed. Called under no lock, on
  /// the connection's thread. The resource has to be among those of the options.
  void OnReview(std::function<bool(const kube::Json& spec)> on_review);

  /// All versions and chunks before now are expired.
  void Compact();

  /// Ends all watches: as they should, or in mid-line.
  void EndWatches();
  void BreakWatches();

  /// Sends a bookmark to all watches now.
  void Bookmark();

  void Add(KubeFault fault);

  /// What was used so far.
  [[nodiscard]] std::set<KubeUse> used() const;

  /// Requests so far as "POST /api/v1/...", and connections.
  [[nodiscard]] std::vector<std::string> requests() const;
  [[nodiscard]] int connections() const;

  /// Whether `count` watches run; waits for them until `deadline`.
  bool AwaitWatches(int count, Instant deadline) const;

  /// What /metrics has: a store of so many bytes; nullopt: nothing of stores.
  void SetStorage(std::optional<std::uint64_t> bytes);

  /// The lines of watches so far, but for bookmarks. Kept from the first call on.
  std::vector<KubeSend> sends();

  /// Tokens that are accepted from now on.
  void SetTokens(std::set<std::string> tokens);

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace twofold::fakes
