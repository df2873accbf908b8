#include "cli/command/text_only.h"

#include <algorithm>

#include "lib/common/printable.h"

namespace twofold::cli {
namespace {

bool IsLayout(char c) { return c == '\n' || c == '\t'; }

}  // namespace

TextOnly::TextOnly(std::ostream& stream) : stream_(stream), to_(stream.rdbuf(this)) {}

TextOnly::~TextOnly() {
  sync();
  stream_.rdbuf(to_);
}

TextOnly::int_type TextOnly::overflow(int_type byte) {
  if (traits_type::eq_int_type(byte, traits_type::eof())) return traits_type::not_eof(byte);
  const char c = traits_type::to_char_type(byte);
  return xsputn(&c, 1) == 1 ? byte : traits_type::eof();
}

std::streamsize TextOnly::xsputn(const char* bytes, std::streamsize size) {
  begun_.append(bytes, static_cast<std::size_t>(size));
  std::string text;
  text.swap(begun_);
  begun_ = text.substr(text.size() - UnfinishedTail(text));
  text.resize(text.size() - begun_.size());
  return Pass(text) ? size : 0;
}

int TextOnly::sync() {
  std::string rest;
  rest.swap(begun_);
  return Pass(rest) && to_->pubsync() == 0 ? 0 : -1;
}

// What is between line ends and tabs, and these themselves.
bool TextOnly::Pass(std::string_view text) {
  std::string clean;
  while (!text.empty()) {
    const auto* const end = std::find_if(text.begin(), text.end(), IsLayout);
    const auto size = static_cast<std::size_t>(end - text.begin());
    clean += Printable(text.substr(0, size), size);
    text.remove_prefix(size);
    if (text.empty()) break;
    clean += text[0];
    text.remove_prefix(1);
  }
  const auto size = static_cast<std::streamsize>(clean.size());
  return to_->sputn(clean.data(), size) == size;
}

}  // namespace twofold::cli
