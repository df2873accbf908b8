#include "lib/rpc/server_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "google/protobuf/wrappers.pb.h"

namespace twofold::rpc {
namespace {

using google::protobuf::StringValue;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string Message(const std::string& text) {
  StringValue message;
  message.set_value(text);
  return message.SerializeAsString();
}

/// A stream that answers as the test says.
class Answers final : public ServerStream<StringValue, StringValue> {
 public:
  void Say(const std::string& text, std::size_t bytes = 1) {
    Add([&](StringValue& reply) {
      reply.set_value(reply.value() + text);
      return bytes;
    });
    Flush();
  }

  std::function<void(const std::string&)> on_message = [](const std::string&) {};
  std::vector<std::string> notes;

 private:
  void OnMessage(const StringValue& message) override {
    notes.push_back("message " + message.value());
    on_message(message.value());
  }
  void OnWrite(const StringValue& reply, const NoNotes&) override {
    notes.push_back("write " + reply.value().substr(0, 9));
  }
  void OnSent() override { notes.emplace_back("sent"); }
};

/// Between the stream and nobody: what a ServedCall does, on one thread.
class FakeWire final : public Wire {
 public:
  void Read() override { reads = true; }
  void WantPull() override {
    wants_pull = true;
    held = stream->waiting_bytes();
  }
  void Finish(Status status, h2::Metadata) override {
    if (!finished) finished = std::move(status);
  }
  void BreakOff() override {}
  void After(Duration, std::function<void()> task) override { task(); }
  void HandOver(std::shared_ptr<ByteStream>, std::optional<std::string>) override {}

  /// The texts of the messages that the peer takes, which has room for `enough` bytes, and takes
  /// messages of `most`.
  std::vector<std::string> Pull(std::size_t enough = 1 << 20, std::size_t most = 64 << 20) {
    std::string bytes;
    h2::MessageWriter out(bytes, most, enough);
    stream->Pull(out);
    std::vector<std::string> texts;
    for (std::string_view rest = bytes; !rest.empty();) {
      const std::size_t size = h2::ReadMessageHead(rest).size;
      StringValue message;
      EXPECT_TRUE(message.ParseFromString(std::string(rest.substr(h2::kMessageHead, size))));
      texts.push_back(message.value());
      rest.remove_prefix(h2::kMessageHead + size);
    }
    return texts;
  }

  ByteStream* stream = nullptr;
  bool reads = false;
  bool wants_pull = false;
  std::size_t held = 0;
  std::optional<Status> finished;
};

class ServerStreamTest : public testing::Test {
 protected:
  ServerStreamTest() {
    wire->stream = stream.get();
    stream->Begin(wire);
  }

  void Receive(const std::string& text) {
    wire->reads = false;
    wire->stream->OnRead(Message(text));
  }

  std::shared_ptr<FakeWire> wire = std::make_shared<FakeWire>();
  std::shared_ptr<Answers> stream = std::make_shared<Answers>();
};

TEST_F(ServerStreamTest, WhatATurnAddsLeavesInOneMessage) {
  stream->Say("a");
  stream->Say("b");
  stream->Say("c");
  EXPECT_TRUE(wire->wants_pull);
  EXPECT_EQ(wire->held, 3U);
  EXPECT_THAT(wire->Pull(), ElementsAre("abc"));
  EXPECT_EQ(stream->waiting_bytes(), 0U);
  EXPECT_THAT(wire->Pull(), IsEmpty());
}

TEST_F(ServerStreamTest, TakesNoMoreThanThePeerHasRoomFor) {
  stream->Say(std::string(kMessageBytes, 'a'), kMessageBytes);
  stream->Say(std::string(kMessageBytes, 'b'), kMessageBytes);
  EXPECT_EQ(wire->Pull(1).size(), 1U);
  EXPECT_EQ(stream->waiting_bytes(), kMessageBytes);
  EXPECT_EQ(wire->Pull(1).size(), 1U);
}

TEST_F(ServerStreamTest, HearsOnceThatAllHasLeft) {
  stream->Say("a");
  wire->Pull();
  EXPECT_THAT(stream->notes, ElementsAre("write a"));
  wire->Pull();
  wire->Pull();
  EXPECT_THAT(stream->notes, ElementsAre("write a", "sent"));
}

TEST_F(ServerStreamTest, AMessageThatIsTooLargeForAnyPeerWasNotWritten) {
  stream->Say("too large");
  stream->Say("also");
  EXPECT_THAT(wire->Pull(1 << 20, 4), IsEmpty());
  EXPECT_THAT(stream->notes, IsEmpty());
}

TEST_F(ServerStreamTest, ItsStatusComesAfterAllThatWasAdded) {
  stream->Add([](StringValue& reply) {
    reply.set_value("last");
    return std::size_t{0};
  });
  stream->Close(absl::AbortedError("done"));
  stream->Close(absl::OkStatus());  // the first one counts
  EXPECT_TRUE(wire->wants_pull);
  EXPECT_EQ(*wire->finished, absl::AbortedError("done"));
  stream->Say("late");
  EXPECT_THAT(wire->Pull(), ElementsAre("last"));
}

TEST_F(ServerStreamTest, AStatusAloneAsksForNoPull) {
  stream->Close(absl::AbortedError("done"));
  EXPECT_FALSE(wire->wants_pull);
  EXPECT_EQ(*wire->finished, absl::AbortedError("done"));
}

TEST_F(ServerStreamTest, AMessageThatIsMalformedEndsIt) {
  wire->stream->OnRead("\x0a\x05no");
  ASSERT_TRUE(wire->finished.has_value());
  EXPECT_EQ(wire->finished->code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(ServerStreamTest, ReadsNoMoreOnceItIsClosed) {
  stream->Say("answer");
  stream->on_message = [&](const std::string&) { stream->Close(absl::OkStatus()); };
  Receive("one");
  EXPECT_TRUE(wire->finished.has_value());
  EXPECT_FALSE(wire->reads);
}

TEST_F(ServerStreamTest, LeavesItsInputUnreadWhileTooMuchWaits) {
  constexpr std::size_t kMuch = 9 << 20;
  stream->on_message = [&](const std::string&) { stream->Say("reply", kMuch); };
  Receive("one");
  EXPECT_FALSE(wire->reads);
  wire->Pull();
  EXPECT_TRUE(wire->reads);
}

TEST_F(ServerStreamTest, DropsWhatWaitsWhenTheCallerIsGone) {
  stream->Say("a");
  wire->stream->OnCancel();
  EXPECT_EQ(stream->waiting_bytes(), 0U);
  EXPECT_FALSE(stream->Add([](StringValue&) { return std::size_t{1}; }));
}

}  // namespace
}  // namespace twofold::rpc
