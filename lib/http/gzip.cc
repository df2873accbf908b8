#include "lib/http/gzip.h"

#include <absl/strings/str_cat.h>
#include <zlib.h>

#include <algorithm>
#include <memory>

namespace twofold::http {
namespace {

constexpr int kGzipOnly = 16 + MAX_WBITS;
constexpr std::size_t kStep = 64 << 10;

using Stream = std::unique_ptr<z_stream, decltype(&inflateEnd)>;

}  // namespace

Result<std::string> Gunzip(std::string_view packed, std::size_t most) {
  z_stream state{};
  if (inflateInit2(&state, kGzipOnly) != Z_OK) return absl::ResourceExhaustedError("gzip: memory");
  const Stream owner(&state, inflateEnd);
  // zlib does not write to it.
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  std::string text;
  int told = Z_OK;
  while (told == Z_OK) {
    // Bounded, as avail_in and avail_out have 32 bits.
    const std::size_t left = packed.size() - static_cast<std::size_t>(state.total_in);
    state.avail_in = static_cast<uInt>(std::min<std::size_t>(left, 1 << 30));
    const std::size_t size = text.size();
    text.resize(size + std::clamp(size, kStep, std::size_t{16 << 20}));
    state.next_out = reinterpret_cast<Bytef*>(text.data() + size);
    state.avail_out = static_cast<uInt>(text.size() - size);
    told = inflate(&state, Z_NO_FLUSH);
    text.resize(text.size() - state.avail_out);
    if (text.size() > most) {
      return absl::ResourceExhaustedError(absl::StrCat("it unpacks to more than ", most, " bytes"));
    }
  }
  if (told == Z_STREAM_END) return text;
  return absl::InvalidArgumentError("it is no gzip, or is cut off");
}

}  // namespace twofold::http
