#include "lib/suite/json.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "lib/suite/document.h"
#include "lib/suite/text.h"

namespace twofold::suite {
namespace {

// ---- Where objects are

// From `at`, the next object that begins a line; npos: none.
std::size_t NextStart(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const std::size_t word = text.find_first_not_of(" \t", at);
    if (word == std::string_view::npos) return word;
    if (text[word] == '{') return word;
    const std::size_t end = text.find('\n', word);
    if (end == std::string_view::npos) return end;
    at = end + 1;
  }
  return std::string_view::npos;
}

// What tools written in C print where a number is none.
constexpr std::string_view kNoNumbers[] = {"-nan(ind)", "-nan(snan)", "nan(ind)", "nan(snan)",
                                           "-Infinity", "Infinity",   "-nan",     "-NaN",
                                           "-inf",      "nan",        "NaN",      "inf"};

std::size_t NoNumberAt(std::string_view text) {
  for (const std::string_view word : kNoNumbers) {
    if (text.starts_with(word)) return word.size();
  }
  return 0;
}

struct Extent {
  std::size_t end = 0;  ///< past the last brace, or the text's
  bool closed = false;
  std::vector<std::pair<std::size_t, std::size_t>> no_numbers;  ///< offset, length
  std::vector<std::string_view> keys;  ///< at the top, with what is written in their quotes
};

// Past the closing quote, or at the end of the line: no text in JSON has one.
std::size_t PastText(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return std::min(at, text.size());
}

// The object whose brace is at `start`. If its braces do not close, it goes to the end.
Extent ExtentOf(std::string_view text, std::size_t start) {
  Extent extent;
  std::size_t depth = 0;
  std::size_t at = start;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      const std::size_t end = PastText(text, at);
      const std::size_t next = depth == 1 ? text.find_first_not_of(" \t", end) : text.npos;
      if (next != text.npos && text[next] == ':') {
        extent.keys.push_back(text.substr(at + 1, end - at - 2));
      }
      at = end;
      continue;
    }
    if (c == '-' || c == 'n' || c == 'N' || c == 'i' || c == 'I') {
      if (const std::size_t length = NoNumberAt(text.substr(at)); length > 0) {
        extent.no_numbers.emplace_back(at, length);
        at += length;
        continue;
      }
    }
    if (c == '{') ++depth;
    if (c == '}' && --depth == 0) {
      extent.end = at + 1;
      extent.closed = true;
      return extent;
    }
    ++at;
  }
  extent.end = text.size();
  return extent;
}

// The object's text, with "" and blanks where a number is none: places stay what they are.
std::string TextOf(std::string_view text, std::size_t start, const Extent& extent) {
  std::string object(text.substr(start, extent.end - start));
  for (const auto& [at, length] : extent.no_numbers) {
    object.replace(at - start, length, "\"\"" + std::string(length - 2, ' '));
  }
  return object;
}

bool HasOneOf(std::span<const std::string_view> keys, const Extent& extent) {
  return std::any_of(extent.keys.begin(), extent.keys.end(),
                     [&](std::string_view key) { return IsOneOf(key, keys); });
}

// "[{...}, {...}]" with ends of lines where the array's own signs are; nullopt: it is none.
std::optional<std::string> Unpacked(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n";
  std::string objects(text);
  std::size_t at = text.find_first_not_of(kBlanks);
  for (char sign = '['; at != text.npos && text[at] == sign; sign = ',') {
    const std::size_t object = text.find_first_not_of(kBlanks, at + 1);
    if (object == text.npos || text[object] != '{') return std::nullopt;
    objects[at] = ' ';
    objects[object - 1] = '\n';  // it begins a line
    at = text.find_first_not_of(kBlanks, ExtentOf(text, object).end);
  }
  const bool ends = at != text.npos && text[at] == ']' && at > 0 &&
                    text.find_first_not_of(kBlanks, at + 1) == text.npos;
  if (!ends) return std::nullopt;
  objects[at] = ' ';
  return objects;
}

// ---- What is in them

constexpr int kMostRepeated = 8;

std::string NumberedKey(const std::string& key, int number) {
  return absl::StrCat(key, "#", number);
}

/// Makes a tree of what the library's lexer finds, and keeps values of repeated keys apart.
class TreeBuilder : public nlohmann::json_sax<Json> {
 public:
  explicit TreeBuilder(std::span<const std::string_view> repeated) : repeated_(repeated) {}

  bool null() override { return Put(nullptr) != nullptr; }
  bool boolean(bool value) override { return Put(value) != nullptr; }
  bool number_integer(number_integer_t value) override { return Put(value) != nullptr; }
  bool number_unsigned(number_unsigned_t value) override { return Put(value) != nullptr; }
  bool number_float(number_float_t value, const string_t& /*text*/) override {
    return Put(value) != nullptr;
  }
  bool string(string_t& value) override { return Put(std::move(value)) != nullptr; }
  bool binary(binary_t& /*value*/) override { return false; }  // not in text
  bool start_object(std::size_t /*size*/) override { return Open(Json::object()); }
  bool start_array(std::size_t /*size*/) override { return Open(Json::array()); }
  bool end_array() override { return Close(); }
  bool end_object() override {
    Json& object = *open_.back();
    for (const auto& [key, count] : counts_.back()) {
      if (!Settle(object, key, count)) return false;
    }
    counts_.pop_back();
    return Close();
  }
  bool key(string_t& key) override {
    key_ = key;
    if (!open_.back()->contains(key_)) return true;
    int& count = counts_.back().try_emplace(key, 1).first->second;
    if (++count > kMostRepeated) return Ambiguous(key);
    key_ = NumberedKey(key, count);
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    position_ = position;
    what_ = error.what();
    return false;
  }

  Json tree;

  /// Of an error: where, in bytes from 1 on, and in the library's words; 0: of `ambiguous` keys.
  [[nodiscard]] std::size_t position() const { return position_; }
  [[nodiscard]] const std::string& what() const { return what_; }

 private:
  template <typename Value>
  Json* Put(Value&& value) {
    if (open_.empty()) {
      tree = std::forward<Value>(value);
      return &tree;
    }
    Json& at = *open_.back();
    if (at.is_array()) {
      at.push_back(std::forward<Value>(value));
      return &at.back();
    }
    Json& place = at[key_];
    place = std::forward<Value>(value);
    return &place;
  }

  bool Open(Json empty) {
    const bool is_object = empty.is_object();
    open_.push_back(Put(std::move(empty)));
    if (is_object) counts_.emplace_back();
    return true;
  }

  bool Close() {
    open_.pop_back();
    return true;
  }

  // Of a key that stood `count` times in an object that is whole now.
  bool Settle(Json& object, const std::string& key, int count) {
    bool same = true;
    for (int i = 2; i <= count; ++i) same = same && object[NumberedKey(key, i)] == object[key];
    if (!same) {
      const bool is_known = std::find(repeated_.begin(), repeated_.end(), key) != repeated_.end();
      return is_known || Ambiguous(key);
    }
    for (int i = 2; i <= count; ++i) object.erase(NumberedKey(key, i));
    return true;
  }

  bool Ambiguous(const std::string& key) {
    what_ =
        absl::StrCat("its JSON has the key ", Quoted(key), " twice in one object, with two values");
    return false;
  }

  const std::span<const std::string_view> repeated_;
  std::vector<Json*> open_;
  std::vector<std::map<std::string, int>> counts_;  // of repeated keys, by open object
  std::string key_;
  std::size_t position_ = 0;
  std::string what_;
};

// "line 3, column 5" of the byte at `offset`.
std::string PlaceText(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line = before.rfind('\n') + 1;  // 0 without one
  return absl::StrCat("line ", 1 + std::count(before.begin(), before.end(), '\n'), ", column ",
                      1 + before.size() - line);
}

// "[json.exception.parse_error.101] parse error at line 6, column 1: syntax error ..." without all
// that stands before the reason.
std::string_view ErrorIn(std::string_view what) {
  const std::size_t place = what.find(", column ");
  const std::size_t colon = place == what.npos ? place : what.find(": ", place);
  if (colon != what.npos) return what.substr(colon + 2);
  return what.substr(what.starts_with('[') ? std::min(what.find("] ") + 2, what.size()) : 0);
}

Status Broken(std::string_view stage, std::string_view text, std::size_t start,
              const TreeBuilder& builder, bool closed) {
  if (builder.position() == 0) return Unreadable(stage, builder.what());
  const std::size_t at = std::min(text.size(), start + builder.position() - 1);
  const bool at_end = text.find_first_not_of(" \t\r\n", at) == text.npos;
  if (!closed && at_end) {
    return Unreadable(stage, absl::StrCat("its JSON is cut off at ", PlaceText(text, at)));
  }
  return Unreadable(stage, absl::StrCat("its JSON is wrong at ", PlaceText(text, at), ": ",
                                        std::string(ErrorIn(builder.what()))));
}

Status NoDocument(std::string_view stage, std::string_view text) {
  const auto lines = Lines(text);
  if (lines.empty()) return Unreadable(stage, "no output");
  if (IsEndOfJson(text)) return Unreadable(stage, "the beginning of its JSON is missing");
  return Unreadable(stage, "no JSON in its output, but: " + std::string(lines.front()));
}

}  // namespace

std::vector<std::size_t> DocumentStarts(std::string_view text) {
  std::vector<std::size_t> starts;
  for (std::size_t at = NextStart(text, 0); at != text.npos;) {
    starts.push_back(at);
    at = NextStart(text, ExtentOf(text, at).end);
  }
  return starts;
}

bool IsEndOfJson(std::string_view text) {
  if (text.find("\":") == text.npos && text.find("\" :") == text.npos) return false;
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '"') {
      at = PastText(text, at);
      continue;
    }
    if (text[at] == '}' && depth == 0) return true;
    if (text[at] == '{') ++depth;
    if (text[at] == '}') --depth;
    ++at;
  }
  return false;
}

std::string WithoutOtherObjects(std::string text, std::span<const std::string_view> keys,
                                std::vector<std::string>& notes) {
  if (keys.empty()) return text;
  if (auto objects = Unpacked(text)) text = *std::move(objects);
  std::vector<std::pair<std::size_t, std::size_t>> others;
  // From a brace on that nothing closes: of a shell if a result follows, else of one that is cut
  // off.
  std::vector<std::pair<std::size_t, std::size_t>> doubtful;
  constexpr std::size_t kMostOpen = 16;  // each costs a look at all that follows
  std::size_t open = 0;
  bool has_known = false;
  for (std::size_t at = NextStart(text, 0); at != text.npos && open < kMostOpen;) {
    const Extent extent = ExtentOf(text, at);
    const bool is_known = HasOneOf(keys, extent);
    if (!extent.closed) ++open;
    const std::size_t end =
        is_known || extent.closed ? extent.end : std::min(text.find('\n', at), text.size());
    if (is_known) {
      has_known = true;
      others.insert(others.end(), doubtful.begin(), doubtful.end());
      doubtful.clear();
    } else {
      (extent.closed && doubtful.empty() ? others : doubtful).emplace_back(at, end);
    }
    at = NextStart(text, end);
  }
  if (!has_known || others.empty()) return text;
  const std::string first =
      Quoted(text.substr(others[0].first, others[0].second - others[0].first));
  for (const auto& [begin, end] : others) {
    std::replace_if(
        text.begin() + static_cast<std::ptrdiff_t>(begin),
        text.begin() + static_cast<std::ptrdiff_t>(end), [](char c) { return c != '\n'; }, ' ');
  }
  notes.push_back(absl::StrCat(others.size(), others.size() == 1 ? " object" : " objects",
                               " beside its result skipped, such as: ", first));
  return text;
}

Result<std::vector<Document>> FindDocuments(std::string_view stage, std::string_view text,
                                            std::span<const std::string_view> repeated) {
  std::vector<Document> documents;
  std::size_t end = 0;
  for (std::size_t at = NextStart(text, 0); at != text.npos; at = NextStart(text, end)) {
    const Extent extent = ExtentOf(text, at);
    const std::string object = TextOf(text, at, extent);
    TreeBuilder builder(repeated);
    if (!Json::sax_parse(object, &builder)) {
      return Broken(stage, text, at, builder, extent.end < text.size() || object.ends_with('}'));
    }
    if (!documents.empty()) documents.back().after = text.substr(end, at - end);
    documents.push_back({std::move(builder.tree), text.substr(end, at - end), {}});
    end = extent.end;
  }
  if (documents.empty()) return NoDocument(stage, text);
  documents.back().after = text.substr(end);
  return documents;
}

Result<Document> FindDocument(std::string_view stage, std::string_view text,
                              std::span<const std::string_view> repeated) {
  auto documents = FindDocuments(stage, text, repeated);
  if (!documents.ok()) return documents.status();
  if (documents->size() > 1) return SeveralRuns(stage, text, DocumentStarts(text));
  return std::move(documents->front());
}

const Json* Find(const Json& json, std::initializer_list<std::string_view> path) {
  const Json* at = &json;
  for (const std::string_view key : path) {
    const auto found = at->find(std::string(key));  // end() unless `at` is an object
    if (found == at->end()) return nullptr;
    at = &*found;
  }
  return at;
}

std::string TextAt(const Json& json, std::initializer_list<std::string_view> path) {
  const Json* found = Find(json, path);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

double JsonNumbers::Get(const Json& json, std::initializer_list<std::string_view> path) {
  const Json* found = Find(json, path);
  if (found != nullptr && found->is_number() && std::isfinite(found->get<double>())) {
    return found->get<double>();
  }
  if (status_.ok()) {
    const std::string name =
        absl::StrJoin(path, ".", [](std::string* out, std::string_view key) { out->append(key); });
    status_ = Unreadable(stage_, absl::StrCat("its JSON has no number ", name));
  }
  return 0;
}

}  // namespace twofold::suite
