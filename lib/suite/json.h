#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "lib/common/result.h"

namespace twofold::suite {

using Json = nlohmann::ordered_json;

/// The JSON object that a tool has printed, among other lines: from the first line that starts with
/// a brace to the last closing brace.
struct Document {
  Json json;
  std::string_view before;  ///< what it printed first: warnings, errors
};

/// Errors   kDataLoss: no such object, or one that is cut off.
Result<Document> FindDocument(std::string_view stage, std::string_view text);

/// Reads numbers from a document whose shape is known, and remembers the first that is not there.
/// So a parser asks for all it needs, and once at the end whether it got it.
class JsonNumbers {
 public:
  explicit JsonNumbers(std::string_view stage) : stage_(stage) {}

  /// The number at `path` inside `json`; 0 and an error for status() if there is none.
  double Get(const Json& json, std::initializer_list<std::string_view> path);

  /// Errors   kDataLoss: which number is missing.
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  std::string stage_;
  Status status_;
};

/// What is at `path`; null if nothing is.
const Json* Find(const Json& json, std::initializer_list<std::string_view> path);

/// The text at `path`; empty if there is none.
std::string TextAt(const Json& json, std::initializer_list<std::string_view> path);

}  // namespace twofold::suite
