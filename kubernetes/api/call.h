#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kubernetes/api/fields.h"
#include "lib/common/result.h"

/// Requests to the Kubernetes API as values. Pure: a Connection sends them, tests compare them.
namespace twofold::kube {

/// A kind of object, and where the API has it.
struct Resource {
  std::string group;    ///< "" for the core
  std::string version;  ///< "v1"
  std::string plural;   ///< "pods", as in paths and roles
  std::string kind;     ///< "Pod"
  bool namespaced = true;

  friend bool operator==(const Resource&, const Resource&) = default;
};

/// "v1" or "batch/v1", as objects have it.
std::string ApiVersion(const Resource& resource);

/// The kinds that Kubernetes itself has and this program names. Others come from templates: ask the
/// server (GetResources).
inline const Resource kConfigMaps{"", "v1", "configmaps", "ConfigMap", true};
inline const Resource kDeployments{"apps", "v1", "deployments", "Deployment", true};
inline const Resource kEvents{"events.k8s.io", "v1", "events", "Event", true};
inline const Resource kHorizontalPodAutoscalers{"autoscaling", "v2", "horizontalpodautoscalers",
                                                "HorizontalPodAutoscaler", true};
inline const Resource kJobs{"batch", "v1", "jobs", "Job", true};
inline const Resource kLeases{"coordination.k8s.io", "v1", "leases", "Lease", true};
inline const Resource kNamespaces{"", "v1", "namespaces", "Namespace", false};
inline const Resource kNodes{"", "v1", "nodes", "Node", false};
inline const Resource kPersistentVolumeClaims{"", "v1", "persistentvolumeclaims",
                                              "PersistentVolumeClaim", true};
inline const Resource kPods{"", "v1", "pods", "Pod", true};
inline const Resource kServices{"", "v1", "services", "Service", true};

/// Which object. `space` is its namespace, empty for kinds that have none.
struct ObjectName {
  std::string space;
  std::string name;

  auto operator<=>(const ObjectName&) const = default;
};

/// metadata.namespace and metadata.name; empty where they are missing.
ObjectName NameOf(const Json& object);

/// Whether a call may be sent again when the connection broke before the answer to it came.
enum class Repeat {
  kYes,      ///< twice does what once does: reads, apply, patches that set what they name
  kMayFind,  ///< sent again, but the answer may be about the first time: AlreadyExists after a
             ///< create, NotFound after a delete. WasRepeated (errors.h) tells
  kNo,       ///< JSON patches, and names that the server makes up
};

/// One request.
struct Call {
  std::string method;  ///< "POST"
  std::string target;  ///< path?query, escaped
  std::string content_type;
  std::string body;
  std::string accept = "application/json";
  std::string what;  ///< for messages: "create pod default/x"
  Repeat repeat = Repeat::kYes;
  Status fault;  ///< not OK: why it must not be sent; what sends it returns this instead
};

/// What all writes have.
struct WriteOptions {
  std::string field_manager = "twofold";  ///< who has set what, in metadata.managedFields
  bool dry_run = false;                   ///< all checks, nothing stored
  std::string validation = "Strict";      ///< Strict: unknown fields are errors; or Warn, Ignore
};

/// Where the object goes is read from its metadata. An object with metadata.generateName and
/// without a name gets one from the server.
/// Faults   no name; a namespace is missing, or there although the kind has none.
Call Create(const Resource& resource, const Json& object, const WriteOptions& options = {});

/// Posts `body` to a subresource of an object: "binding", "eviction".
Call CreateIn(const Resource& resource, const ObjectName& name, const std::string& subresource,
              const Json& body, const WriteOptions& options = {});

/// Server-side apply: the object is made, or gets the fields that are given here. `force` takes
/// fields over from other managers, else these are a Conflict.
Call Apply(const Resource& resource, const Json& object, bool force,
           const WriteOptions& options = {}, const std::string& subresource = {});

enum class PatchKind {
  kMerge,      ///< RFC 7386: lists are replaced
  kStrategic,  ///< lists are merged by the keys of the kind; not for custom resources
  kJson,       ///< RFC 6902: a list of operations
};

/// `subresource` "status", "scale"...; empty: the object itself.
Call Patch(const Resource& resource, const ObjectName& name, PatchKind kind, const Json& patch,
           const WriteOptions& options = {}, const std::string& subresource = {});

/// What becomes of objects that the deleted one owns.
enum class Propagation {
  kDefault,  ///< by kind: what the kind's own rules say
  kOrphan,
  kBackground,
  kForeground,  ///< they go first
};

struct DeleteOptions {
  std::optional<std::int64_t> grace_s;  ///< 0: at once; nullopt: as the object says
  Propagation propagation = Propagation::kDefault;
  std::string uid;               ///< only this object, not a later one of the same name; empty: any
  std::string resource_version;  ///< only in this version; empty: any
  bool dry_run = false;
};
Call Delete(const Resource& resource, const ObjectName& name, const DeleteOptions& options = {});

Call Get(const Resource& resource, const ObjectName& name, const std::string& subresource = {});

/// What a program behind a pod or service (`resource`) answers on `port` to GET `target`
/// (path?query, escaped), through the API server. Its answer is text: Connection::GetText.
Call GetThrough(const Resource& resource, const ObjectName& name, int port,
                const std::string& target);

struct LogOptions {
  std::string container = {};  ///< empty: the only one
  bool previous = false;       ///< of the container that ran before the last restart
  int lines = 0;               ///< the last ones; 0: all
};
/// What a pod has written. Its answer is text: Connection::GetText.
Call GetLog(const ObjectName& pod, const LogOptions& options);

/// Which objects a list or watch is about.
struct Selection {
  Resource resource;
  std::string space;        ///< empty: all namespaces
  std::string labels = {};  ///< "app=x,run in (a,b)"; empty: all
  std::string fields = {};  ///< "spec.nodeName!="; empty: all
};

/// What follows a chunk of a list.
struct Page {
  std::uint32_t limit = 500;     ///< objects; 0: all at once
  std::string continue_at = {};  ///< metadata.continue of the chunk before; empty: the first chunk
};

/// A chunk of a list. kubernetes/api/list.h follows the chunks.
Call ListPage(const Selection& selection, const Page& page);

struct WatchStart {
  std::string resource_version;   ///< of a list, or of the last event seen
  bool initial_events = false;    ///< all objects first as events; then `resource_version` is empty
  std::uint32_t timeout_s = 300;  ///< after which the server ends it
};
Call Watch(const Selection& selection, const WatchStart& start);

/// The kinds of a group and version ("batch/v1"), for FindResource.
Call GetResources(const std::string& api_version);

/// The resource of this kind among the answer to GetResources.
/// Errors   kNotFound: which kind, and that its definition (CRD) is not installed.
Result<Resource> FindResource(const Json& resources, const std::string& api_version,
                              const std::string& kind);

/// `text` as a part of a path or query: what is not a letter, digit or one of -._~ as %XX.
std::string Escape(std::string_view text);

}  // namespace twofold::kube
