// What happens when nghttp2 gets no memory: nothing crashes, nothing leaks (AddressSanitizer), and
// all that was charged is given back.

#include "tests/lib/h2/frames.h"
#include "tests/lib/h2/session_pair.h"

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

}  // namespace
}  // namespace twofold::h2
