#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "tests/fakes/kube_selectors.h"
#include "tests/fakes/kube_server.h"

namespace twofold::fakes {
namespace {

using kube::NameOf;
using Kind = KubeFault::Kind;

WatchLine EventLine(const Asked& asked, const std::string& type, const Json& object) {
  const kube::ObjectName name = NameOf(object);
  // The type comes first, as from API servers.
  return {absl::StrCat(R"({"type":")", type, R"(","object":)", object.dump(), "}\n"),
          {asked.resource.plural,
           name.space,
           name.name,
           kube::TextAt(object, "/metadata/resourceVersion"),
           {}}};
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

/// Stamped before the write: who reads it has seen it later than this.
void KubeApi::Server::NoteSend(const WatchLine& line) {
  const Instant at = Now();
  const MutexLock lock(mutex_);
  if (!keeps_sends_ || line.send.name.empty()) return;
  sends_.push_back(line.send);
  sends_.back().at = at;
}

/// Where in the history a watch begins, and the lines that come before.
std::uint64_t KubeApi::Server::BeginWatch(const Asked& asked, std::vector<WatchLine>& lines) {
  std::uint64_t version = 0;
  const bool initial = asked.Query("sendInitialEvents") == "true";
  const bool given = absl::SimpleAtoi(asked.Query("resourceVersion"), &version) && version > 0;
  if (given && version < objects_.compacted()) {
    Refusal expired{
        410, "Expired",
        absl::StrCat("too old resource version: ", version, " (", objects_.compacted(), ")")};
    lines.push_back(EventLine(asked, "ERROR", ToJson(expired)));
    return version;
  }
  if (given) return version;
  for (const Json& object :
       objects_.List(asked.resource, asked.name.space, asked.Query("labelSelector"),
                     asked.Query("fieldSelector"))) {
    lines.push_back(EventLine(asked, "ADDED", object));
  }
  if (initial) {
    lines.push_back(
        EventLine(asked, "BOOKMARK", BookmarkOf(asked.resource, objects_.version(), true)));
  }
  return objects_.version();
}

void KubeApi::Server::WatchLoop(Wire& wire, const Asked& asked,
                                const std::optional<KubeFault>& fault) {
  const auto has = [&](Kind kind) { return fault && fault->kind == kind; };
  int seconds = 0;
  if (!absl::SimpleAtoi(asked.Query("timeoutSeconds"), &seconds)) seconds = 1800;
  const Instant deadline = Now() + std::chrono::seconds(seconds);
  std::vector<WatchLine> lines;
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
    ends = !lines.empty() && lines.front().text.find("ERROR") != std::string::npos;
    if (has(Kind::kExpired)) {
      lines = {EventLine(asked, "ERROR", ToJson({410, "Expired", "too old resource version"}))};
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
    for (const WatchLine& line : lines) {
      // Half an event, and the connection is gone.
      const bool cut =
          breaks && has(Kind::kBreakLine) && line.text.find("BOOKMARK") == std::string::npos;
      const std::string text = Chunk(line.text);
      NoteSend(line);
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
        if (!type.empty()) lines.push_back(EventLine(asked, type, history[next].object));
      }
      if (bookmarks != bookmarks_) {
        bookmarks = bookmarks_;
        lines.push_back(
            EventLine(asked, "BOOKMARK", BookmarkOf(asked.resource, objects_.version(), false)));
      }
      if (break_at != breaks_) {
        ends = breaks = true;
        lines = {{R"({"type":"ADDED","object":{"metadata)"}};
      } else if (stopping_) {
        ends = breaks = true;
      } else if (lines.empty() && (end_at != ends_ || Now() >= deadline)) {
        ends = true;
        lines.push_back(
            EventLine(asked, "BOOKMARK", BookmarkOf(asked.resource, objects_.version(), false)));
      } else if (lines.empty()) {
        changed_.WaitUntil(mutex_, deadline);
      }
    }
    if (!ends) continue;
    // The last ones; outside the lock it would be the same, as nobody waits for this thread.
    for (const WatchLine& line : lines) wire.Write(Chunk(line.text), options_.slow_reader);
    break;
  }
  if (!breaks) wire.Write("0\r\n\r\n", options_.slow_reader);
  const MutexLock lock(mutex_);
  --watches_;
  changed_.NotifyAll();
}

}  // namespace twofold::fakes
