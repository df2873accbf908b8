#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/result.h"

namespace twofold::suite {

using Json = nlohmann::ordered_json;

/// A JSON object that a tool has printed, among other lines: it begins a line, or follows another.
/// What is no number but stands for one (nan, -inf) is an empty text in it.
struct Document {
  Json json;
  std::string_view before;  ///< what stands between it and the one before: warnings, errors
  std::string_view after;   ///< what stands behind it, up to the next one
};

/// The objects in `text`, at least one.
///
/// A key that an object has twice, with two values, makes it ambiguous: such an object is an error,
/// unless the key is one of `repeated`. Then the second value is under "KEY#2", the third under
/// "KEY#3". A key that has the same value twice is there once.
/// Errors   kDataLoss: no object, or what is wrong with it and where.
Result<std::vector<Document>> FindDocuments(std::string_view stage, std::string_view text,
                                            std::span<const std::string_view> repeated = {});

/// The one object in `text`.
/// Errors   as above; kDataLoss: there are several.
Result<Document> FindDocument(std::string_view stage, std::string_view text,
                              std::span<const std::string_view> repeated = {});

/// `text` without the objects that have none of `keys`, such as the lines of a log, if others have
/// one; they are said in `notes`. Of an array of objects (`jq -s`) only the objects are left. Lines
/// stay where they are. No keys: the text as it is.
std::string WithoutOtherObjects(std::string text, std::span<const std::string_view> keys,
                                std::vector<std::string>& notes);

/// Whether `text` is the end of an object whose beginning is missing, as of `kubectl logs --tail`.
bool IsEndOfJson(std::string_view text);

/// Offsets of the lines at which objects begin, for Suite::runs: found by braces, so that broken
/// objects are found, too.
std::vector<std::size_t> DocumentStarts(std::string_view text);

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
