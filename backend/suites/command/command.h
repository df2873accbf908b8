#pragma once

#include <absl/container/flat_hash_map.h>

#include <boost/asio/io_context.hpp>
#include <memory>

#include "backend/process.h"
#include "backend/reaper.h"
#include "backend/spawn.h"
#include "backend/workload.h"

namespace twofold::backend {

/// The suite of an absolute path: a job is one run of that program, its own arguments first, then
/// those of the job. Any exit but with code 0 is a failure.
///
/// In a gang the programs of rank 1 and up are started at once and say when they are ready; that of
/// rank 0 is started at Go.
class Command final : public Workload {
 public:
  Command(boost::asio::io_context& io, Reaper& reaper, Program program)
      : io_(io), reaper_(reaper), program_(std::move(program)) {}
  ~Command() override;

  [[nodiscard]] std::string_view suite() const override { return "command"; }
  void Start(Slot slot, Instant now, const Job& job) override;
  void Go(Slot slot, Instant now) override;
  void Follow(Slot slot, bool on) override;
  void Stop(Slot slot) override;

 private:
  struct Run {
    std::shared_ptr<Process> process;  // null: a rank 0 before Go
    Program prepared;                  // what it is to start
    bool followed = false;
  };

  void Launch(Slot slot, Instant now, const Program& program);
  void ProgramEnded(Slot slot, ProgramEnd program);

  boost::asio::io_context& io_;
  Reaper& reaper_;
  const Program program_;
  absl::flat_hash_map<Slot, Run> runs_;
};

}  // namespace twofold::backend
