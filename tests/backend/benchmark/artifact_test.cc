#include "backend/benchmark/artifact.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/backend/benchmark/printed.h"

namespace twofold::backend {
namespace {

std::string Noise(std::size_t bytes) {
  std::mt19937 random(7);
  std::string noise(bytes, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  return noise;
}

TEST(Artifact, KeepsTheWholeOfWhatIsShort) {
  const v1::Artifact artifact = Keep("stdout", *Printed("one\ntwo\n"), 100);
  EXPECT_EQ(artifact.name(), "stdout");
  EXPECT_EQ(artifact.bytes(), 8U);
  EXPECT_EQ(artifact.left_out(), 0U);
  EXPECT_EQ(Text(artifact, 100).value(), "one\ntwo\n");
}

TEST(Artifact, NothingIsNothing) {
  const v1::Artifact artifact = Keep("stderr", *Printed(""), 100);
  EXPECT_EQ(artifact.bytes() + artifact.left_out() + artifact.zstd().size(), 0U);
  EXPECT_EQ(Text(artifact, 0).value(), "");
}

TEST(Artifact, KeepsBothEndsOfWhatIsLong) {
  const v1::Artifact artifact =
      Keep("stdout", *Printed("begin" + std::string(1000, '.') + "end"), 9);
  EXPECT_EQ(Text(artifact, 9).value(), "begin.end");
  EXPECT_EQ(artifact.bytes(), 1008U);
  EXPECT_EQ(artifact.left_out(), 999U);
}

TEST(Artifact, ShrinksFromTheMiddleAndCountsIt) {
  const std::string text = "begin" + Noise(100'000) + "end";
  v1::Artifact artifact = Keep("stdout", *Printed(text), 1 << 20);
  Shrink(artifact, 10'000);
  EXPECT_LE(artifact.zstd().size(), 10'000U);
  EXPECT_EQ(artifact.bytes(), text.size());
  const std::string kept = Text(artifact, 1 << 20).value();
  EXPECT_GT(kept.size(), 2'000U);
  EXPECT_TRUE(kept.starts_with("begin") && kept.ends_with("end"));
  EXPECT_EQ(artifact.left_out(), text.size() - kept.size());
}

TEST(Artifact, ShrinksToNothingWhereThereIsNoRoom) {
  v1::Artifact artifact = Keep("stdout", *Printed("text"), 100);
  Shrink(artifact, 0);
  EXPECT_EQ(artifact.zstd(), "");
  EXPECT_EQ(artifact.left_out(), 4U);
}

TEST(Artifact, WhatAPeerSendsIsNotBelieved) {
  v1::Artifact artifact = Keep("stdout", *Printed(std::string(1 << 20, 'x')), 1 << 20);
  EXPECT_FALSE(Text(artifact, 1000).ok());  // it is a small message that grows
  artifact.mutable_zstd()->resize(artifact.zstd().size() / 2);
  EXPECT_FALSE(Text(artifact, 2 << 20).ok());
  artifact.set_zstd("no such thing");
  EXPECT_FALSE(Text(artifact, 2 << 20).ok());
}

}  // namespace
}  // namespace twofold::backend
