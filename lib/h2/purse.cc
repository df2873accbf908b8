#include "lib/h2/purse.h"

#include <nghttp2/nghttp2.h>

namespace twofold::h2 {
namespace {

constexpr double kReset = 10;
constexpr double kSettings = 5;
constexpr std::size_t kMostPadding = 256;  // with the byte that says how much

}  // namespace

double FrameCost(std::uint8_t type, std::uint8_t flags, std::size_t length) {
  switch (type) {
    case NGHTTP2_HEADERS:
      return 0;
    case NGHTTP2_DATA: {
      const bool ends = (flags & NGHTTP2_FLAG_END_STREAM) != 0;
      const bool may_be_padding = (flags & NGHTTP2_FLAG_PADDED) != 0 && length <= kMostPadding;
      return !ends && (length == 0 || may_be_padding) ? 1 : 0;
    }
    case NGHTTP2_RST_STREAM:
      return kReset;
    case NGHTTP2_SETTINGS:
      return (flags & NGHTTP2_FLAG_ACK) != 0 ? 1 : kSettings;
    default:
      return 1;
  }
}

}  // namespace twofold::h2
