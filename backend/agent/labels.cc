#include "backend/agent/labels.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <algorithm>

#include "lib/rpc/limits.h"

namespace twofold::backend {
namespace {

constexpr std::size_t kMostQuoted = 80;

bool IsKey(std::string_view key) {
  const auto ends = [](char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)); };
  const auto inside = [&](char c) {
    return ends(c) || std::string_view("-_./").find(c) != std::string_view::npos;
  };
  return !key.empty() && key.size() <= rpc::kMaxNameBytes && ends(key.front()) &&
         ends(key.back()) && std::all_of(key.begin(), key.end(), inside);
}

bool IsValue(std::string_view value) {
  const auto printable = [](char c) { return c >= ' ' && c <= '~'; };
  return value.size() <= rpc::kMaxNameBytes && std::all_of(value.begin(), value.end(), printable);
}

}  // namespace

std::string CheckLabel(const std::string& label) {
  const std::string_view text = label;
  const std::size_t equals = text.find('=');
  if (equals != text.npos && IsKey(text.substr(0, equals)) && IsValue(text.substr(equals + 1))) {
    return {};
  }
  return absl::StrCat("'", absl::CHexEscape(label.substr(0, kMostQuoted)),
                      "' is not KEY=VALUE with a key of letters, digits, '-', '_', '.' and '/', "
                      "and a printable value, each of up to ",
                      rpc::kMaxNameBytes, " characters");
}

Result<Labels> MakeLabels(std::string_view list, const std::vector<std::string>& labels) {
  std::vector<std::string> all;
  if (!list.empty()) all = absl::StrSplit(std::string(list), ',');
  all.insert(all.end(), labels.begin(), labels.end());
  Labels made;
  for (const std::string& label : all) {
    if (std::string error = CheckLabel(label); !error.empty()) {
      return absl::InvalidArgumentError("label " + error);
    }
    const std::size_t equals = label.find('=');
    made.insert_or_assign(label.substr(0, equals), label.substr(equals + 1));
  }
  if (made.size() > kMaxLabels) {
    return absl::InvalidArgumentError(
        absl::StrCat(made.size(), " labels, at most ", kMaxLabels, " are allowed"));
  }
  return made;
}

}  // namespace twofold::backend
