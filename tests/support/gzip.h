#pragma once

#include <zlib.h>

#include <string>

namespace twofold {

/// `text` as gzip (RFC 1952). `level` is zlib's: Z_BEST_SPEED to Z_BEST_COMPRESSION.
inline std::string Pack(const std::string& text, int level) {
  z_stream state{};
  deflateInit2(&state, level, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&state, text.size()), '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  state.avail_in = static_cast<uInt>(text.size());
  state.next_out = reinterpret_cast<Bytef*>(packed.data());
  state.avail_out = static_cast<uInt>(packed.size());
  deflate(&state, Z_FINISH);
  packed.resize(state.total_out);
  deflateEnd(&state);
  return packed;
}

}  // namespace twofold
