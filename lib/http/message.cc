#include "lib/http/message.h"

#include <absl/strings/str_replace.h>

#include <utility>

namespace twofold::http {

const std::string* Find(const Params& params, std::string_view name) {
  const auto found = params.find(name);
  return found == params.end() ? nullptr : &found->second;
}

Response PlainText(int status, std::string text) {
  return {status, "text/plain; charset=utf-8", std::move(text), {}};
}

Response Json(int status, std::string json) {
  return {status, "application/json", std::move(json), {}};
}

Response Html(int status, std::string html) {
  return {status, "text/html; charset=utf-8", std::move(html), {}};
}

Response Later(std::function<Response()> make) {
  Response response;
  response.later = std::move(make);
  return response;
}

std::string Escape(std::string_view text) {
  return absl::StrReplaceAll(
      std::string(text),
      {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}});
}

}  // namespace twofold::http
