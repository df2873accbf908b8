// What nghttp2 gets of memory. When it gets none, nothing crashes, nothing leaks
// (AddressSanitizer), and all that was charged is given back.

#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "lib/h2/counted_memory.h"
#include "tests/lib/h2/frames.h"
#include "tests/lib/h2/session_pair.h"
#include "tests/support/sanitized.h"

namespace twofold::h2 {
namespace {

/// A server and a caller whose memory ends at `server` and `caller` bytes. Whether the call ended
/// well.
bool CallWithin(std::size_t caller, std::size_t server) {
  Ledger callers({.connection = caller});
  Ledger servers({.connection = server});
  Account callers_account(callers, "a", [](std::string_view) {});
  Account servers_account(servers, "b", [](std::string_view) {});
  const Limits limits;
  const Instant now{};
  const auto serve = [](Stream& stream) -> Result<std::shared_ptr<End>> {
    auto end = std::make_shared<RecordingEnd>();
    end->stream = &stream;
    end->on_half_closed = [raw = end.get()] {
      raw->Send("answer");
      raw->stream->Finish(absl::OkStatus(), {{"trailer", "value"}});
    };
    return std::shared_ptr<End>(std::move(end));
  };
  auto calling = Session::Make(
      {.limits = limits, .account = callers_account, .on_output = {}, .serve = {}}, now);
  auto serving = Session::Make(
      {.limits = limits, .account = servers_account, .on_output = {}, .serve = serve}, now);
  bool answered = false;
  if (calling.ok() && serving.ok()) {
    const auto end = std::make_shared<RecordingEnd>();
    if (const auto stream = (*calling)->Call({.path = "/a/b", .metadata = {{"x", "y"}}}, end, now);
        stream.ok()) {
      end->stream = *stream;
      end->Send("hello");
      end->stream->HalfClose();
    }
    for (bool moved = true; moved;) {
      Outgoing to;
      Outgoing from;
      (*calling)->Collect(to, now);
      static_cast<void>((*serving)->Receive(to.bytes, now));
      (*serving)->Collect(from, now);
      static_cast<void>((*calling)->Receive(from.bytes, now));
      moved = !to.bytes.empty() || !from.bytes.empty();
    }
    (*calling)->Close("over");
    (*serving)->Close("over");
    answered = end->ended && end->ended->ok();
  }
  calling = absl::CancelledError("");
  serving = absl::CancelledError("");
  EXPECT_EQ(callers_account.held(), 0U);
  EXPECT_EQ(servers_account.held(), 0U);
  return answered;
}

TEST(SessionMemoryTest, AnyShortageOfTheServerEndsTheConnectionAlone) {
  constexpr std::size_t kEnough = 64 << 10;
  std::size_t enough = 0;
  for (std::size_t bytes = 0; bytes < kEnough; bytes += 48) {
    if (CallWithin(kEnough, bytes) && enough == 0) enough = bytes;
  }
  EXPECT_GT(enough, 1000U);
  EXPECT_LT(enough, 48U << 10) << "a connection with a call";
}

TEST(SessionMemoryTest, AnyShortageOfTheCallerEndsTheConnectionAlone) {
  constexpr std::size_t kEnough = 64 << 10;
  std::size_t enough = 0;
  for (std::size_t bytes = 0; bytes < kEnough; bytes += 48) {
    if (CallWithin(bytes, kEnough) && enough == 0) enough = bytes;
  }
  EXPECT_GT(enough, 1000U);
  EXPECT_LT(enough, 48U << 10);
}

/// Anonymous memory of this process that is resident.
std::size_t ResidentBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::size_t kib = 0;
    if (word == "RssAnon:" && status >> kib) return kib << 10;
  }
  return 0;
}

TEST(SessionMemoryTest, ConnectionsAtRestHoldNoPageForFramesAlone) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer's allocator surrounds each piece";
  constexpr std::size_t kConnections = 1000;
  std::vector<std::unique_ptr<ServingSession>> servers;
  malloc_trim(0);  // what other tests have left would be used first
  const std::size_t before = ResidentBytes();
  while (servers.size() < kConnections) {
    servers.push_back(std::make_unique<ServingSession>());
    servers.back()->Give(Greeting() + CallHeaders(1));
    servers.back()->end().Send("welcome");
    ASSERT_NE(servers.back()->Take(), "");
  }
  const std::size_t bytes = (ResidentBytes() - before) / kConnections;
  RecordProperty("bytes", static_cast<int>(bytes));
  EXPECT_LT(bytes, 14'000U);
}

/// A peer of nghttp2's that uses the four functions in any order.
class CountedMemoryTest : public ::testing::Test {
 protected:
  std::string Text(const void* made, std::size_t size) {
    return {static_cast<const char*>(made), size};
  }

  Ledger ledger_{Budgets{}};
  Account account_{ledger_, "a", [](std::string_view) {}};
};

TEST_F(CountedMemoryTest, WhatComesFirstAndTheBufferForFramesBeginInOnePage) {
  CountedMemory memory(account_);
  const nghttp2_mem functions = memory.functions();
  const auto page = [](const void* made) { return reinterpret_cast<std::uintptr_t>(made) >> 12; };
  void* const session = functions.calloc(1, 3000, functions.mem_user_data);
  EXPECT_EQ(Text(session, 3000), std::string(3000, '\0'));
  void* const table = functions.malloc(900, functions.mem_user_data);
  void* const frames = functions.realloc(nullptr, (16 << 10) + 10, functions.mem_user_data);
  EXPECT_EQ(page(session), page(table));
  EXPECT_EQ(page(session), page(frames));
  std::memset(table, 't', 900);
  std::memset(frames, 'f', (16 << 10) + 10);
  EXPECT_EQ(Text(table, 900), std::string(900, 't'));
  for (void* const made : {session, table, frames}) functions.free(made, functions.mem_user_data);
}

TEST_F(CountedMemoryTest, WhatIsResizedKeepsItsBytes) {
  {
    CountedMemory memory(account_);
    const nghttp2_mem functions = memory.functions();
    void* made = functions.malloc(100, functions.mem_user_data);
    std::memset(made, 'x', 100);
    for (const std::size_t size : {200U, 5000U, 40'000U, 50U}) {
      made = functions.realloc(made, size, functions.mem_user_data);
      EXPECT_EQ(Text(made, std::min<std::size_t>(size, 100)),
                std::string(std::min<std::size_t>(size, 100), 'x'));
    }
    functions.free(made, functions.mem_user_data);
    functions.free(nullptr, functions.mem_user_data);
  }
  EXPECT_EQ(account_.held(), 0U);
}

TEST_F(CountedMemoryTest, NothingIsHadThatTheAccountDoesNotAdmit) {
  Ledger ledger({.connection = 10'000});
  Account account(ledger, "a", [](std::string_view) {});
  CountedMemory memory(account);
  const nghttp2_mem functions = memory.functions();
  void* const made = functions.malloc(6000, functions.mem_user_data);
  EXPECT_NE(made, nullptr);
  EXPECT_EQ(functions.malloc(6000, functions.mem_user_data), nullptr);
  EXPECT_EQ(functions.realloc(made, 12'000, functions.mem_user_data), nullptr);
  functions.free(made, functions.mem_user_data);
  EXPECT_EQ(account.held(), 0U);
}

}  // namespace
}  // namespace twofold::h2
