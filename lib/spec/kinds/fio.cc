#include "lib/spec/kinds/kinds.h"

namespace twofold::spec::kinds {
namespace {

FieldType Size() {
  return Quantity("size such as 4k or 1M", {"", "k", "K", "m", "M", "g", "G", "t", "T", "p", "P"});
}

FieldType RunTime() { return Quantity("time such as 30s or 5M", {"D", "H", "M", "s", "ms", "us"}); }

}  // namespace

Kind Fio() {
  return {"Fio",
          "fio",
          true,
          {.members = "numWorkers"},
          WithCommon({
              {"rw",
               OneOf({"read", "write", "randread", "randwrite", "rw", "readwrite", "rw,readwrite",
                      "randrw"}),
               "read", "", "rw,readwrite is kube-perftest's word for rw"},
              {"bs", Size(), "4M", "", "block size"},
              {"iodepth", Whole(1, 65536), "1", "", "blocks in flight"},
              {"ioengine", Text(), "libaio", "", "fio's way to do I/O"},
              {"nrfiles", Whole(1, 1000000), "1", "", "files of a job"},
              {"rwmixread", Whole(0, 100), "50", "%", "reads of a mixed workload"},
              {"percentageRandom", Whole(0, 100), "100", "%", "of a random workload"},
              {"direct", Whole(0, 1), "1", "", "1: past the page cache"},
              {"runtime", RunTime(), "30s", "", "the size is read or written over and over"},
              {"rampTime", RunTime(), "", "", "before that, not measured"},
              {"numJobs", Whole(1, 4096), "1", "", "processes or threads of a worker"},
              {"size", Size(), "10G", "", "of a job's files"},
              {"thread", Flag(), "false", "", "threads instead of processes"},
              {"numWorkers", Whole(1, 4096), "1", "", "workers that start together"},
              {"directory", Text(), "", "", "where the volume is; else the work folder"},
              {"fioPort", Whole(1024, 65535), "8765", "", "workers are reached through Twofold",
               Role::kNoEffect},
              {"volumeClaimTemplate", AnyMap(), "", "", "the volume under test", Role::kPlacement},
          })};
}

}  // namespace twofold::spec::kinds
