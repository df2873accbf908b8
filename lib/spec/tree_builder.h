#pragma once

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "lib/spec/limits.h"
#include "lib/spec/node.h"

namespace twofold::spec {

/// Makes a tree of what yaml-cpp's parser meets. Its own Node is not used because it keeps neither
/// duplicate keys, to refuse them, nor the quotes that tell the text "5" from the number 5.
///
/// Errors   Throws Refused, which is how an event handler ends the parsing; ParseDocument turns it
///          into a Status.
class TreeBuilder : public YAML::EventHandler {
 public:
  struct Refused {
    Status status;
  };

  explicit TreeBuilder(const Limits& limits) : limits_(limits) {}

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

  void Begin(Node node, const std::string& tag, YAML::anchor_t anchor);
  void Close();
  void Add(NodeRef node, YAML::anchor_t anchor, std::string_view as_key);
  void AddKey(Open& map, const Node& node, std::string_view text) const;
  void AddEntry(Open& map, NodeRef value) const;
  void Grow(Open& open, const Node& part) const;

  const Limits limits_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, NodeRef> anchors_;
  NodeRef root_;
};

}  // namespace twofold::spec
