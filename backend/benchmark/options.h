#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/process/cpu_use.h"
#include "lib/rpc/limits.h"

namespace twofold::backend {

class PeerLink;

/// How much of what programs print is kept and read. Defaults are for workers; tests have less.
struct OutputLimits {
  std::uint64_t printed = 256 << 20;  ///< by a stage to one file; it is stopped then
  std::uint64_t read = 16 << 20;      ///< of an output that is measured; more is a failure
  std::uint64_t kept = 64 << 10;      ///< of other outputs, both ends together
  std::size_t record = 3 << 20;       ///< a RankRecord on its way to rank 0
  std::size_t result = rpc::kMaxReportBytes - (16 << 10);  ///< a BenchmarkResult in its Report
};

/// Who and where this worker is, as results have it.
struct WorkerFacts {
  std::string node;
  std::string pod;
  std::string address;  ///< for the other members of a gang
  std::string image;    ///< empty: not known
};

/// What specs may ask for beyond what is harmless, as whoever started the worker says.
struct Allowances {
  std::vector<std::string> paths;        ///< folders with all below them, and files; absolute
  bool options = false;                  ///< what is on no word list (GangPlan::unlisted)
  std::vector<std::string> values = {};  ///< FIELD=VALUE (GangPlan::asks); VALUE may have one '*'
};

struct BenchmarkOptions {
  std::string spec;                     ///< of jobs that have none; JSON, empty is {}
  std::vector<std::string> suite_path;  ///< folders with programs, before PATH; absolute
  std::string work_dir = "/tmp";        ///< where work folders are made; absolute
  WorkerFacts worker;
  Allowances allowed;
  PeerLink* peers = nullptr;  ///< null: gangs are refused
  OutputLimits limits;
  process::HostFiles host = process::RealHostFiles();  ///< what it does beside a job
};

}  // namespace twofold::backend
