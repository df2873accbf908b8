#include "lib/http/message.h"

#include <absl/strings/str_replace.h>
#include <absl/strings/str_split.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace twofold::http {
namespace {

Result<std::string> DecodeFormText(std::string text) {
  std::replace(text.begin(), text.end(), '+', ' ');
  return PercentDecode(text);
}

Status AddParam(const std::string& pair, Params& params) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(pair, absl::MaxSplits('=', 1));
  Result<std::string> name = DecodeFormText(parts.first);
  if (!name.ok()) return name.status();
  Result<std::string> value = DecodeFormText(parts.second);
  if (!value.ok()) return value.status();
  const auto [param, added] = params.emplace(*std::move(name), *std::move(value));
  if (added) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format("'{}' is given twice", param->first));
}

Result<Params> ParseQuery(const std::string& query) {
  Params params;
  for (const auto& pair : absl::StrSplit(query, '&', absl::SkipEmpty())) {
    if (Status added = AddParam(std::string(pair), params); !added.ok()) return added;
  }
  return params;
}

/// Takes "http://host:port" off the target; empty if it does not begin so, or names nobody, or a
/// user as well.
std::string_view TakeAuthority(std::string_view& target) {
  const std::size_t scheme = target.starts_with("https://") ? 8 : 7;
  if (scheme == 7 && !target.starts_with("http://")) return {};
  const std::size_t end = std::min(target.find_first_of("/?", scheme), target.size());
  const std::string_view authority = target.substr(scheme, end - scheme);
  if (authority.empty() || authority.find('@') != authority.npos) return {};
  target.remove_prefix(end);
  return authority;
}

}  // namespace

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

Response ErrorFor(std::string_view path, Response response) {
  const bool is_text = response.content_type.starts_with("text/plain");
  if (response.status < 400 || !is_text || !path.starts_with("/api/")) return response;
  std::string text = std::move(response.body);
  if (text.ends_with('\n')) text.pop_back();
  const nlohmann::json error = {{"error", std::move(text)}};
  response.content_type = "application/json";
  response.body = error.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  return response;
}

std::string Escape(std::string_view text) {
  return absl::StrReplaceAll(
      std::string(text),
      {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}});
}

Result<std::string> PercentDecode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const std::string_view digits = text.substr(i + 1, 2);
    const char* const end = digits.data() + digits.size();
    unsigned char byte = 0;
    const auto [stop, error] = std::from_chars(digits.data(), end, byte, 16);
    if (digits.size() != 2 || error != std::errc() || stop != end) {
      return absl::InvalidArgumentError(
          fmt::format("bad escape '%{}' in '{}': use % and two hex digits", digits, text));
    }
    decoded += static_cast<char>(byte);
    i += digits.size();
  }
  return decoded;
}

Result<Target> ParseTarget(std::string_view target) {
  const std::string_view authority = TakeAuthority(target);
  if (authority.empty() && !target.starts_with('/')) {
    return absl::InvalidArgumentError(
        fmt::format("bad target '{}': must begin with / or http://HOST/", target));
  }
  const std::size_t path_end = std::min(target.find('?'), target.size());
  const std::string_view path = target.substr(0, path_end);
  if (Result<std::string> decoded = PercentDecode(path); !decoded.ok()) return decoded.status();
  Result<Params> query =
      ParseQuery(std::string(target.substr(std::min(path_end + 1, target.size()))));
  if (!query.ok()) return query.status();
  return Target{std::string(authority), path.empty() ? "/" : std::string(path), *std::move(query)};
}

}  // namespace twofold::http
