#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/common/result.h"

namespace twofold::objects {

/// An element of XML with all that is in it. Plain data.
struct Element {
  std::string name;  ///< without the prefix of a namespace: "href" of <D:href>
  std::string text;  ///< its own, entities and CDATA resolved, blanks as they were
  std::vector<Element> children{};

  /// The first child of that name; null: there is none.
  [[nodiscard]] const Element* Find(std::string_view child) const;
  /// The text of that child; empty: there is none.
  [[nodiscard]] std::string TextOf(std::string_view child) const;
  /// Whether an element of that name is anywhere in it.
  [[nodiscard]] bool Contains(std::string_view descendant) const;
};

/// Reads an answer of a store: one whole element. Attributes, comments and declarations are passed
/// over. Control characters that XML 1.0 has no place for are taken, as names of objects have them.
///
/// Errors   kDataLoss: what is wrong, and at which byte. An answer that was cut off is no whole
///          element; an '&' that begins no entity is not guessed at.
/// Cost     O(size).
Result<Element> ParseXml(std::string_view text);

}  // namespace twofold::objects
