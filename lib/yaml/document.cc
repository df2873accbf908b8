
#include <spdlog/fmt/fmt.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/common/printable.h"
#include "lib/yaml/node.h"

namespace twofold::yaml {
namespace {

// What yaml-cpp gives as the tag: of a scalar without quotes, of one in quotes, of !!str.
constexpr std::string_view kPlain = "?";
constexpr std::string_view kQuoted = "!";
constexpr std::string_view kText = "tag:yaml.org,2002:str";

constexpr std::string_view kMergeKey = "<<";

constexpr std::string_view kFixedBlank =
    "\u00a0";  // what pages and word processors put for a blank

Place At(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

/// How an event handler ends the parsing.
struct Refused {
  Status status;
};

[[noreturn]] void Refuse(Place place, std::string_view field, std::string_view what) {
  throw Refused{Fault(place, field, what)};
}

// The maps that stand behind a merge key.
List Merged(const NodeRef& value) {
  const List* list = AsList(*value);
  List maps = list == nullptr ? List{value} : *list;
  for (const NodeRef& map : maps) {
    if (AsMap(*map) == nullptr) Refuse(value->place, kMergeKey, "takes a map or a list of maps");
  }
  return maps;
}

/// Where the quote that closes the one at `begin` is; npos: nowhere.
std::size_t EndOfQuoted(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  for (std::size_t at = begin + 1; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (text[at] == quote) {
      const bool is_doubled = quote == '\'' && text.substr(at + 1, 1) == "'";
      if (!is_doubled) return at;
      ++at;
    }
  }
  return std::string_view::npos;
}

/// Makes a tree of what yaml-cpp's parser meets. Its own Node is not used because it keeps neither
/// duplicate keys, to refuse them, nor the quotes that tell the text "5" from the number 5.
///
/// Errors   Throws Refused; ParseDocument turns it into a Status.
class TreeBuilder : public YAML::EventHandler {
 public:
  /// `text` is what is parsed, and outlives this.
  TreeBuilder(std::string_view text, const Limits& limits) : text_(text), limits_(limits) {}

  /// The last text in quotes that goes over several lines: where it begins, and the line in which
  /// it ends; {}: there was none.
  [[nodiscard]] std::pair<Place, int> last_quoted() const { return last_quoted_; }

  /// The document, once it has ended.
  [[nodiscard]] const NodeRef& root() const { return root_; }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override { Close(); }

 private:
  /// A list or map whose end has not come yet.
  struct Open {
    Node node;
    YAML::anchor_t anchor;
    bool has_key = false;  ///< of a map: the next node is the value of `key`
    std::string key{};
    Place key_place{};
    std::set<std::string, std::less<>> keys{};
    List merged{};  ///< values of `<<`
  };

  void CheckQuote(const YAML::Mark& mark);
  void Begin(Node node, const std::string& tag, YAML::anchor_t anchor);
  void Close();
  void Add(NodeRef node, YAML::anchor_t anchor, std::string_view as_key);
  void AddKey(Open& map, const Node& node, std::string_view text) const;
  void AddEntry(Open& map, NodeRef value) const;
  void Grow(Open& open, const Node& part) const;

  const std::string_view text_;
  const Limits limits_;
  std::pair<Place, int> last_quoted_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, NodeRef> anchors_;
  NodeRef root_;
};

void TreeBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  Add(std::make_shared<const Node>(Node{{}, At(mark)}), anchor, "");
}

void TreeBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end()) Refuse(At(mark), "", "an alias inside what it stands for");
  const auto* text = std::get_if<std::string>(&found->second->value);
  Add(found->second, 0, text == nullptr ? "" : *text);
}

void TreeBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& text) {
  if (tag != kPlain && tag != kQuoted && tag != kText && !tag.empty()) {
    Refuse(At(mark), "", fmt::format("tag {} is not supported", tag));
  }
  if (tag == kPlain && text.find(kFixedBlank) != std::string::npos) {
    Refuse(At(mark), "", "a non-breaking space (U+00A0): write a blank, or quote the text");
  }
  if (tag == kQuoted) CheckQuote(mark);
  Node node{{}, At(mark)};
  if (tag == kPlain) {
    node.value = PlainScalar(text);
    if (std::get_if<std::string>(&node.value) == nullptr) node.written = text;
  } else {
    node.value = text;
  }
  Add(std::make_shared<const Node>(std::move(node)), anchor, text);
}

// The parser takes a quote that nothing closes for one that is closed at the end of the document.
void TreeBuilder::CheckQuote(const YAML::Mark& mark) {
  const auto begin = static_cast<std::size_t>(std::max(mark.pos, 0));
  if (begin >= text_.size() || (text_[begin] != '"' && text_[begin] != '\'')) return;
  const std::size_t end = EndOfQuoted(text_, begin);
  if (end == std::string_view::npos) {
    Refuse(At(mark), "", "the quote that begins here is not closed");
  }
  const std::string_view quoted = text_.substr(begin, end - begin);
  const auto lines = static_cast<int>(std::count(quoted.begin(), quoted.end(), '\n'));
  if (lines > 0) last_quoted_ = {At(mark), At(mark).line + lines};
}

void TreeBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag,
                                  YAML::anchor_t anchor, YAML::EmitterStyle::value /*style*/) {
  Begin({List(), At(mark)}, tag, anchor);
}

void TreeBuilder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value /*style*/) {
  Begin({Map(), At(mark)}, tag, anchor);
}

void TreeBuilder::Begin(Node node, const std::string& tag, YAML::anchor_t anchor) {
  if (tag != kPlain && !tag.empty()) {
    Refuse(node.place, "", fmt::format("tag {} is not supported", tag));
  }
  if (open_.size() == limits_.depth) {
    Refuse(node.place, "",
           fmt::format("lists and maps inside each other: more than {}", limits_.depth));
  }
  open_.push_back({std::move(node), anchor});
}

void TreeBuilder::Close() {
  Open closed = std::move(open_.back());
  open_.pop_back();
  if (auto* map = std::get_if<Map>(&closed.node.value)) {
    for (const NodeRef& base : closed.merged) {  // what the map has itself counts
      for (const Entry& entry : *AsMap(*base)) {
        if (Find(*map, entry.key) != nullptr) continue;
        Grow(closed, *entry.value);
        map->push_back(entry);
      }
      if (map->size() > limits_.keys) {
        Refuse(closed.node.place, "", fmt::format("a map with more than {} keys", limits_.keys));
      }
    }
  }
  Add(std::make_shared<const Node>(std::move(closed.node)), closed.anchor, "");
}

void TreeBuilder::Add(NodeRef node, YAML::anchor_t anchor, std::string_view as_key) {
  if (anchor != 0) anchors_[anchor] = node;
  if (open_.empty()) {
    root_ = std::move(node);
    return;
  }
  Open& open = open_.back();
  if (auto* list = std::get_if<List>(&open.node.value)) {
    Grow(open, *node);
    list->push_back(std::move(node));
  } else if (open.has_key) {
    AddEntry(open, std::move(node));
  } else {
    AddKey(open, *node, as_key);
  }
}

void TreeBuilder::AddKey(Open& map, const Node& node, std::string_view text) const {
  if (text.empty())
    Refuse(node.place, "", fmt::format("a key is text, this is {}", TypeName(node)));
  if (!map.keys.emplace(text).second) Refuse(node.place, text, "is there twice");
  if (map.keys.size() > limits_.keys) {
    Refuse(node.place, text, fmt::format("a map with more than {} keys", limits_.keys));
  }
  map.key = text;
  map.key_place = node.place;
  map.has_key = true;
}

void TreeBuilder::AddEntry(Open& map, NodeRef value) const {
  map.has_key = false;
  if (map.key == kMergeKey) {
    map.merged = Merged(value);
    return;
  }
  Grow(map, *value);
  std::get<Map>(map.node.value).push_back({map.key, map.key_place, std::move(value)});
}

void TreeBuilder::Grow(Open& open, const Node& part) const {
  open.node.size += part.size;
  if (open.node.size > limits_.nodes) {
    Refuse(part.place, "", fmt::format("more than {} values, aliases written out", limits_.nodes));
  }
}

// ---- what the parser refuses

/// What yaml-cpp says, and what a person does about it.
struct Advice {
  std::string_view said;
  std::string_view means;
};

constexpr std::string_view kFitsNothing =
    "fits nothing above: give it the indent of the keys or items that it belongs to, and each key "
    "a ':' and a blank";

const Advice kAdvice[] = {
    {YAML::ErrorMsg::END_OF_MAP, kFitsNothing},
    {YAML::ErrorMsg::END_OF_SEQ, kFitsNothing},
    {YAML::ErrorMsg::END_OF_MAP_FLOW, "a '{' before this is not closed: a ',' or '}' is missing"},
    {YAML::ErrorMsg::END_OF_SEQ_FLOW, "a '[' before this is not closed: a ',' or ']' is missing"},
    {YAML::ErrorMsg::MAP_KEY, "no key can stand here: give it the indent of the keys above"},
    {YAML::ErrorMsg::MAP_VALUE,
     "a ':' where no key can stand: quote a text that has ': ' in it, "
     "and give a key the indent of the keys above"},
    {YAML::ErrorMsg::BLOCK_ENTRY, "a '-' where no list can stand: give the list a line of its own"},
    {YAML::ErrorMsg::CHAR_IN_SCALAR, "a text cannot begin with this character: quote the text"},
    {YAML::ErrorMsg::UNKNOWN_TOKEN, "a text cannot begin with this character: quote the text"},
    {YAML::ErrorMsg::FLOW_END, "closes what was not opened: remove it, or quote the text"},
};

std::string_view Meaning(const std::string& said) {
  const auto* const row = std::find_if(std::begin(kAdvice), std::end(kAdvice),
                                       [&](const Advice& each) { return each.said == said; });
  return row == std::end(kAdvice) ? std::string_view(said) : row->means;
}

/// The first tab among the blanks that a line up to `last` begins with; {}: none. YAML does not
/// allow it there, and its parser trips over it in a later line.
Place TabInIndent(std::string_view text, int last) {
  for (int line = 1; line <= last; ++line) {
    const std::size_t indent = std::min(text.find_first_not_of(" \t"), text.size());
    const std::size_t tab = text.substr(0, indent).find('\t');
    if (tab != std::string_view::npos) return {line, static_cast<int>(tab) + 1};
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return {};
}

Status Explained(const YAML::Exception& error, const std::string& text,
                 const std::pair<Place, int>& last_quoted) {
  const Place place = At(error.mark);
  const Place tab = TabInIndent(text, place.line);
  if (tab.line > 0) return Fault(tab, "", "a tab in the indent: write blanks");
  if (last_quoted.second == place.line && place.line > 0) {
    return Fault(last_quoted.first, "",
                 fmt::format("the text in quotes that begins here ends in line {}: close the quote "
                             "before that",
                             place.line));
  }
  return Fault(place, "", Meaning(error.msg));
}

Place PlaceOf(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
          static_cast<int>(offset - line_start) + 1};
}

Status CheckText(const std::string& text, const Limits& limits) {
  if (text.size() > limits.bytes) {
    return Fault({1, 1}, "", fmt::format("more than {} bytes", limits.bytes));
  }
  const std::size_t valid = ValidUtf8(text);
  if (valid < text.size()) return Fault(PlaceOf(text, valid), "", "is no UTF-8 text");
  const std::size_t zero = text.find('\0');
  if (zero != std::string::npos) return Fault(PlaceOf(text, zero), "", "a zero byte");
  return absl::OkStatus();
}

Result<NodeRef> Parse(YAML::Parser& parser, TreeBuilder& first, TreeBuilder& second) {
  if (!parser.HandleNextDocument(first) || first.root() == nullptr) {
    return Fault({1, 1}, "", "the document is empty");
  }
  if (parser.HandleNextDocument(second) && second.root() != nullptr && !IsNull(*second.root())) {
    return Fault(second.root()->place, "", "a second document: write one benchmark a file");
  }
  return first.root();
}

}  // namespace

Result<NodeRef> ParseDocument(const std::string& text, const Limits& limits) {
  if (Status status = CheckText(text, limits); !status.ok()) return status;
  TreeBuilder first(text, limits);
  TreeBuilder second(text, limits);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    return Parse(parser, first, second);
  } catch (const Refused& refused) {
    return refused.status;
  } catch (const YAML::Exception& error) {
    return Explained(error, text, first.last_quoted());
  }
}

}  // namespace twofold::yaml
