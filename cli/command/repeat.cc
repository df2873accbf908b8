#include "cli/command/repeat.h"

#include <unistd.h>

#include <iostream>
#include <string_view>
#include <thread>

namespace twofold::cli {
namespace {

// Past std::cout, which lets no such characters pass.
void ClearScreen() {
  constexpr std::string_view kHomeAndClear = "\x1b[H\x1b[2J";
  std::cout.flush();
  [[maybe_unused]] const ssize_t written =
      write(STDOUT_FILENO, kHomeAndClear.data(), kHomeAndClear.size());
}

bool MayComeBack(const Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
}

}  // namespace

Status Repeat(const Look& look, const RepeatSurroundings& surroundings) {
  bool is_first = true;
  do {
    const Result<std::string> shown = look();
    if (!shown.ok() && (is_first || !MayComeBack(shown.status()))) return shown.status();
    surroundings.clear();
    if (shown.ok()) {
      surroundings.out << *shown << std::flush;
    } else {
      surroundings.err << shown.status().message() << "; trying again" << std::endl;
    }
    is_first = false;
    // Whoever reads what we print may leave before we do.
    if (!surroundings.out) return absl::OkStatus();
  } while (surroundings.wait());
  return absl::OkStatus();
}

Status Repeat(const Look& look, Duration interval) {
  const bool in_place = isatty(STDOUT_FILENO) == 1;
  const auto clear = [in_place] {
    if (in_place) ClearScreen();
  };
  const auto wait = [interval] {
    std::this_thread::sleep_for(interval);
    return true;
  };
  return Repeat(look, {std::cout, std::cerr, clear, wait});
}

}  // namespace twofold::cli
