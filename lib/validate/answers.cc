#include "lib/validate/answers.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <cmath>

namespace twofold::validate {
namespace {

/// Calls see(line) for each line of `text` until it returns false.
template <typename See>
void ForEachLine(std::string_view text, See see) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!see(line)) return;
  }
}

/// What is between the first `before` of `text` and the next `after`; empty: they are not there.
std::string_view Inside(std::string_view text, std::string_view before, std::string_view after) {
  const std::size_t begin = text.find(before);
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = text.substr(begin + before.size());
  const std::size_t end = rest.find(after);
  return end == std::string_view::npos ? std::string_view{} : rest.substr(0, end);
}

/// The labels of a series without that of the shard.
std::string WithoutShard(std::string_view labels) {
  constexpr std::string_view kShard = ",shard=\"";
  std::string text(labels);
  const std::size_t begin = text.find(kShard);
  if (begin == std::string::npos) return text;
  const std::size_t end = text.find('"', begin + kShard.size());
  return end == std::string::npos ? text : text.erase(begin, end + 1 - begin);
}

}  // namespace

std::optional<double> NumberOf(const std::string& text) {
  double number = 0;
  if (!absl::SimpleAtod(text, &number) || std::isnan(number)) return std::nullopt;
  return number;
}

std::string Answer::Text(std::string_view key) const {
  std::string found;
  ForEachLine(text_, [&](std::string_view line) {
    if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ' ') return true;
    found = line.substr(key.size() + 1);
    return false;
  });
  return found;
}

std::optional<double> Answer::Number(std::string_view key) const { return NumberOf(Text(key)); }

std::vector<std::string> Answer::All(std::string_view key) const {
  std::vector<std::string> found;
  ForEachLine(text_, [&](std::string_view line) {
    const bool has_key =
        line.starts_with(key) && line.size() > key.size() && line[key.size()] == ' ';
    if (has_key) found.emplace_back(line.substr(key.size() + 1));
    return true;
  });
  return found;
}

std::optional<double> SumOf(const std::string& metrics, std::string_view family,
                            std::string_view queue) {
  std::string labels = "queue=\"";
  labels.append(queue).append("\"");
  std::optional<double> sum;
  ForEachLine(metrics, [&](std::string_view line) {
    if (!line.starts_with(family) || line.substr(family.size(), 1) != "{") return true;
    const std::size_t end = line.find("} ");
    if (end == std::string_view::npos) return true;
    const std::string_view own = line.substr(family.size() + 1, end - family.size() - 1);
    if (WithoutShard(own) != labels) return true;
    const auto value = NumberOf(std::string(line.substr(end + 2)));
    sum = sum.value_or(0) + value.value_or(0);
    return true;
  });
  return sum;
}

std::string BuildOf(const std::string& metrics) {
  std::string build;
  ForEachLine(metrics, [&](std::string_view line) {
    if (!line.starts_with("twofold_build_info{")) return true;
    build.append(Inside(line, "version=\"", "\"")).append(" (");
    build.append(Inside(line, "commit=\"", "\"")).append(")");
    return false;
  });
  return build;
}

Used UsedBy(const std::string& metrics, std::string_view queue) {
  const auto seconds = [&](std::string_view family) {
    return SumOf(metrics, family, queue).value_or(0);
  };
  return {seconds("twofold_worker_cpu_seconds_total"),
          seconds("twofold_worker_throttled_seconds_total"),
          seconds("twofold_worker_reported_seconds_total")};
}

std::optional<Busy> Between(const Used& before, const Used& after, int workers) {
  const double reported = after.reported - before.reported;
  if (reported <= 0) return std::nullopt;
  return Busy{(after.cpu - before.cpu) / reported * workers,
              std::clamp((after.throttled - before.throttled) / reported, 0.0, 1.0)};
}

}  // namespace twofold::validate
