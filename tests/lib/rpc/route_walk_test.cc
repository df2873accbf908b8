#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lib/rpc/route.h"

/// A caller among frontends that know more or less who owns a queue, step by random step.
namespace twofold::rpc {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kContact = "frontend:9999";
constexpr std::array<const char*, 4> kFrontends = {"f0:1", "f1:1", "f2:1", "f3:1"};

// One of the four frontends is dead, which takes a try up to 4 s to find out and 5 s to get over.
constexpr Duration kWalkTime = std::chrono::minutes(2);
constexpr std::array<const char*, 3> kNonsense = {"", ":9999", "unix:/run/socket"};

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}

  std::size_t Below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
  }
  bool OneIn(std::size_t times) { return Below(times) == 0; }
  Duration UpTo(Duration most) {
    return Duration(std::uniform_int_distribution<Duration::rep>(0, most.count())(random_));
  }

 private:
  std::mt19937_64 random_;
};

struct Ownership {
  std::uint64_t epoch = 1;
  std::optional<std::size_t> owner = 0;
};

/// What the frontends do: most claim the queue, stop and come back, and read about it too late.
class Cluster {
 public:
  explicit Cluster(Dice& dice) : dice_(dice) {}

  void Change() {
    switch (dice_.Below(6)) {
      case 0:
        truth_ = {truth_.epoch + 1, Anybody()};
        break;
      case 1:
        truth_ = {truth_.epoch + 1, std::nullopt};
        break;
      case 2:  // the database goes back
        if (dice_.OneIn(4)) truth_ = {1 + truth_.epoch / 2, Anybody()};
        break;
      case 3:
        lives_[Anybody()] = false;
        break;
      case 4:
        lives_[Anybody()] = true;
        break;
      default:
        Read(Anybody());
    }
  }

  /// From now on one frontend owns the queue, and all know it, but for one that is dead.
  void Settle() {
    lives_ = {true, true, true, true};
    truth_ = {truth_.epoch + 1, 1 + dice_.Below(3)};
    lives_[0] = false;
    for (std::size_t i = 0; i < kFrontends.size(); ++i) Read(i);
  }

  [[nodiscard]] std::size_t Anybody() { return dice_.Below(kFrontends.size()); }
  [[nodiscard]] bool Lives(std::size_t frontend) const { return lives_[frontend]; }
  [[nodiscard]] bool Owns(std::size_t frontend) const { return truth_.owner == frontend; }

  /// What the frontend knows; it reads first if the caller knows more.
  const Ownership& Ask(std::size_t frontend, std::uint64_t moved_epoch) {
    if (moved_epoch > knows_[frontend].epoch) Read(frontend);
    return knows_[frontend];
  }

 private:
  void Read(std::size_t frontend) { knows_[frontend] = truth_; }

  Dice& dice_;
  Ownership truth_;
  std::array<Ownership, kFrontends.size()> knows_;
  std::array<bool, kFrontends.size()> lives_ = {true, true, true, true};
};

/// What happened on the way.
struct Seen {
  int hops = 0;      // most in a row
  int outdated = 0;  // Moveds that did not count
  int set_back = 0;  // Moveds that counted though they were outdated
};

/// Makes the connections that a route asks for, and checks each of them.
class Walk {
 public:
  explicit Walk(std::uint64_t seed) : dice_(seed), cluster_(dice_), route_(kContact, seed) {}

  void RunWild() {
    for (int i = 0; i < 300; ++i) {
      if (!dice_.OneIn(3)) cluster_.Change();
      Visit();
    }
  }

  /// How long the caller is on its way once the owner stays put.
  Duration Arrive() {
    cluster_.Settle();
    const Instant start = now_;
    if (served_since_ && !IsThere()) Take(route_.Lost(now_), 0);
    while (!IsThere() && now_ - start < std::chrono::hours(1)) Visit();
    return now_ - start;
  }

  [[nodiscard]] const Seen& seen() const { return seen_; }

 private:
  [[nodiscard]] bool IsThere() const { return served_since_ && cluster_.Owns(*at_); }

  /// What comes of the present dial, or of the stream if one is served.
  void Visit() {
    now_ = std::max(now_, route_.dial().at);
    if (served_since_) return Leave();
    at_ = Resolve(route_.dial().address);
    now_ += dice_.UpTo(milliseconds(20));
    if (!cluster_.Lives(*at_)) {
      now_ += dice_.UpTo(seconds(4));
      return Take(route_.Lost(now_), 0);
    }
    const Ownership known = cluster_.Ask(*at_, route_.dial().epoch);
    if (known.owner != at_) return SendOn(known);
    route_.Served(now_);
    served_since_ = now_;
  }

  void Leave() {
    now_ += dice_.UpTo(dice_.OneIn(2) ? seconds(30) : seconds(1));
    const Ownership known = cluster_.Ask(*at_, 0);
    if (!cluster_.Lives(*at_) || known.owner == at_) return Take(route_.Lost(now_), 0);
    SendOn(known);
  }

  void SendOn(const Ownership& known) {
    std::vector<std::string_view> named;
    while (dice_.OneIn(4)) named.emplace_back(kNonsense[dice_.Below(kNonsense.size())]);
    if (known.owner) named.emplace_back(kFrontends[*known.owner]);
    for (const std::string_view address : named) ever_named_.emplace(address);
    Take(route_.Follow(known.epoch, named, now_), known.epoch);
  }

  /// `epoch` is that of the Moved that led to `dial`, 0 if it was none.
  void Take(const Dial& dial, std::uint64_t epoch) {
    const bool has_worked = served_since_ && now_ - *served_since_ >= RoutePauses().settled;
    if (has_worked) hops_ = 0;
    served_since_.reset();
    EXPECT_GE(dial.at, now_);
    EXPECT_LE(dial.at, now_ + RoutePauses().most);
    if (dial.named) {
      EXPECT_EQ(ever_named_.count(dial.address), 1) << dial.address;
      EXPECT_GT(dial.epoch, 0);
    } else {
      EXPECT_EQ(dial.address, kContact);
      EXPECT_EQ(dial.epoch, 0);
    }
    const bool is_hop = dial.named && dial.epoch == epoch;
    seen_.hops = std::max(seen_.hops, hops_ = is_hop ? hops_ + 1 : 0);
    EXPECT_LE(hops_, 3);
    seen_.outdated += dial.named && !is_hop ? 1 : 0;
    seen_.set_back += is_hop && dial.epoch < newest_ ? 1 : 0;
    newest_ = std::max(newest_, dial.epoch);
  }

  std::size_t Resolve(std::string_view address) {
    for (std::size_t i = 0; i < kFrontends.size(); ++i) {
      if (address == kFrontends[i]) return i;
    }
    return cluster_.Anybody();
  }

  Dice dice_;
  Cluster cluster_;
  Route route_;
  Instant now_ = Instant(std::chrono::hours(1));
  std::optional<std::size_t> at_;  // the frontend of the present stream
  std::optional<Instant> served_since_;
  std::set<std::string, std::less<>> ever_named_;
  std::uint64_t newest_ = 0;  // of the epochs that were followed
  int hops_ = 0;              // in a row
  Seen seen_;
};

TEST(RouteWalk, HopsAtMostThriceInARowDialsOnlyWhoWasNamedAndEndsAtAnOwnerWhoStaysPut) {
  Seen all;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Walk walk(seed);
    walk.RunWild();
    EXPECT_LT(walk.Arrive(), kWalkTime);
    all.hops = std::max(all.hops, walk.seen().hops);
    all.outdated += walk.seen().outdated;
    all.set_back += walk.seen().set_back;
    if (::testing::Test::HasFailure()) break;
  }
  EXPECT_EQ(all.hops, 3) << "else the walks proved too little";
  EXPECT_GT(all.outdated, 1000);
  EXPECT_GT(all.set_back, 100);
}

}  // namespace
}  // namespace twofold::rpc
