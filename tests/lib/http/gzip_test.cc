#include "lib/http/gzip.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

namespace twofold::http {
namespace {

using absl::StatusCode;

std::string Pack(const std::string& text) {
  z_stream state{};
  deflateInit2(&state, Z_BEST_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
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

TEST(Gzip, UnpacksWhatWasPacked) {
  for (const std::size_t size : {0UL, 1UL, 65'536UL, 5'000'000UL}) {
    const std::string text(size, 'x');
    EXPECT_EQ(Gunzip(Pack(text), size).value(), text) << size;
  }
}

TEST(Gzip, ABombIsRefused) {
  EXPECT_EQ(Gunzip(Pack(std::string(50'000'000, 'x')), 1'000'000).status().code(),
            StatusCode::kResourceExhausted);
}

TEST(Gzip, WhatIsCutOffOrNoneIsRefused) {
  const std::string packed = Pack("some text that is packed");
  for (std::size_t size = 0; size < packed.size(); ++size) {
    EXPECT_EQ(Gunzip(packed.substr(0, size), 1000).status().code(), StatusCode::kInvalidArgument)
        << size;
  }
  EXPECT_FALSE(Gunzip("no gzip at all", 1000).ok());
}

}  // namespace
}  // namespace twofold::http
