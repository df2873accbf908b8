#include "lib/rpc/lookup.h"

#include <netdb.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "lib/common/mutex.h"

namespace twofold::rpc {
namespace {

using Resolved = std::vector<ResolvedAddress>;

constexpr Duration kShared = std::chrono::seconds(1);  // so long others join a lookup

struct Found {
  Resolved addresses;
  std::string trouble;  ///< empty: none
};

/// `flags` are getaddrinfo's.
Found Ask(const HostPort& contact, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failed =
      getaddrinfo(contact.host.c_str(), std::to_string(contact.port).c_str(), &hints, &found);
  if (failed == EAI_SYSTEM) return {{}, std::strerror(errno)};
  if (failed != 0) return {{}, gai_strerror(failed)};
  Resolved addresses;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    ResolvedAddress address{.contact = contact, .size = each->ai_addrlen};
    std::memcpy(&address.bytes, each->ai_addr, each->ai_addrlen);
    addresses.push_back(std::move(address));
  }
  freeaddrinfo(found);
  return {std::move(addresses), ""};
}

/// Lookups that are under way.
class Lookups {
 public:
  /// For as long as the process lives, as their threads may.
  static Lookups& All() {
    static auto* const all = new Lookups();
    return *all;
  }

  Found Await(const HostPort& contact, Instant until) {
    const std::string name = ToString(contact);
    const MutexLock lock(mutex_);
    std::shared_ptr<Lookup>& newest = newest_[name];
    if (newest == nullptr || Now() >= newest->begun + kShared) newest = Begin(contact, name);
    const std::shared_ptr<Lookup> lookup = newest;
    while (!lookup->found && changed_.WaitUntil(mutex_, until)) {
    }
    if (lookup->found) return *lookup->found;
    return {{}, "the name server does not answer"};
  }

 private:
  struct Lookup {
    Instant begun = Now();
    std::optional<Found> found = {};
  };

  std::shared_ptr<Lookup> Begin(const HostPort& contact, const std::string& name) {
    auto lookup = std::make_shared<Lookup>();
    try {
      std::thread([this, contact, name, lookup] { End(name, *lookup, Ask(contact, 0)); }).detach();
    } catch (const std::system_error& error) {  // there may be a limit of processes
      lookup->found = Found{{}, std::string("no thread: ") + error.what()};
    }
    return lookup;
  }

  void End(const std::string& name, Lookup& lookup, Found found) {
    const MutexLock lock(mutex_);
    lookup.found = std::move(found);
    const auto newest = newest_.find(name);
    if (newest != newest_.end() && newest->second.get() == &lookup) newest_.erase(newest);
    changed_.NotifyAll();
  }

  Mutex mutex_;
  Condition changed_;
  std::map<std::string, std::shared_ptr<Lookup>> newest_ ABSL_GUARDED_BY(mutex_);  // by contact
};

}  // namespace

Result<Resolved> LookUp(const HostPort& contact, Instant until) {
  Found found = Ask(contact, AI_NUMERICHOST);
  if (!found.trouble.empty()) found = Lookups::All().Await(contact, until);
  if (!found.trouble.empty()) return absl::UnavailableError(found.trouble);
  return std::move(found.addresses);
}

}  // namespace twofold::rpc
