#include "lib/http/gzip.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

#include "tests/support/gzip.h"

namespace twofold::http {
namespace {

using absl::StatusCode;

TEST(Gzip, UnpacksWhatWasPacked) {
  for (const std::size_t size : {0UL, 1UL, 65'536UL, 5'000'000UL}) {
    const std::string text(size, 'x');
    EXPECT_EQ(Gunzip(Pack(text, Z_BEST_COMPRESSION), size).value(), text) << size;
  }
}

TEST(Gzip, ABombIsRefused) {
  EXPECT_EQ(
      Gunzip(Pack(std::string(50'000'000, 'x'), Z_BEST_COMPRESSION), 1'000'000).status().code(),
      StatusCode::kResourceExhausted);
}

TEST(Gzip, WhatIsCutOffOrNoneIsRefused) {
  const std::string packed = Pack("some text that is packed", Z_BEST_COMPRESSION);
  for (std::size_t size = 0; size < packed.size(); ++size) {
    EXPECT_EQ(Gunzip(packed.substr(0, size), 1000).status().code(), StatusCode::kInvalidArgument)
        << size;
  }
  EXPECT_FALSE(Gunzip("no gzip at all", 1000).ok());
}

}  // namespace
}  // namespace twofold::http
