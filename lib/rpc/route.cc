#include "lib/rpc/route.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "lib/common/address.h"
#include "lib/common/printable.h"
#include "lib/common/result.h"

namespace twofold::rpc {
namespace {

constexpr std::size_t kQuotedBytes = 100;

/// The addresses of a Moved that can be dialled, and why the others cannot.
struct Usable {
  std::vector<std::string_view> addresses;
  std::string skipped;
};

// An address to listen on need not be one to dial, which has a host and a port.
std::string WhyUnusable(std::string_view address) {
  if (address.size() > Route::kMaxAddressBytes) {
    return absl::StrCat("one has ", address.size(), " bytes, at most ", Route::kMaxAddressBytes,
                        " are allowed");
  }
  const Result<HostPort> parsed = ParseAddress(address);
  if (parsed.ok() && !parsed->host.empty() && parsed->port != 0) return {};
  return absl::StrCat("'", Printable(address, kQuotedBytes), "' is not host:port or [ipv6]:port");
}

Usable Select(const std::vector<std::string_view>& named) {
  Usable usable;
  std::string why;  // of the first one
  for (std::size_t i = 0; i < std::min(named.size(), Route::kMaxAddresses); ++i) {
    std::string unusable = WhyUnusable(named[i]);
    if (unusable.empty()) usable.addresses.push_back(named[i]);
    if (why.empty()) why = std::move(unusable);
  }
  const std::size_t skipped = named.size() - usable.addresses.size();
  if (skipped == 0) return usable;
  if (why.empty()) why = absl::StrCat("only the first ", Route::kMaxAddresses, " count");
  usable.skipped =
      absl::StrCat("skipped ", skipped, " of ", named.size(), " addresses of the queue: ", why);
  return usable;
}

}  // namespace

Route::Route(std::string first, std::uint64_t seed, const RoutePauses& pauses)
    : first_(std::move(first)),
      pauses_(pauses),
      backoff_(pauses.first, pauses.most, seed, Jitter::kFull),
      random_(~seed),  // not the sequence that backoff_ has
      dial_{.address = first_} {}

Dial Route::Follow(std::uint64_t epoch, const std::vector<std::string_view>& addresses,
                   Instant now) {
  EndStream(now);
  if (IsOutdated(epoch)) {
    AskAgain(now);
    return dial_;
  }
  epoch_ = epoch;
  Usable usable = Select(addresses);
  if (usable.addresses.empty() || hops_ == kMaxHops) {
    ReturnToFirst(now);
  } else {
    std::uniform_int_distribution<std::size_t> one(0, usable.addresses.size() - 1);
    Hop(usable.addresses[one(random_)], now);
  }
  dial_.skipped = std::move(usable.skipped);
  return dial_;
}

Dial Route::Lost(Instant now) {
  EndStream(now);
  ReturnToFirst(now);
  return dial_;
}

void Route::Served(Instant now) {
  outdated_ = 0;
  if (!served_since_) served_since_ = now;
}

// A stream that ends soon has not worked, though its frontend accepted it: two frontends that both
// accept streams and send them on to each other would else be dialled without a pause.
void Route::EndStream(Instant now) {
  const bool has_worked = served_since_ && now - *served_since_ >= pauses_.settled;
  served_since_.reset();
  if (!has_worked) return;
  hops_ = 0;
  backoff_.Reset();
}

bool Route::IsOutdated(std::uint64_t epoch) {
  const bool is_outdated = epoch < epoch_ && ++outdated_ < kMaxOutdated;
  if (!is_outdated) outdated_ = 0;
  return is_outdated;
}

void Route::AskAgain(Instant now) {
  dial_.at = now + backoff_.Next();
  dial_.skipped.clear();
}

void Route::ReturnToFirst(Instant now) {
  hops_ = 0;
  dial_ = {.address = first_, .at = now + backoff_.Next()};
}

void Route::Hop(std::string_view address, Instant now) {
  ++hops_;
  dial_ = {.address = std::string(address),
           .named = true,
           .epoch = epoch_,
           .at = now + UpTo(pauses_.hop)};
}

Duration Route::UpTo(Duration most) {
  return Duration(std::uniform_int_distribution<Duration::rep>(0, most.count())(random_));
}

}  // namespace twofold::rpc
