#include "lib/suite/json.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <cmath>

#include "lib/suite/text.h"

namespace twofold::suite {
namespace {

std::size_t FirstBrace(std::string_view text) {
  if (text.starts_with('{')) return 0;
  const std::size_t found = text.find("\n{");
  return found == std::string_view::npos ? found : found + 1;
}

}  // namespace

Result<Document> FindDocument(std::string_view stage, std::string_view text) {
  const std::size_t start = FirstBrace(text);
  if (start == std::string_view::npos) {
    const auto lines = Lines(text);
    if (lines.empty()) return Unreadable(stage, "no output");
    return Unreadable(stage, "no JSON in its output, but: " + std::string(lines.front()));
  }
  const std::size_t end = text.rfind('}') + 1;  // 0, and so an empty text, if there is none
  const std::string_view object = text.substr(start, end > start ? end - start : 0);
  Document document{Json::parse(object, nullptr, false), text.substr(0, start)};
  if (!document.json.is_object()) return Unreadable(stage, "its JSON is cut off or garbled");
  return document;
}

const Json* Find(const Json& json, std::initializer_list<std::string_view> path) {
  const Json* at = &json;
  for (const std::string_view key : path) {
    const auto found = at->find(std::string(key));  // end() unless `at` is an object
    if (found == at->end()) return nullptr;
    at = &*found;
  }
  return at;
}

std::string TextAt(const Json& json, std::initializer_list<std::string_view> path) {
  const Json* found = Find(json, path);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

double JsonNumbers::Get(const Json& json, std::initializer_list<std::string_view> path) {
  const Json* found = Find(json, path);
  if (found != nullptr && found->is_number() && std::isfinite(found->get<double>())) {
    return found->get<double>();
  }
  if (status_.ok()) {
    const std::string name =
        absl::StrJoin(path, ".", [](std::string* out, std::string_view key) { out->append(key); });
    status_ = Unreadable(stage_, absl::StrCat("its JSON has no number ", name));
  }
  return 0;
}

}  // namespace twofold::suite
