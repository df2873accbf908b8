#pragma once

#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace twofold::cli {

/// Lets an output stream pass text only, as long as it lives: control characters but line ends and
/// tabs become spaces, bytes that are no UTF-8 question marks. Names, errors and output of others
/// cannot move the cursor, change the title or type for the person at the terminal.
///
/// Errors   Those of the stream.
class TextOnly final : private std::streambuf {
 public:
  explicit TextOnly(std::ostream& stream);
  TextOnly(const TextOnly&) = delete;
  TextOnly& operator=(const TextOnly&) = delete;
  ~TextOnly() override;

 private:
  int_type overflow(int_type byte) override;
  std::streamsize xsputn(const char* bytes, std::streamsize size) override;
  int sync() override;

  bool Pass(std::string_view text);

  std::ostream& stream_;
  std::streambuf* const to_;
  std::string begun_;  // of a character whose end has not come
};

}  // namespace twofold::cli
