#pragma once

#include <cstddef>
#include <string>

namespace twofold::cli {

/// A line on stderr that is written over on a terminal, and the lines between.
///
/// Threads  Not thread-safe.
class LiveLine {
 public:
  LiveLine();
  ~LiveLine() { Finish(); }
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  /// Whether stderr is a terminal. Elsewhere Replace is for nobody: use Note.
  [[nodiscard]] bool terminal() const { return terminal_; }

  /// How many columns a line may have.
  [[nodiscard]] static std::size_t Width();

  /// Writes over the line that is there. REQUIRES: `line` is printable and not wider than Width().
  void Replace(const std::string& line);

  /// A line that stays; 4096 bytes of it at most.
  void Note(const std::string& line);

  /// Ends the line that is there.
  void Finish();

 private:
  const bool terminal_;
  bool open_ = false;
};

}  // namespace twofold::cli
