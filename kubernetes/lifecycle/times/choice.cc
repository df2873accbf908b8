#include "kubernetes/lifecycle/times/choice.h"

#include <algorithm>

#include "kubernetes/lifecycle/times/span.h"

namespace twofold::lifecycle {

std::size_t Choose(const Choice& choice, const Kind& kind, std::vector<Life>& lives) {
  KeepHeadAndTail(lives, choice.head, choice.tail);
  if (!choice.skip_errors) return 0;
  const std::vector<Span> spans = SpansOf(kind, HasGangs(lives), HasVolumes(lives));
  return std::erase_if(lives, [&](const Life& life) {
    const Sights sights = SightsOf(life);
    return std::any_of(spans.begin(), spans.end(), [&](const Span& span) {
      const auto value = Measure(span, sights);
      return value && value->IsNegative();
    });
  });
}

}  // namespace twofold::lifecycle
