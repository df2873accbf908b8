#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kubernetes/api/call.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"

/// The text of a watch: a JSON object {"type":...,"object":...} a line. Pure.
namespace twofold::kube {

struct Line {
  std::string text;
  Instant arrived;  ///< when its first byte came
};

/// Cuts what comes into lines.
class LineSplitter {
 public:
  /// Lines of more than `most` bytes are errors.
  explicit LineSplitter(std::size_t most) : most_(most) {}

  /// Adds the lines that `bytes` end to `lines`. Empty ones are left out.
  /// Errors   kResourceExhausted: a line is too long.
  Status Append(std::string_view bytes, Instant arrived, std::vector<Line>& lines);

  /// What has come of a line that has not ended.
  [[nodiscard]] const std::string& begun() const { return begun_.text; }

 private:
  const std::size_t most_;
  Line begun_{};
};

/// What the line tells: ADDED, MODIFIED, DELETED, BOOKMARK or ERROR; empty: it is no such line.
///
/// Cost     Reads the first bytes, where the API server has the type; else parses the line.
std::string TypeOf(const std::string& line);

/// The object of the line; null: the line is no JSON.
Json ObjectOf(const std::string& line);

/// Whether this bookmark ends the events that list all objects (sendInitialEvents).
bool EndsInitialEvents(const Json& bookmark);

}  // namespace twofold::kube
