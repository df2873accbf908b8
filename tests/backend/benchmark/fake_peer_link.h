#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "backend/workload/peer_link.h"

namespace twofold::backend {

/// Members of one process reach each other by calls.
class FakePeerLink final : public PeerLink {
 public:
  struct Announced {
    Member* member;
    bool serves_exec;
    std::vector<std::string> environment;
    std::string directory;
  };

  void Announce(const GangSeat& seat, Member& member, bool serves_exec,
                std::vector<std::string> environment, std::string directory) override {
    members.insert_or_assign(
        seat.rank, Announced{&member, serves_exec, std::move(environment), std::move(directory)});
  }

  void Withdraw(const MemberId& id, std::function<void()> on_gone) override {
    members.erase(id.rank);
    on_gone();
  }

  std::vector<std::string> Environment(const GangSeat&) override { return {"PEERS=fake"}; }

  void Collect(const GangSeat&, std::uint32_t rank, bool stop, OnCollected on_collected) override {
    stops.push_back(stop);
    const auto found = members.find(rank);  // one that has ended is withdrawn
    if (lost.contains(rank) || found == members.end()) {
      return on_collected(absl::UnavailableError("connection refused"));
    }
    found->second.member->Collect(
        stop, [on_collected](v1::RankRecord record) { on_collected(std::move(record)); });
  }

  void Forget(const MemberId& id) override { forgotten.insert(id.rank); }

  std::map<std::uint32_t, Announced> members;  ///< by rank; that are announced now
  std::set<std::uint32_t> lost;                ///< ranks that do not answer
  std::vector<bool> stops;                     ///< of each Collect
  std::set<std::uint32_t> forgotten;
};

}  // namespace twofold::backend
