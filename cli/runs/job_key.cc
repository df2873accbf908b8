#include "cli/runs/job_key.h"

#include <absl/strings/ascii.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <algorithm>

namespace twofold::run {
namespace {

constexpr std::size_t kLongestId = 100;

// Digits only: SimpleAtoi also takes blanks and signs.
template <typename Number>
bool ReadNumber(std::string_view text, Number& number) {
  return std::all_of(text.begin(), text.end(), absl::ascii_isdigit) &&
         absl::SimpleAtoi(std::string(text), &number) && number > 0;
}

}  // namespace

std::string KeyText(std::string_view run, const JobKey& key) {
  return absl::StrCat(std::string(run), "/", key.permutation, "/", key.warm_up ? "w" : "",
                      key.repetition);
}

std::optional<JobKey> ParseKey(std::string_view run, std::string_view text) {
  if (!text.starts_with(run)) return std::nullopt;
  text.remove_prefix(run.size());
  if (!text.starts_with('/')) return std::nullopt;
  text.remove_prefix(1);
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  std::string_view repetition = text.substr(slash + 1);
  JobKey key;
  key.warm_up = repetition.starts_with('w');
  if (key.warm_up) repetition.remove_prefix(1);
  const bool read =
      ReadNumber(text.substr(0, slash), key.permutation) && ReadNumber(repetition, key.repetition);
  return read ? std::optional(key) : std::nullopt;
}

Status CheckRunId(std::string_view id) {
  const bool plain = std::all_of(id.begin(), id.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.';
  });
  if (plain && !id.empty() && id.size() <= kLongestId && id[0] != '.') return absl::OkStatus();
  return absl::InvalidArgumentError(
      "run id: must be 1 to 100 letters, digits, '-', '_' and '.', and begin with no '.'");
}

}  // namespace twofold::run
