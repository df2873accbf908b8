#include "kubernetes/lifecycle/moments/trim.h"

#include <array>
#include <string>
#include <string_view>

#include "kubernetes/lifecycle/moments/kind.h"
#include "kubernetes/lifecycle/moments/stamps.h"

namespace twofold::lifecycle {
namespace {

// What is read of every object, whatever the kind; `*` is each value of a list. What else comes to
// be read must be put here: a test compares an Observer of whole objects with one of trimmed ones.
constexpr std::array<std::string_view, 22> kRead = {
    "/kind",
    "/metadata/name",
    "/metadata/namespace",
    "/metadata/uid",
    "/metadata/resourceVersion",
    "/metadata/creationTimestamp",
    "/metadata/ownerReferences/*/kind",
    "/metadata/ownerReferences/*/name",
    "/metadata/ownerReferences/*/uid",
    "/spec/nodeName",
    "/spec/schedulerName",
    "/spec/schedulingGates",
    "/status/phase",
    "/status/reason",
    "/status/conditions/*/type",
    "/status/conditions/*/status",
    "/status/conditions/*/reason",
    "/status/conditions/*/lastTransitionTime",
    "/status/containerStatuses/*/restartCount",
    "/status/containerStatuses/*/state",
    "/status/containerStatuses/*/lastState/terminated/startedAt",
    "/status/initContainerStatuses/*/state/waiting",
};

void Keep(const Object& from, std::string_view path, Object& to);

void KeepEach(const Object& list, std::string_view path, Object& to) {
  if (!list.is_array()) return;
  if (!to.is_array()) to = Object::array();
  while (to.size() < list.size()) to.push_back(Object::object());
  for (std::size_t i = 0; i < list.size(); ++i) Keep(list[i], path, to[i]);
}

/// Copies what is at `path`, with the keys that lead there.
void Keep(const Object& from, std::string_view path, Object& to) {
  if (path.empty()) {
    to = from;
    return;
  }
  path.remove_prefix(1);
  const std::string_view key = path.substr(0, path.find('/'));
  path.remove_prefix(key.size());
  if (key == "*") return KeepEach(from, path, to);
  if (!from.is_object()) return;
  const auto found = from.find(std::string(key));
  if (found == from.end()) return;
  Object& kept = to[std::string(key)];
  Keep(*found, path, kept);
  if (kept.is_null()) to.erase(std::string(key));
}

void KeepSign(const Object& object, const Sign& sign, Object& to) {
  if (sign.by != Sign::By::kField) return;
  Keep(object, sign.what.substr(0, sign.what.find('=')), to);
  if (!sign.since.empty()) Keep(object, sign.since, to);
}

void KeepText(const Object& object, const char* map, std::string_view key, Object& to) {
  const Object* const texts = At(object, std::string("/metadata/") + map);
  if (texts == nullptr || !texts->is_object()) return;
  const auto found = texts->find(std::string(key));
  if (found != texts->end()) to["metadata"][map][std::string(key)] = *found;
}

}  // namespace

Object Trimmed(const Kind& kind, const Object& object) {
  Object to = Object::object();
  for (const std::string_view path : kRead) Keep(object, path, to);
  for (const MomentSign& each : kind.signs) KeepSign(object, each.sign, to);
  if (kind.held) KeepSign(object, *kind.held, to);
  if (kind.evicted) KeepSign(object, *kind.evicted, to);
  for (const std::string_view label : {kRunLabel, kWorkloadLabel}) {
    KeepText(object, "labels", label, to);
  }
  for (const auto& labels : {kind.pod_labels, kind.slot_labels}) {
    for (const std::string_view label : labels) KeepText(object, "labels", label, to);
  }
  for (const std::string_view stamp : {kPlannedStamp, kSentStamp}) {
    KeepText(object, "annotations", stamp, to);
  }
  return to;
}

}  // namespace twofold::lifecycle
