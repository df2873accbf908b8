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

// Below these keys Kubernetes wants texts.
constexpr std::array<std::string_view, 7> kTexts = {
    "labels", "annotations", "nodeSelector", "matchLabels", "env", "command", "args"};

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

Result<Object> Fill(const yaml::Json& json, const Fields& fields, bool texts);

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

Result<Object> FillMap(const yaml::Json& json, const Fields& fields, bool texts) {
  Object map = Object::object();
  for (const auto& [written, value] : json.items()) {
    std::string_view key = written;
    const auto stays = Stays(key, fields);
    if (!stays.ok()) return stays.status();
    if (!*stays) continue;
    const bool below = texts || std::find(kTexts.begin(), kTexts.end(), key) != kTexts.end();
    const auto filled_key = Filled(key, fields);
    if (!filled_key.ok()) return filled_key.status();
    auto filled = Fill(value, fields, below);
    if (!filled.ok()) return filled.status();
    map[*filled_key] = *std::move(filled);
  }
  return map;
}

Result<Object> Fill(const yaml::Json& json, const Fields& fields, bool texts) {
  if (json.is_string()) return FillText(json.get<std::string>(), fields, texts);
  if (json.is_object()) return FillMap(json, fields, texts);
  if (!json.is_array()) return Object(json);
  Object list = Object::array();
  for (const yaml::Json& each : json) {
    auto filled = Fill(each, fields, texts);
    if (!filled.ok()) return filled.status();
    list.push_back(*std::move(filled));
  }
  return list;
}

}  // namespace

std::string QueueOf(const Kind& kind, const v1::suites::LifecycleSpec& spec) {
  return spec.has_queue() ? spec.queue() : std::string(kind.queue);
}

Result<Object> FillIn(const yaml::Json& document, const Kind& kind, const Workload& workload) {
  return Fill(document, FieldsOf(kind, workload), false);
}

}  // namespace twofold::lifecycle
