#include "kubernetes/api/fields.h"

#include <absl/strings/numbers.h>
#include <absl/time/time.h>

#include <algorithm>

namespace twofold::kube {
namespace {

/// A field of an object, or a place of a list. nullptr: there is none.
const Json* Child(const Json& of, std::string_view name) {
  if (of.is_array()) {
    std::size_t place = 0;
    return absl::SimpleAtoi(std::string(name), &place) && place < of.size() ? &of[place] : nullptr;
  }
  if (!of.is_object()) return nullptr;
  const auto found = of.find(name);
  return found == of.end() ? nullptr : &*found;
}

}  // namespace

const Json* At(const Json& object, std::string_view path) {
  const Json* at = &object;
  for (std::size_t begin = 1; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    at = Child(*at, path.substr(begin, end - begin));
    if (at == nullptr) return nullptr;
    begin = end + 1;
  }
  return at;
}

std::string TextAt(const Json& object, std::string_view path) {
  const Json* at = At(object, path);
  return at != nullptr && at->is_string() ? at->get<std::string>() : "";
}

std::optional<UnixTime> TimeOf(std::string_view text) {
  absl::Time time;
  if (!absl::ParseTime(absl::RFC3339_full, std::string(text), &time, nullptr)) return std::nullopt;
  const absl::Time end = absl::FromUnixSeconds(std::int64_t{1} << 33);
  if (time < absl::UnixEpoch() || time >= end) return std::nullopt;
  return UnixTime(Duration(absl::ToUnixNanos(time)));
}

std::optional<UnixTime> TimeAt(const Json& object, std::string_view path) {
  return TimeOf(TextAt(object, path));
}

std::optional<std::int64_t> SecondOf(std::string_view time) {
  const auto at = TimeOf(time);
  if (!at) return std::nullopt;
  return std::chrono::floor<std::chrono::seconds>(*at).time_since_epoch().count();
}

std::optional<std::int64_t> SecondAt(const Json& object, std::string_view path) {
  return SecondOf(TextAt(object, path));
}

std::string LabelOf(const Json& object, std::string_view label) {
  const Json* labels = At(object, "/metadata/labels");
  if (labels == nullptr || !labels->is_object()) return "";
  const auto found = labels->find(label);
  return found != labels->end() && found->is_string() ? found->get<std::string>() : "";
}

const Json* FindCondition(const Json& object, std::string_view type) {
  const Json* conditions = At(object, "/status/conditions");
  if (conditions == nullptr || !conditions->is_array()) return nullptr;
  const auto found =
      std::find_if(conditions->begin(), conditions->end(),
                   [&](const Json& condition) { return TextAt(condition, "/type") == type; });
  return found == conditions->end() ? nullptr : &*found;
}

bool IsTrue(const Json* condition) {
  return condition != nullptr && TextAt(*condition, "/status") == "True";
}

std::size_t MemoryOf(const Json& value) {
  constexpr std::size_t kNode = 4 * sizeof(void*);  // of a map: colour and three pointers
  std::size_t bytes = 0;
  if (value.is_string()) return sizeof(std::string) + value.get_ref<const std::string&>().size();
  if (value.is_object()) {
    for (const auto& [key, each] : value.items()) {
      bytes += kNode + sizeof(std::string) + key.size() + sizeof(Json) + MemoryOf(each);
    }
  } else if (value.is_array()) {
    for (const Json& each : value) bytes += sizeof(Json) + MemoryOf(each);
  }
  return bytes;
}

}  // namespace twofold::kube
