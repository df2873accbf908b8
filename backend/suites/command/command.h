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
class Command final : public Workload {
 public:
  Command(boost::asio::io_context& io, Program program)
      : io_(io), program_(std::move(program)), reaper_(io) {}
  ~Command() override;

  [[nodiscard]] std::string_view suite() const override { return "command"; }
  void Start(Slot slot, Instant now, std::span<const std::string_view> arguments) override;
  void Stop(Slot slot) override;

 private:
  void ProgramEnded(Slot slot, ProgramEnd program);

  boost::asio::io_context& io_;
  const Program program_;
  Reaper reaper_;
  absl::flat_hash_map<Slot, std::shared_ptr<Process>> running_;
};

}  // namespace twofold::backend
