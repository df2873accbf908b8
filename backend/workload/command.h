#pragma once

#include <absl/container/flat_hash_map.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>

#include "backend/workload/peer_link.h"
#include "backend/workload/workload.h"
#include "lib/process/process.h"
#include "lib/process/reaper.h"
#include "lib/process/spawn.h"

namespace twofold::backend {

/// The suite of an absolute path: a job is one run of that program, its own arguments first, then
/// those of the job. Any exit but with code 0 is a failure.
///
/// In a gang the programs of rank 1 and up are started at once and say when they are ready; that of
/// rank 0 is started at Go. With a PeerLink it can start further programs where the others are; the
/// runs of those end when nothing is left of these.
class Command final : public Workload {
 public:
  Command(boost::asio::io_context& io, process::Reaper& reaper, process::Program program,
          PeerLink* peers = nullptr)
      : io_(io), reaper_(reaper), program_(std::move(program)), peers_(peers) {}
  ~Command() override;

  [[nodiscard]] std::vector<std::string> suites() const override { return {"command"}; }
  void Start(Slot slot, Instant now, const Job& job) override;
  void Go(Slot slot, Instant now) override;
  void Follow(Slot slot, bool on) override;
  void Stop(Slot slot) override;

 private:
  struct Run {
    std::shared_ptr<process::Process> process;  // null: a rank 0 before Go
    process::Program prepared;                  // what it is to start
    bool followed = false;
    std::optional<MemberId> member = {};  // of a gang whose members start programs for each other
    bool leaving = false;                 // the program has ended, what others have started has not
  };

  // A program of a gang has no record that its rank 0 would ask for.
  class NoRecord final : public PeerLink::Member {
    void Collect(bool, PeerLink::OnRecord on_record) override { on_record({}); }
  };

  void Join(Slot slot, const GangSeat& seat, process::Program& program);
  void Leave(Slot slot, Instant now, RunEnd end);
  void Launch(Slot slot, Instant now, const process::Program& program);
  void ProgramEnded(Slot slot, process::ProgramEnd program);

  boost::asio::io_context& io_;
  process::Reaper& reaper_;
  const process::Program program_;
  PeerLink* const peers_;
  NoRecord no_record_;
  absl::flat_hash_map<Slot, Run> runs_;
};

}  // namespace twofold::backend
