#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace twofold::process {

/// How far a run is, in its own words.
struct ProgressLine {
  float fraction = 0;  ///< 0..1
  std::string text;    ///< one line of UTF-8, at most 200 bytes

  friend bool operator==(const ProgressLine&, const ProgressLine&) = default;
};

/// What a line `FRACTION TEXT` says; nullopt if it is none. FRACTION is a number from 0 to 1; TEXT
/// may be missing, is cut at 200 bytes, and made fit for people and protocols: control characters
/// become spaces, bytes that are no UTF-8 question marks.
std::optional<ProgressLine> ParseProgress(std::string_view line);

/// The lines that a program writes, in whatever pieces they come.
///
/// Cost     Bounded memory: of a line nobody ends only the beginning is kept.
class ProgressReader {
 public:
  /// The newest of the lines that `bytes` end, if one of them makes sense; the others are old news.
  std::optional<ProgressLine> Append(std::string_view bytes);

 private:
  std::string line_;  // not yet ended
};

}  // namespace twofold::process
