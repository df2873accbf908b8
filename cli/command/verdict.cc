#include "cli/command/verdict.h"

#include <absl/strings/str_cat.h>

#include <CLI/App.hpp>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <string_view>

#include "lib/common/printable.h"
#include "lib/show/table.h"

namespace twofold::cli {
namespace {

using show::Json;

constexpr std::size_t kLongestCause = 1024;  // bytes; leaves room for some thirty figures
constexpr std::size_t kLongestFigure = 64;

constexpr std::array<std::string_view, 6> kVerdicts = {"pass",    "fail",        "undecided",
                                                       "invalid", "interrupted", "none"};

Json JsonOf(const Figure& figure) {
  Json json = {{"name", Printable(figure.name, kLongestFigure)},
               {"unit", Printable(figure.unit, kLongestFigure)},
               {"value", figure.value}};
  // JSON has no infinity.
  if (figure.lower && std::isfinite(*figure.lower)) json["lower"] = *figure.lower;
  if (figure.upper && std::isfinite(*figure.upper)) json["upper"] = *figure.upper;
  return json;
}

std::string LineOf(const Json& json) { return json.dump() + "\n"; }

std::string TextAt(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<double> NumberAt(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

bool IsVerdict(const std::string& word) {
  for (const std::string_view each : kVerdicts) {
    if (each == word) return true;
  }
  return false;
}

}  // namespace

std::string TextOf(const Verdict& verdict) {
  Json json = {{"verdict", verdict.verdict},
               {"why", Printable(verdict.why, kLongestCause)},
               {"figures", Json::array()}};
  std::string line = LineOf(json);
  for (const Figure& figure : verdict.figures) {
    if (!std::isfinite(figure.value)) continue;
    json["figures"].push_back(JsonOf(figure));
    std::string longer = LineOf(json);
    if (longer.size() > kMostOfVerdict) break;
    line = std::move(longer);
  }
  return line;
}

Result<Verdict> ReadVerdict(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !IsVerdict(TextAt(json, "verdict"))) {
    return absl::InvalidArgumentError("no verdict: it is no line of --verdict");
  }
  Verdict verdict{TextAt(json, "verdict"), Printable(TextAt(json, "why"), kLongestCause)};
  for (const Json& each : json.value("figures", Json::array())) {
    const auto value = each.is_object() ? NumberAt(each, "value") : std::nullopt;
    if (!value) continue;
    verdict.figures.push_back({Printable(TextAt(each, "name"), kLongestFigure),
                               Printable(TextAt(each, "unit"), kLongestFigure), *value,
                               NumberAt(each, "lower"), NumberAt(each, "upper")});
  }
  return verdict;
}

void DeclareVerdict(CLI::App& app, std::string& path) {
  app.add_option("--verdict", path,
                 "Write the verdict and the main numbers there, a line of JSON of 4 KB at most: "
                 "/dev/termination-log tells them by the status of a pod")
      ->type_name("FILE");
}

Status Write(const std::string& path, const Verdict& verdict) {
  if (path.empty()) return absl::OkStatus();
  std::ofstream file(path, std::ios::binary);
  file << TextOf(verdict) << std::flush;
  if (file) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--verdict: ", path, " cannot be written: ", std::strerror(errno)));
}

}  // namespace twofold::cli
