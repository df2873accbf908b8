#pragma once

#include <cstdint>
#include <string_view>

/// Where statuses of kube-perftest have what we measure, by what names and units we have it. For
/// perftest_results.cc alone. A path that stands twice is filled by whichever is there.
namespace twofold::benchmarks {

/// A headline.
struct HeadlinePlace {
  std::string_view kind;
  std::string_view path;
  std::string_view headline;
  std::string_view dimension;   ///< "rw=read"; empty: any
  const char* type = "string";  ///< with its unit; "number": without
};
inline constexpr HeadlinePlace kHeadlines[] = {
    {"IPerf", "summaryResult", "throughput", "", "int-or-string"},
    {"MPIPingPong", "peakBandwidth", "peak_bandwidth", ""},
    {"MPIPingPong", "minimumLatency", "min_latency", ""},
    {"OpenFOAM", "result/wallclockTime", "solver_time", "", "number"},
    {"RDMABandwidth", "peakBandwidth", "peak_bandwidth", ""},
    {"RDMALatency", "minimumAverageLatency", "min_latency", ""},
    {"Fio", "readBwResult", "bandwidth", "rw=read", "int-or-string"},
    {"Fio", "writeBwResult", "bandwidth", "rw=write", "int-or-string"},
    {"Fio", "readIopsResult", "iops", "rw=read", "number"},
    {"Fio", "writeIopsResult", "iops", "rw=write", "number"},
};

enum class Type : std::uint8_t { kNumber, kInteger };

/// A number of the job, in another unit.
struct NumberPlace {
  std::string_view kind;
  std::string_view path;  ///< "A/*/B": of each stream
  std::string_view name;
  std::string_view unit;  ///< in which it has to be
  double factor = 1;
  std::string_view dimensions = {};  ///< "rw=read worker=all": it has these, and is the only one
  Type type = Type::kNumber;
  bool is_sum = false;  ///< of all with these
};
inline constexpr double kGbOfMib = 1.048576e-3;
inline constexpr NumberPlace kNumbers[] = {
    {"IPerf", "result/sum/bandwidth", "throughput", "Gbit/s", 1e6, "direction=forward",
     Type::kInteger},
    {"IPerf", "result/sum/transfer", "transfer", "KiB", 1, "", Type::kInteger, true},
    {"IPerf", "result/streams/*/bandwidth", "throughput_sent", "Gbit/s", 1e6, "", Type::kInteger},
    {"IPerf", "result/streams/*/transfer", "transfer", "KiB", 1, "", Type::kInteger},
    {"OpenFOAM", "result/userTime", "user_time", "s"},
    {"OpenFOAM", "result/sysTime", "system_time", "s"},
    {"Fio", "result/readBw", "bandwidth", "MiB/s", 1024, "rw=read worker=all"},
    {"Fio", "result/readIops", "iops", "1/s", 1, "rw=read worker=all"},
    {"Fio", "result/readLatNsMean", "total_latency_mean", "us", 1e3, "rw=read worker=all"},
    {"Fio", "result/readLatNsStddev", "total_latency_stddev", "us", 1e3, "rw=read"},
    {"Fio", "result/writeBw", "bandwidth", "MiB/s", 1024, "rw=write worker=all"},
    {"Fio", "result/writeIops", "iops", "1/s", 1, "rw=write worker=all"},
    {"Fio", "result/writeLatNsMean", "total_latency_mean", "us", 1e3, "rw=write worker=all"},
    {"Fio", "result/writeLatNsStddev", "total_latency_stddev", "us", 1e3, "rw=write"},
    {"PyTorch", "result/pytorchTime", "batch_time_p50", "us", 1e-6},
    {"PyTorch", "result/gpuTime", "device_time_p50", "us", 1e-6},
    {"PyTorch", "result/peakCpuMemory", "peak_memory", "MiB", kGbOfMib},
    {"PyTorch", "result/peakGpuMemory", "device_peak_memory", "MiB", kGbOfMib},
    {"PyTorch", "wallTimeResult", "batch_time_p50", "us", 1e-6},
    {"PyTorch", "gpuTimeResult", "device_time_p50", "us", 1e-6},
};

/// A column of the job's table, of which each row is an entry of `results`.
struct ColumnPlace {
  std::string_view kind;
  std::string_view field;
  std::string_view column;
  std::string_view unit;  ///< in which it has to be; empty: any
  double factor = 1;
  Type type = Type::kNumber;
};
inline constexpr double kGbitOfMib = 8 * 1048576 / 1e9;
inline constexpr ColumnPlace kColumns[] = {
    {"MPIPingPong", "bytes", "size", "B", 1, Type::kInteger},
    {"MPIPingPong", "time", "latency", ""},
    {"MPIPingPong", "bandwidth", "bandwidth", ""},
    {"RDMABandwidth", "bytes", "size", "B", 1, Type::kInteger},
    {"RDMABandwidth", "iterations", "iterations", "", 1, Type::kInteger},
    {"RDMABandwidth", "peakBandwidth", "best_bandwidth", "Gbit/s"},
    {"RDMABandwidth", "peakBandwidth", "best_bandwidth", "MiB/s", kGbitOfMib},
    {"RDMABandwidth", "averageBandwidth", "bandwidth", "Gbit/s"},
    {"RDMABandwidth", "averageBandwidth", "bandwidth", "MiB/s", kGbitOfMib},
    {"RDMABandwidth", "messageRate", "message_rate", "1/s", 1e-6},
    {"RDMALatency", "bytes", "size", "B", 1, Type::kInteger},
    {"RDMALatency", "iterations", "iterations", "", 1, Type::kInteger},
    {"RDMALatency", "minimum", "latency_min", "us"},
    {"RDMALatency", "maximum", "latency_max", "us"},
    {"RDMALatency", "typical", "latency_p50", "us"},
    {"RDMALatency", "average", "latency", "us"},
    {"RDMALatency", "stdev", "latency_stdev", "us"},
    {"RDMALatency", "percentile99", "latency_p99", "us"},
    {"RDMALatency", "percentile999", "latency_p99_9", "us"},
};

/// In which unit a column is.
struct UnitPlace {
  std::string_view kind;
  std::string_view path;
  std::string_view column;
};
inline constexpr UnitPlace kUnits[] = {{"MPIPingPong", "timeUnits", "latency"},
                                       {"MPIPingPong", "bandwidthUnits", "bandwidth"}};

/// What is measured runs at rank 0, as this stage.
struct StagePlace {
  std::string_view kind;
  std::string_view log;  ///< what the stage has printed; empty: the kind has no log
  std::string_view stage;
};
inline constexpr StagePlace kStages[] = {{"IPerf", "clientLog", "client"},
                                         {"MPIPingPong", "masterLog", "pingpong"},
                                         {"OpenFOAM", "", "solve"},
                                         {"RDMABandwidth", "clientLog", "client"},
                                         {"RDMALatency", "clientLog", "client"},
                                         {"Fio", "clientLog", "fio"},
                                         {"PyTorch", "clientLog", "pytorch"}};

inline constexpr int kEachRank = -1;

/// Which pod a rank is.
struct PodPlace {
  std::string_view kind;
  std::string_view path;  ///< "A/*": by their names
  int rank = 0;
};
inline constexpr PodPlace kPods[] = {
    {"IPerf", "clientPod"},         {"IPerf", "serverPod", 1},
    {"MPIPingPong", "masterPod"},   {"MPIPingPong", "workerPods/*", kEachRank},
    {"OpenFOAM", "masterPod"},      {"OpenFOAM", "workerPods/*", kEachRank},
    {"RDMABandwidth", "clientPod"}, {"RDMABandwidth", "serverPod", 1},
    {"RDMALatency", "clientPod"},   {"RDMALatency", "serverPod", 1},
    {"Fio", "masterPod"},           {"Fio", "workerPods/*", kEachRank},
    {"PyTorch", "workerPod"},
};

}  // namespace twofold::benchmarks
