#include "lib/spec/json.h"

#include <variant>

namespace twofold::spec {
namespace {

struct Converter {
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(bool value) const { return value; }
  Json operator()(std::int64_t value) const { return value; }
  Json operator()(double value) const { return value; }
  Json operator()(const std::string& value) const { return value; }
  Json operator()(const List& list) const {
    Json json = Json::array();
    for (const NodeRef& item : list) json.push_back(ToJson(*item));
    return json;
  }
  Json operator()(const Map& map) const {
    Json json = Json::object();
    for (const Entry& entry : map) {
      if (!IsNull(*entry.value)) json[entry.key] = ToJson(*entry.value);
    }
    return json;
  }
};

}  // namespace

Json ToJson(const Node& node) { return std::visit(Converter(), node.value); }

// Texts come out of a document that was checked, but a YAML escape can name half a surrogate pair.
std::string ToText(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace twofold::spec
