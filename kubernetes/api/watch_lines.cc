#include "kubernetes/api/watch_lines.h"

#include <absl/strings/str_cat.h>

#include <utility>

namespace twofold::kube {
namespace {

constexpr std::string_view kTypeFirst = R"({"type":")";
constexpr const char* kInitialEventsEnd = "k8s.io/initial-events-end";

}  // namespace

Status LineSplitter::Append(std::string_view bytes, Instant arrived, std::vector<Line>& lines) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    if (begun_.text.empty()) begun_.arrived = arrived;
    if (begun_.text.size() + part.size() > most_) {
      return absl::ResourceExhaustedError(absl::StrCat("a line has more than ", most_, " bytes"));
    }
    begun_.text += part;
    if (end == std::string_view::npos) break;
    if (!begun_.text.empty()) lines.push_back(std::exchange(begun_, {}));
    bytes.remove_prefix(end + 1);
  }
  return absl::OkStatus();
}

std::string TypeOf(const std::string& line) {
  if (line.starts_with(kTypeFirst)) {
    const std::size_t end = line.find('"', kTypeFirst.size());
    if (end == std::string::npos) return {};
    return line.substr(kTypeFirst.size(), end - kTypeFirst.size());
  }
  return TextAt(Json::parse(line, nullptr, false), "/type");
}

Json ObjectOf(const std::string& line) {
  Json parsed = Json::parse(line, nullptr, false);
  if (!parsed.is_object()) return {};
  const auto object = parsed.find("object");
  return object == parsed.end() ? Json() : std::move(*object);
}

bool EndsInitialEvents(const Json& bookmark) {
  const Json* annotations = At(bookmark, "/metadata/annotations");
  if (annotations == nullptr || !annotations->is_object()) return false;
  const auto end = annotations->find(kInitialEventsEnd);  // its name has a slash, so no path
  return end != annotations->end() && *end == "true";
}

}  // namespace twofold::kube
