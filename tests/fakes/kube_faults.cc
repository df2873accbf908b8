#include <absl/strings/str_cat.h>

#include "tests/fakes/kube_server.h"

namespace twofold::fakes {

std::optional<KubeFault> KubeApi::Server::TakeFault(const Asked& asked) {
  const MutexLock lock(mutex_);
  for (KubeFault& fault : faults_) {
    const bool fits = (fault.verb.empty() || fault.verb == asked.verb) &&
                      (fault.plural.empty() || fault.plural == asked.resource.plural) &&
                      (fault.kind != KubeFault::Kind::kNoInitialEvents ||
                       asked.Query("sendInitialEvents") == "true");
    if (!fits || fault.times == 0) continue;
    --fault.times;
    return fault;
  }
  return std::nullopt;
}

/// What a fault does before the request is served: an answer in its place, if `answer` gets a body.
/// False: the connection ends.
bool KubeApi::Server::Suffer(Wire& wire, const KubeFault& fault, Answer& answer) {
  using Kind = KubeFault::Kind;
  switch (fault.kind) {
    case Kind::kStatus:
      answer.status = fault.status;
      answer.body =
          fault.body.empty() ? ToJson({fault.status, "", "made to fail"}).dump() : fault.body;
      return true;
    case Kind::kThrottle:
      answer = {429, "Too many requests, please try again later.", "text/plain; charset=utf-8",
                fault.retry_after_s};
      if (!fault.priority_level.empty()) {
        answer.headers = {{"X-Kubernetes-PF-PriorityLevel-UID", fault.priority_level},
                          {"X-Kubernetes-PF-FlowSchema-UID", fault.flow_schema}};
      }
      return true;
    case Kind::kNoSpace:
      answer.status = 500;
      answer.body = ToJson({500, "", "etcdserver: mvcc: database space exceeded"}).dump();
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

}  // namespace twofold::fakes
