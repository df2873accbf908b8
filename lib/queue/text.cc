#include "lib/queue/text.h"

#include <cstdio>

namespace twofold::queue {

std::string Seconds(Duration duration) {
  char text[32];
  std::snprintf(text, sizeof text, "%gs", ToSeconds(duration));
  return text;
}

}  // namespace twofold::queue
