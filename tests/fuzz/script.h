#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace twofold::fuzz {

/// Separates the steps of a script. As steps carry no sizes, bytes that a fuzzer inserts into one
/// step leave the others whole.
inline constexpr std::string_view kStepEnd = "\xF5\xF6\xF7";

/// One step: what to do, and with which bytes.
struct Step {
  std::uint8_t what = 0;
  std::string_view bytes;

  /// The first byte as a small number.
  [[nodiscard]] std::uint8_t number() const {
    return bytes.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(bytes.front());
  }
};

/// Splits an input into its steps, without the empty ones. The steps point into it.
inline std::vector<Step> ParseScript(std::string_view input) {
  std::vector<Step> steps;
  while (!input.empty()) {
    const std::string_view step = input.substr(0, input.find(kStepEnd));
    input.remove_prefix(step.size());
    if (!input.empty()) input.remove_prefix(kStepEnd.size());
    if (step.empty()) continue;
    steps.push_back({static_cast<std::uint8_t>(step.front()), step.substr(1)});
  }
  return steps;
}

/// Plays an input: the first byte says whether there is a store, the others are a script.
template <typename Scenario>
void Play(std::string_view input) {
  if (input.empty()) return;
  Scenario scenario(static_cast<std::uint8_t>(input.front()) % 2 == 1);
  for (const Step& step : ParseScript(input.substr(1))) {
    scenario.Do(step);
    scenario.Settle();
  }
  scenario.Finish();
}

}  // namespace twofold::fuzz
