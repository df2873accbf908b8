#include "client/window_text.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <vector>

namespace twofold::client {
namespace {

constexpr std::string_view kShapeLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr double kMostOfTwo = 4095.0;  // that two letters can say
constexpr std::size_t kVariances = (stats::kMostCut + 1) * (1 + stats::kNoiseWaves);
constexpr std::size_t kShapeNumbers = stats::kParts + kVariances;

// Variances as powers of two: 0 is none, or less than 2^-40, the others go up to 2^20.
constexpr double kLeastPower = -40.0;
constexpr double kStepsAPower = (kMostOfTwo - 1.0) / 60.0;

double CodeOfVariance(double variance) {
  const double steps = std::round((std::log2(variance) - kLeastPower) * kStepsAPower);
  return std::clamp(1.0 + steps, 0.0, kMostOfTwo);
}

double VarianceOfCode(double code) {
  return code == 0.0 ? 0.0 : std::exp2(kLeastPower + (code - 1.0) / kStepsAPower);
}

void AppendTwo(double number, std::string& text) {
  const auto whole = static_cast<std::size_t>(number);
  text += kShapeLetters[whole / kShapeLetters.size()];
  text += kShapeLetters[whole % kShapeLetters.size()];
}

/// Each variance of the window, in the order of the text.
template <typename Window, typename See>
void ForEachVariance(Window& window, See see) {
  for (auto& between : window.between) {
    see(between.whole);
    for (auto& wave : between.waves) see(wave);
  }
}

/// nullopt: not that many numbers, or other letters.
std::optional<std::vector<double>> ShapeNumbers(std::string_view text) {
  if (text.size() != 2 * kShapeNumbers) return std::nullopt;
  std::vector<double> numbers;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const std::size_t first = kShapeLetters.find(text[i]);
    const std::size_t second = kShapeLetters.find(text[i + 1]);
    if (first == std::string_view::npos || second == std::string_view::npos) return std::nullopt;
    numbers.push_back(static_cast<double>(first * kShapeLetters.size() + second));
  }
  return numbers;
}

}  // namespace

std::string ShapeText(const stats::MeasuredWindow& window) {
  std::string text;
  if (!window.IsKnown()) return text;
  const double unit = *std::max_element(window.total.begin(), window.total.end()) / kMostOfTwo;
  double sum = 0.0;
  double told = 0.0;
  for (const double part : window.total) {  // what rounding takes from one is given to the next
    sum += part / unit;
    const double number = std::clamp(std::round(sum - told), 0.0, kMostOfTwo);
    told += number;
    AppendTwo(number, text);
  }
  ForEachVariance(window, [&](double variance) { AppendTwo(CodeOfVariance(variance), text); });
  return text;
}

bool ReadShape(std::string_view text, double done, stats::MeasuredWindow& window) {
  if (text.empty()) {
    window.total.fill(done / double{stats::kParts});
    return true;
  }
  const std::optional<std::vector<double>> numbers = ShapeNumbers(text);
  if (!numbers) return false;
  const auto variances = numbers->begin() + static_cast<std::ptrdiff_t>(stats::kParts);
  const double sum = std::accumulate(numbers->begin(), variances, 0.0);
  if (sum <= 0.0) return false;
  std::transform(numbers->begin(), variances, window.total.begin(),
                 [&](double part) { return part * done / sum; });
  auto next = variances;
  ForEachVariance(window, [&](double& variance) { variance = VarianceOfCode(*next++); });
  return true;
}

}  // namespace twofold::client
