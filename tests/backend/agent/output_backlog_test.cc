#include <gtest/gtest.h>

#include "backend/agent/relays.h"

namespace twofold::backend {
namespace {

TEST(OutputBacklog, ComesOutAsItWentInInChunks) {
  OutputBacklog backlog(10);
  EXPECT_TRUE(backlog.empty());
  backlog.Append("abc");
  backlog.Append("de");
  const OutputBacklog::Chunk first = backlog.Take(4);
  EXPECT_EQ(first.data, "abcd");
  EXPECT_EQ(first.missed, 0u);
  EXPECT_EQ(backlog.Take(4).data, "e");
  EXPECT_TRUE(backlog.empty());
}

TEST(OutputBacklog, OldestIsDroppedAndCountedInWhateverPiecesItCame) {
  for (std::size_t piece = 1; piece <= 40; ++piece) {
    OutputBacklog backlog(7);
    std::string all;
    std::size_t passed = 0;
    for (int i = 0; i < 20; ++i) {
      const std::string bytes(piece, static_cast<char>('a' + i));
      all += bytes;
      backlog.Append(bytes);
      if (i % 3 != 2) continue;
      const OutputBacklog::Chunk chunk = backlog.Take(5);
      passed += chunk.missed;
      EXPECT_EQ(chunk.data, all.substr(passed, 5));
      passed += chunk.data.size();
    }
  }
}

}  // namespace
}  // namespace twofold::backend
