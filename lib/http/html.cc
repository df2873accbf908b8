#include "lib/http/html.h"

namespace twofold::http {
namespace {

std::string_view Entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

}  // namespace

std::string Escape(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    const std::string_view entity = Entity(c);
    escaped += entity.empty() ? std::string_view(&c, 1) : entity;
  }
  return escaped;
}

}  // namespace twofold::http
