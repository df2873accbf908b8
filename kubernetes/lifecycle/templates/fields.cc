#include "kubernetes/lifecycle/templates/fields.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/common/printable.h"

namespace twofold::lifecycle {
namespace {

constexpr std::size_t kShownName = 80;
constexpr std::string_view kAsText = ":text";

// Below these keys Kubernetes wants texts, but for a reference in one of them.
constexpr std::array<std::string_view, 7> kTexts = {
    "labels", "annotations", "nodeSelector", "matchLabels", "env", "command", "args"};
constexpr std::string_view kReference = "valueFrom";

bool WantsTexts(std::string_view key, bool above) {
  if (key == kReference) return false;
  return above || std::find(kTexts.begin(), kTexts.end(), key) != kTexts.end();
}

struct Field {
  std::string_view name;
  std::string text;
  std::optional<std::uint32_t> number;
};

using Fields = std::vector<Field>;

Field NumberField(std::string_view name, std::uint32_t number) {
  return {name, absl::StrCat(number), number};
}

Fields FieldsOf(const Kind& kind, const Workload& workload) {
  const v1::suites::LifecycleSpec& spec = workload.spec;
  return {{"name", workload.name, {}},
          {"namespace", workload.space, {}},
          {"run", workload.run, {}},
          NumberField("index", workload.index),
          NumberField("workers", spec.workers()),
          NumberField("others", spec.workers() - 1),
          {"gpu", spec.gpu(), {}},
          NumberField("gpus", spec.gpus()),
          {"cpu", spec.cpu(), {}},
          {"memory", spec.memory(), {}},
          {"image", spec.container_image(), {}},
          NumberField("seconds", spec.seconds()),
          {"queue", QueueOf(kind, spec), {}},
          {"scheduler", spec.has_scheduler() ? spec.scheduler() : std::string(kind.scheduler), {}}};
}

Result<const Field*> FindField(const Fields& fields, std::string_view name) {
  std::vector<std::string> names;
  for (const Field& field : fields) {
    if (field.name == name) return &field;
    names.emplace_back(field.name);
  }
  return absl::InvalidArgumentError(absl::StrCat("${", Printable(name, kShownName),
                                                 "}: no such field; there are ",
                                                 absl::StrJoin(names, ", ")));
}

/// The name in a field "name" or "name:text".
std::string_view NameIn(std::string_view field) {
  if (field.ends_with(kAsText)) field.remove_suffix(kAsText.size());
  return field;
}

/// `text` with its fields filled in.
Result<std::string> Filled(std::string_view text, const Fields& fields) {
  std::string filled;
  while (true) {
    const std::size_t begin = text.find("${");
    filled += text.substr(0, begin);
    if (begin == std::string_view::npos) return filled;
    text.remove_prefix(begin + 2);
    if (filled.ends_with('$')) {
      filled += '{';
      continue;
    }
    const std::size_t end = text.find('}');
    if (end == std::string_view::npos) {
      return absl::InvalidArgumentError(
          absl::StrCat("'${", Printable(text, kShownName), "' has no }; write $${ for a plain ${"));
    }
    const auto field = FindField(fields, NameIn(text.substr(0, end)));
    if (!field.ok()) return field.status();
    filled += (*field)->text;
    text.remove_prefix(end + 1);
  }
}

/// The number, if `text` is nothing but a field of one.
std::optional<std::uint32_t> NumberIn(std::string_view text, const Fields& fields) {
  if (!text.starts_with("${") || !text.ends_with('}')) return std::nullopt;
  const auto field = FindField(fields, text.substr(2, text.size() - 3));
  return field.ok() ? (*field)->number : std::nullopt;
}

Result<Object> Fill(const yaml::Node& node, const Fields& fields, bool texts);

Result<Object> FillText(const std::string& text, const Fields& fields, bool texts) {
  const auto number = NumberIn(text, fields);
  if (number && !texts) return Object(*number);
  const auto filled = Filled(text, fields);
  if (!filled.ok()) return filled.status();
  return Object(*filled);
}

/// Whether an entry stays: its key may begin with "${field?}", which is cut off.
Result<bool> Stays(std::string_view& key, const Fields& fields) {
  const std::size_t end = key.find("?}");
  if (!key.starts_with("${") || end > key.find('}')) return true;
  const auto field = FindField(fields, key.substr(2, end - 2));
  if (!field.ok()) return field.status();
  key.remove_prefix(end + 2);
  return (*field)->number ? *(*field)->number > 0 : !(*field)->text.empty();
}

Result<Object> FillMap(const yaml::Map& entries, const Fields& fields, bool texts) {
  Object map = Object::object();
  for (const yaml::Entry& entry : entries) {
    if (yaml::IsNull(*entry.value)) continue;
    std::string_view key = entry.key;
    const auto stays = Stays(key, fields);
    if (!stays.ok()) return stays.status();
    if (!*stays) continue;
    const auto filled_key = Filled(key, fields);
    if (!filled_key.ok()) return filled_key.status();
    auto filled = Fill(*entry.value, fields, WantsTexts(key, texts));
    if (!filled.ok()) return filled.status();
    map[*filled_key] = *std::move(filled);
  }
  return map;
}

Result<Object> FillList(const yaml::List& items, const Fields& fields, bool texts) {
  Object list = Object::array();
  for (const yaml::NodeRef& each : items) {
    auto filled = Fill(*each, fields, texts);
    if (!filled.ok()) return filled.status();
    list.push_back(*std::move(filled));
  }
  return list;
}

Result<Object> Fill(const yaml::Node& node, const Fields& fields, bool texts) {
  if (const yaml::Map* map = yaml::AsMap(node)) return FillMap(*map, fields, texts);
  if (const yaml::List* list = yaml::AsList(node)) return FillList(*list, fields, texts);
  if (const auto* text = std::get_if<std::string>(&node.value))
    return FillText(*text, fields, texts);
  if (texts && !yaml::IsNull(node)) return Object(yaml::TextOf(node));
  return Object(yaml::ToJson(node));
}

}  // namespace

std::string QueueOf(const Kind& kind, const v1::suites::LifecycleSpec& spec) {
  return spec.has_queue() ? spec.queue() : std::string(kind.queue);
}

Result<Object> FillIn(const yaml::Node& document, const Kind& kind, const Workload& workload) {
  return Fill(document, FieldsOf(kind, workload), false);
}

}  // namespace twofold::lifecycle
