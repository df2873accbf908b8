#include "cli/runs/varied_cells.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>

namespace twofold::cli {

std::vector<std::string> VariedPaths(const spec::Expansion& expansion) {
  std::vector<std::string> paths;
  for (const spec::Permutation& permutation : expansion.permutations) {
    for (const auto& varied : permutation.values) {
      if (std::find(paths.begin(), paths.end(), varied.path) == paths.end()) {
        paths.push_back(varied.path);
      }
    }
  }
  return paths;
}

std::string CellText(const spec::Json& value) {
  if (!value.is_string()) return spec::ToText(value);
  const auto& text = value.get_ref<const std::string&>();
  const bool bare = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < '\x7f' && c != '"';
  });
  return bare ? text : spec::ToText(value);
}

std::string ValueAt(const spec::Permutation& permutation, const std::string& path) {
  for (const auto& varied : permutation.values) {
    if (varied.path == path) return CellText(varied.value);
  }
  return "-";
}

std::string ValuesText(const spec::Permutation& permutation) {
  return absl::StrJoin(permutation.values, " ", [](std::string* text, const auto& varied) {
    absl::StrAppend(text, varied.path, "=", CellText(varied.value));
  });
}

}  // namespace twofold::cli
