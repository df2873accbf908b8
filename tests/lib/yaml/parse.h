#pragma once

#include <gtest/gtest.h>

#include <string>

#include "lib/yaml/node.h"

namespace twofold::yaml {

/// The tree of a document that has to be right.
inline NodeRef Parsed(const std::string& text) {
  auto node = ParseDocument(text);
  EXPECT_TRUE(node.ok()) << node.status() << "\n" << text;
  return node.ok() ? *node : std::make_shared<const Node>();
}

/// The document as JSON text.
inline std::string AsJson(const std::string& text) { return ToText(ToJson(*Parsed(text))); }

/// What is said of a document that is wrong.
inline std::string ParseError(const std::string& text, const Limits& limits = {}) {
  const auto node = ParseDocument(text, limits);
  return node.ok() ? "no error" : std::string(node.status().message());
}

}  // namespace twofold::yaml
