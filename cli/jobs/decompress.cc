#include "cli/jobs/decompress.h"

#include <absl/strings/str_cat.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

namespace twofold::cli {
namespace {

constexpr std::size_t kStep = 256 << 10;

struct Free {
  void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
};

}  // namespace

Result<std::string> Decompress(std::string_view zstd, std::size_t most) {
  const std::unique_ptr<ZSTD_DStream, Free> stream(ZSTD_createDStream());
  ZSTD_inBuffer in{zstd.data(), zstd.size(), 0};
  std::string text;
  std::size_t missing = zstd.empty() ? 0 : 1;
  bool is_full = false;  // the output was, so there may be more though all input was read
  while (in.pos < in.size || is_full) {
    const std::size_t before = text.size();
    text.resize(before + kStep);
    ZSTD_outBuffer out{text.data() + before, kStep, 0};
    missing = ZSTD_decompressStream(stream.get(), &out, &in);
    text.resize(before + out.pos);
    if (ZSTD_isError(missing) != 0) {
      return absl::DataLossError(
          absl::StrCat("the output cannot be decompressed: ", ZSTD_getErrorName(missing)));
    }
    if (text.size() > most) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the output is longer than ", most, " bytes"));
    }
    is_full = out.pos == out.size;
  }
  if (missing != 0) return absl::DataLossError("the output cannot be decompressed: it is cut off");
  return text;
}

}  // namespace twofold::cli
