#include "kubernetes/lifecycle/templates/parts.h"

namespace twofold::lifecycle {

Object* MapAt(Object& object, const char* key) {
  Object& map = object[key];
  if (map.is_null()) map = Object::object();
  return map.is_object() ? &map : nullptr;
}

Object* ListAt(Object& object, const char* key) {
  Object& list = object[key];
  if (list.is_null()) list = Object::array();
  return list.is_array() ? &list : nullptr;
}

Object LabelsOf(const Workload& workload) {
  Object labels = {{std::string(kRunLabel), workload.run},
                   {std::string(kWorkloadLabel), workload.name}};
  if (!workload.phase.empty()) labels[std::string(kPhaseLabel)] = workload.phase;
  return labels;
}

Object TolerationOf(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const std::string taint = text.substr(0, colon);
  const std::size_t equals = taint.find('=');
  const bool any = equals == std::string::npos || equals + 1 == taint.size();
  Object toleration = {{"key", taint.substr(0, equals)}, {"operator", any ? "Exists" : "Equal"}};
  if (!any) toleration["value"] = taint.substr(equals + 1);
  if (colon != std::string::npos && colon + 1 < text.size()) {
    toleration["effect"] = text.substr(colon + 1);
  }
  return toleration;
}

}  // namespace twofold::lifecycle
