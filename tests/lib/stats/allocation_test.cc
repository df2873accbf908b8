#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "lib/stats/histogram.h"
#include "lib/stats/throughput.h"

namespace {
int allocations = 0;
}  // namespace

// Not inlined: g++ would see free() meet an operator new and warn.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace twofold::stats {
namespace {

TEST(Allocation, IsCountedHere) {
  allocations = 0;
  ::operator delete(::operator new(1));  // a new-expression may be optimised away
  EXPECT_EQ(allocations, 1);
}

TEST(ThroughputWindow, EndedAllocatesNothingEvenWhileBinsDouble) {
  ThroughputWindow window(Instant{});
  allocations = 0;
  for (int i = 1; i <= 100'000; ++i) {
    const Instant ended = Instant{} + std::chrono::microseconds(i) * i;
    window.Ended(ended - std::chrono::microseconds(i), ended, i % 7 != 0);
  }
  EXPECT_EQ(allocations, 0);
}

TEST(Histogram, RecordAllocatesNothing) {
  Histogram histogram;
  allocations = 0;
  for (int i = 0; i < 100'000; ++i) histogram.Record(Duration(i) * i);
  EXPECT_EQ(allocations, 0);
}

}  // namespace
}  // namespace twofold::stats
