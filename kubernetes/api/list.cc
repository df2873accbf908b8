#include "kubernetes/api/list.h"

#include <absl/strings/str_cat.h>

#include <utility>

namespace twofold::kube {
namespace {

constexpr int kMaxRestarts = 5;

/// Objects of a list have neither apiVersion nor kind, those of watches do.
Json WithKind(Json object, const Resource& resource) {
  if (object.is_object()) {
    object["apiVersion"] = ApiVersion(resource);
    object["kind"] = resource.kind;
  }
  return object;
}

/// Tells the objects of a chunk; how many.
Result<std::uint64_t> Tell(Json& chunk, const Call& call, Instant arrived,
                           const Selection& selection, const ListEvents& events) {
  const auto items = chunk.find("items");
  if (items == chunk.end() || !(items->is_array() || items->is_null())) {
    return absl::UnavailableError(absl::StrCat(call.what, ": the answer has no items"));
  }
  for (Json& item : *items) events.object(WithKind(std::move(item), selection.resource), arrived);
  return items->size();
}

/// Adds what has come, and fails beyond the limits.
class Bound {
 public:
  explicit Bound(const ListLimits& limits) : limits_(limits) {}

  Status Add(const std::string& what, std::uint64_t bytes) {
    ++pages_;
    bytes_ += bytes;
    if (pages_ <= limits_.pages && bytes_ <= limits_.bytes) return absl::OkStatus();
    return absl::ResourceExhaustedError(
        absl::StrCat(what, ": the list has more than ",
                     bytes_ > limits_.bytes ? absl::StrCat(limits_.bytes >> 20, " MiB")
                                            : absl::StrCat(limits_.pages, " chunks"),
                     "; select fewer objects by namespace or labels"));
  }

 private:
  const ListLimits limits_;
  std::uint64_t pages_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace

Result<ListEnd> List(Connection& connection, const Selection& selection, const ListEvents& events,
                     const ListLimits& limits) {
  ListEnd end;
  Bound bound(limits);
  Page page{limits.page, {}};
  for (;;) {
    const Call call = ListPage(selection, page);
    Result<Reply> reply = connection.Do(call);
    if (absl::IsOutOfRange(reply.status()) && !page.continue_at.empty() &&
        end.restarts < kMaxRestarts) {
      ++end.restarts;
      end.objects = 0;
      page.continue_at.clear();
      if (events.restart) events.restart();
      continue;
    }
    if (!reply.ok()) return reply.status();
    if (Status status = bound.Add(call.what, reply->bytes); !status.ok()) return status;
    const auto told = Tell(reply->body, call, reply->first_byte, selection, events);
    if (!told.ok()) return told.status();
    end.objects += *told;
    end.resource_version = TextAt(reply->body, "/metadata/resourceVersion");
    page.continue_at = TextAt(reply->body, "/metadata/continue");
    if (page.continue_at.empty()) return end;
  }
}

Status ForEach(Connection& connection, const Selection& selection,
               const std::function<void(const Json& object)>& visit,
               const std::function<void()>& restart) {
  const auto object = [&](const Json& each, Instant) { visit(each); };
  return List(connection, selection, {object, restart}).status();
}

Result<std::vector<Json>> ListAll(Connection& connection, const Selection& selection,
                                  const ListLimits& limits) {
  std::vector<Json> objects;
  ListEvents events;
  events.object = [&](Json object, Instant) { objects.push_back(std::move(object)); };
  events.restart = [&] { objects.clear(); };
  const Result<ListEnd> end = List(connection, selection, events, limits);
  if (!end.ok()) return end.status();
  return objects;
}

}  // namespace twofold::kube
