#include "lib/kube/list.h"

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

}  // namespace

Result<ListEnd> List(Connection& connection, const Selection& selection, const ListEvents& events,
                     std::uint32_t limit) {
  ListEnd end;
  Page page{limit, {}};
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
    const auto told = Tell(reply->body, call, reply->first_byte, selection, events);
    if (!told.ok()) return told.status();
    end.objects += *told;
    end.resource_version = TextAt(reply->body, "/metadata/resourceVersion");
    page.continue_at = TextAt(reply->body, "/metadata/continue");
    if (page.continue_at.empty()) return end;
  }
}

Result<std::vector<Json>> ListAll(Connection& connection, const Selection& selection) {
  std::vector<Json> objects;
  ListEvents events;
  events.object = [&](Json object, Instant) { objects.push_back(std::move(object)); };
  events.restart = [&] { objects.clear(); };
  const Result<ListEnd> end = List(connection, selection, events);
  if (!end.ok()) return end.status();
  return objects;
}

}  // namespace twofold::kube
