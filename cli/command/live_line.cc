#include "cli/command/live_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <iostream>
#include <string_view>

#include "lib/common/printable.h"

namespace twofold::cli {
namespace {

constexpr std::size_t kUsualWidth = 80;
constexpr std::size_t kMostOfLine = 4096;

// Past std::cerr, which lets no such characters pass.
void ClearLine() {
  constexpr std::string_view kClear = "\r\x1b[K";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kClear.data(), kClear.size());
}

}  // namespace

LiveLine::LiveLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

std::size_t LiveLine::Width() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return (known ? size.ws_col : kUsualWidth) - 1;
}

void LiveLine::Replace(const std::string& line) {
  ClearLine();
  std::cerr << line << std::flush;
  open_ = true;
}

void LiveLine::Note(const std::string& line) {
  if (open_) ClearLine();
  std::cerr << Printable(line, kMostOfLine) << std::endl;
  open_ = false;
}

void LiveLine::Finish() {
  if (open_) std::cerr << std::endl;
  open_ = false;
}

}  // namespace twofold::cli
