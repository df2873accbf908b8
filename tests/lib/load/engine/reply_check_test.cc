#include "lib/load/engine/reply_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace twofold::load {
namespace {

using ::testing::HasSubstr;

v1::SubmitReply MovedTo(const std::string& queue) {
  v1::SubmitReply reply;
  reply.add_moved()->set_queue("sleep");
  reply.add_moved()->set_queue(queue);
  return reply;
}

TEST(CheckReply, AMoveIsOfTheQueueOrOfAShard) {
  for (const char* shard : {"sleep", "sleep/1", "sleep/255"}) {
    EXPECT_TRUE(CheckReply(MovedTo(shard), "sleep").ok()) << shard;
  }
  for (const char* other :
       {"", "media", "media/1", "sleep/0", "sleep/256", "sleep/1/2", "sleep/"}) {
    EXPECT_THAT(std::string(CheckReply(MovedTo(other), "sleep").message()),
                HasSubstr("our jobs are for 'sleep' and its shards"))
        << other;
  }
}

TEST(CheckReply, AQueueHas256ShardsAtMost) {
  v1::SubmitReply reply;
  EXPECT_TRUE(CheckReply(reply, "sleep").ok());
  reply.set_shards(256);
  EXPECT_TRUE(CheckReply(reply, "sleep").ok());
  reply.set_shards(257);
  EXPECT_EQ(CheckReply(reply, "sleep").message(), "shards is 257, a queue has at most 256");
}

TEST(CheckReply, ResultsAreCheckedAsWell) {
  v1::SubmitReply reply;
  reply.mutable_results()->add_wait_ns(1);
  EXPECT_FALSE(CheckReply(reply, "sleep").ok());
}

}  // namespace
}  // namespace twofold::load
