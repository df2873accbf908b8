#include "workloads/objects/wire/xml.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "lib/common/printable.h"

namespace twofold::objects {
namespace {

constexpr std::size_t kDeepest = 64;
constexpr std::size_t kLongestEntity = 12;
constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

constexpr std::array<std::pair<std::string_view, char>, 5> kEntities = {
    {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}}};

void AppendUtf8(std::uint32_t code, std::string& out) {
  if (code < 0x80) return out.push_back(static_cast<char>(code));
  const int rest = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;  // bytes of six bits after the first
  const std::uint32_t mark = 0xFF00U >> (rest + 1) & 0xFF;
  out.push_back(static_cast<char>(mark | code >> (6 * rest)));
  for (int i = rest - 1; i >= 0; --i) {
    out.push_back(static_cast<char>(0x80 | (code >> (6 * i) & 0x3F)));
  }
}

// "#39" or "#x27". Nothing else, and no half of a surrogate pair.
std::optional<std::uint32_t> CodeOf(std::string_view entity) {
  if (!entity.starts_with('#')) return std::nullopt;
  const bool is_hex = entity.size() > 1 && entity[1] == 'x';
  const std::string_view digits = entity.substr(is_hex ? 2 : 1);
  std::uint32_t code = 0;
  const char* const end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, code, is_hex ? 16 : 10);
  if (error != std::errc() || rest != end || digits.empty()) return std::nullopt;
  const bool is_character = code > 0 && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  return is_character ? std::optional(code) : std::nullopt;
}

// Appends what the entity stands for; false: it is none.
bool AppendEntity(std::string_view entity, std::string& out) {
  for (const auto& [name, character] : kEntities) {
    if (entity != name) continue;
    out.push_back(character);
    return true;
  }
  const auto code = CodeOf(entity);
  if (code) AppendUtf8(*code, out);
  return code.has_value();
}

/// Takes the document piece by piece; the elements that are open are a stack.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {
    if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
    open_.emplace_back();  // the document
  }

  Result<Element> Parse() {
    while (at_ < text_.size()) {
      Status status = text_[at_] == '<' ? TakeMarkup() : TakeText();
      if (!status.ok()) return status;
    }
    if (open_.size() > 1) return Wrong(absl::StrCat("it ends inside <", open_.back().name, ">"));
    auto& roots = open_.front().children;
    if (roots.empty()) return Wrong("there is no element");
    if (roots.size() > 1) return Wrong("a second element after its end");
    return std::move(roots.front());
  }

 private:
  [[nodiscard]] Status Wrong(const std::string& why) const {
    return absl::DataLossError(absl::StrCat("no whole XML: byte ", at_, ": ", Printable(why, 80)));
  }

  [[nodiscard]] bool IsHere(std::string_view what) const {
    return text_.substr(at_).starts_with(what);
  }

  // Moves behind the next `end`; what is before it is `skipped`.
  Status TakeUntil(std::string_view begin, std::string_view end, std::string_view& skipped) {
    const std::size_t from = at_ + begin.size();
    const std::size_t to = text_.find(end, from);
    if (to == std::string_view::npos) return Wrong(absl::StrCat("no ", std::string(end)));
    skipped = text_.substr(from, to - from);
    at_ = to + end.size();
    return absl::OkStatus();
  }

  Status TakeMarkup() {
    std::string_view inside;
    if (IsHere("<?")) return TakeUntil("<?", "?>", inside);
    if (IsHere("<!--")) return TakeUntil("<!--", "-->", inside);
    if (IsHere("<![CDATA[")) {
      if (Status status = TakeUntil("<![CDATA[", "]]>", inside); !status.ok()) return status;
      open_.back().text += inside;
      return absl::OkStatus();
    }
    if (IsHere("<!")) return TakeUntil("<!", ">", inside);
    return IsHere("</") ? TakeEnd() : TakeStart();
  }

  Status TakeStart() {
    std::string_view inside;
    if (Status status = TakeTag(inside); !status.ok()) return status;
    const bool is_empty = inside.ends_with('/');
    if (is_empty) inside.remove_suffix(1);
    inside = inside.substr(0, inside.find_first_of(kBlanks));
    if (inside.empty()) return Wrong("a tag without a name");
    if (open_.size() > kDeepest) return Wrong("too many elements inside each other");
    Element& element = open_.emplace_back();
    element.name = NameOf(inside);
    if (is_empty) Close();
    return absl::OkStatus();
  }

  // A '>' in quotes ends no tag.
  Status TakeTag(std::string_view& inside) {
    char quote = 0;
    for (std::size_t i = at_ + 1; i < text_.size(); ++i) {
      const char c = text_[i];
      if (quote == 0 && c == '>') {
        inside = text_.substr(at_ + 1, i - at_ - 1);
        at_ = i + 1;
        return absl::OkStatus();
      }
      if (quote == c) {
        quote = 0;
      } else if (quote == 0 && (c == '"' || c == '\'')) {
        quote = c;
      }
    }
    return Wrong("it ends inside a tag");
  }

  Status TakeEnd() {
    std::string_view name;
    if (Status status = TakeUntil("</", ">", name); !status.ok()) return status;
    const std::string_view bare = NameOf(name.substr(0, name.find_first_of(kBlanks)));
    if (open_.size() == 1 || open_.back().name != bare) {
      return Wrong(absl::StrCat("</", std::string(bare), "> ends what is not open"));
    }
    Close();
    return absl::OkStatus();
  }

  Status TakeText() {
    const std::size_t end = std::min(text_.find('<', at_), text_.size());
    const bool is_outside = open_.size() == 1;
    while (at_ < end) {
      const char c = text_[at_];
      if (is_outside && kBlanks.find(c) == std::string_view::npos) {
        return Wrong("text outside of elements");
      }
      if (c == '&') {
        if (Status status = TakeEntity(); !status.ok()) return status;
      } else {
        open_.back().text.push_back(c);
        ++at_;
      }
    }
    return absl::OkStatus();
  }

  Status TakeEntity() {
    const std::string_view ahead = text_.substr(at_ + 1, kLongestEntity);
    const std::string_view entity = ahead.substr(0, ahead.find(';'));
    if (entity.size() == ahead.size() || !AppendEntity(entity, open_.back().text)) {
      return Wrong(absl::StrCat("'&", std::string(entity), "' is no entity"));
    }
    at_ += entity.size() + 2;
    return absl::OkStatus();
  }

  void Close() {
    Element closed = std::move(open_.back());
    open_.pop_back();
    open_.back().children.push_back(std::move(closed));
  }

  static std::string_view NameOf(std::string_view qualified) {
    return qualified.substr(qualified.find(':') + 1);  // npos + 1 is 0
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Element> open_;
};

}  // namespace

const Element* Element::Find(std::string_view child) const {
  const auto found = std::find_if(children.begin(), children.end(),
                                  [&](const Element& each) { return each.name == child; });
  return found == children.end() ? nullptr : &*found;
}

std::string Element::TextOf(std::string_view child) const {
  const Element* const found = Find(child);
  return found == nullptr ? "" : found->text;
}

bool Element::Contains(std::string_view descendant) const {
  return std::any_of(children.begin(), children.end(), [&](const Element& child) {
    return child.name == descendant || child.Contains(descendant);
  });
}

Result<Element> ParseXml(std::string_view text) { return Parser(text).Parse(); }

}  // namespace twofold::objects
