#include <gtest/gtest.h>

#include "lib/process/process.h"

namespace twofold::process {
namespace {

TEST(OutputTail, KeepsAllUpToTheLimit) {
  OutputTail tail(4);
  EXPECT_EQ(tail.Last(), "");
  tail.Append("ab");
  tail.Append("cd");
  EXPECT_EQ(tail.Last(), "abcd");
}

TEST(OutputTail, KeepsTheLastBytesInWhateverPiecesTheyCome) {
  for (std::size_t piece = 1; piece <= 40; ++piece) {
    OutputTail tail(7);
    std::string all;
    for (int i = 0; i < 20; ++i) {
      const std::string bytes(piece, static_cast<char>('a' + i));
      all += bytes;
      tail.Append(bytes);
      EXPECT_EQ(tail.Last(), all.substr(all.size() - std::min<std::size_t>(all.size(), 7)));
    }
  }
}

}  // namespace
}  // namespace twofold::process
