#include "suites/table/table.h"

#include <array>

#include "lib/suite/document.h"
#include "lib/suite/json.h"
#include "lib/suite/spec.h"
#include "lib/suite/text.h"
#include "suites/fio/fio.h"
#include "suites/gpu/gpu.h"
#include "suites/iperf/iperf.h"
#include "suites/lifecycle/lifecycle.h"
#include "suites/media/media.h"
#include "suites/mpi_pingpong/mpi_pingpong.h"
#include "suites/object_storage/object_storage.h"
#include "suites/openfoam/openfoam.h"
#include "suites/osu/osu.h"
#include "suites/pytorch/pytorch.h"
#include "suites/rdma/rdma.h"

namespace twofold::suite {
namespace {

// Suite::keys.
constexpr std::array<std::string_view, 0> kNoKeys = {};
constexpr std::string_view kIperfKeys[] = {"start", "event", "intervals", "end"};
constexpr std::string_view kFioKeys[] = {"fio version", "jobs", "client_stats"};
constexpr std::string_view kPyTorchKeys[] = {"torch", "error"};
constexpr std::string_view kGpuKeys[] = {"parts"};
constexpr std::string_view kObjectStorageKeys[] = {"loaders", "operations"};
constexpr std::string_view kLifecycleKeys[] = {"spans"};

// A parser under the rules of all readers; kRuns is Suite::runs of the same row, kKeys its keys.
template <Result<Measurements> (*kParse)(const Outputs&),
          std::vector<std::size_t> (*kRuns)(std::string_view) = nullptr,
          const auto& kKeys = kNoKeys>
Result<Measurements> Reads(const Outputs& outputs) {
  return ReadBy(kParse, kRuns, kKeys, outputs);
}

// Tool::from.
constexpr std::string_view kOurs = "Twofold's own packages";
constexpr std::string_view kPerftest = "Debian's package perftest";
constexpr std::string_view kMpiImage =
    "no package of Debian, but in the image scalability-tester-mpi";
constexpr std::string_view kMediaImage = "Intel's Media SDK, not Debian";
constexpr Tool kStdbuf = {"stdbuf", nullptr, "Debian's package coreutils"};
constexpr Tool kMpirun = {"mpirun", "--version", "Debian's package openmpi-bin"};

constexpr Suite kSuites[] = {
    {.name = "iperf",
     .kind = "IPerf",
     .help = "network throughput, by iperf3 or iperf 2",
     .spec = &v1::suites::IperfSpec::descriptor,
     .check = &CheckBy<&iperf::ReadSpec>,
     .plan = &PlanBy<&iperf::ReadSpec, &iperf::Plan>,
     .parse = &Reads<&iperf::Parse, &iperf::Runs, kIperfKeys>,
     .runs = &iperf::Runs,
     .keys = kIperfKeys,
     .tools = {{{"iperf3", "--version", "Debian's package iperf3"},
                {"iperf", "-v", "Debian's package iperf"}}}},
    {.name = "mpi-pingpong",
     .kind = "MPIPingPong",
     .help = "latency and bandwidth between two MPI ranks",
     .spec = &v1::suites::MpiPingPongSpec::descriptor,
     .check = &CheckBy<&mpi_pingpong::ReadSpec>,
     .plan = &PlanBy<&mpi_pingpong::ReadSpec, &mpi_pingpong::Plan>,
     .parse = &Reads<&mpi_pingpong::Parse, &mpi_pingpong::Runs>,
     .runs = &mpi_pingpong::Runs,
     .tools = {{kMpirun,
                {"IMB-MPI1", nullptr, kMpiImage},
                {"NPopenmpi", nullptr, "Debian's package netpipe-openmpi"}}}},
    {.name = "osu",
     .kind = "OSU",
     .help = "OSU micro-benchmarks of MPI, by name",
     .spec = &v1::suites::OsuSpec::descriptor,
     .check = &CheckBy<&osu::ReadSpec>,
     .plan = &PlanBy<&osu::ReadSpec, &osu::Plan>,
     .parse = &Reads<&osu::Parse>,
     .runs = &osu::Runs,
     .tools = {{kMpirun, {"osu_*", nullptr, kMpiImage}}}},
    {.name = "fio",
     .kind = "Fio",
     .help = "storage, by fio on a folder of each worker",
     .spec = &v1::suites::FioSpec::descriptor,
     .check = &CheckBy<&fio::ReadSpec>,
     .plan = &PlanBy<&fio::ReadSpec, &fio::Plan>,
     .parse = &Reads<&fio::Parse, &fio::Runs, kFioKeys>,
     .runs = &fio::Runs,
     .keys = kFioKeys,
     .tools = {{{"fio", "--version", "Debian's package fio"}}}},
    {.name = "media",
     .kind = "Media",
     .help = "transcoding, by ffmpeg or sample_multi_transcode",
     .spec = &v1::suites::MediaSpec::descriptor,
     .check = &CheckBy<&media::ReadSpec>,
     .plan = &PlanBy<&media::ReadSpec, &media::Plan>,
     .parse = &Reads<&media::Parse, &media::Runs>,
     .runs = &media::Runs,
     .tools = {{{"ffmpeg", "-version", "Debian's package ffmpeg"},
                {"sample_multi_transcode", nullptr, kMediaImage}}}},
    {.name = "pytorch",
     .kind = "PyTorch",
     .help = "training or inference, by PyTorch",
     .spec = &v1::suites::PyTorchSpec::descriptor,
     .check = &CheckBy<&pytorch::ReadSpec>,
     .plan = &PlanBy<&pytorch::ReadSpec, &pytorch::Plan>,
     .parse = &Reads<&pytorch::Parse, &pytorch::Runs, kPyTorchKeys>,
     .runs = &pytorch::Runs,
     .keys = kPyTorchKeys,
     .probe = {"twofold-pytorch", "--offer"},
     .offer = &pytorch::Offer,
     .tools = {{{"twofold-pytorch", "--version", kOurs}}}},
    {.name = "openfoam",
     .kind = "OpenFOAM",
     .help = "the lid-driven cavity, by OpenFOAM's icoFoam",
     .spec = &v1::suites::OpenFoamSpec::descriptor,
     .check = &CheckBy<&openfoam::ReadSpec>,
     .plan = &PlanBy<&openfoam::ReadSpec, &openfoam::Plan>,
     .parse = &Reads<&openfoam::Parse, &openfoam::Runs>,
     .runs = &openfoam::Runs,
     .probe = openfoam::kProbe,
     .offer = &openfoam::Offer,
     .tools = {{kMpirun}}},
    {.name = "rdma-bandwidth",
     .kind = "RDMABandwidth",
     .help = "bandwidth of RDMA, by perftest",
     .spec = &v1::suites::RdmaBandwidthSpec::descriptor,
     .check = &CheckBy<&rdma::ReadBandwidthSpec>,
     .plan = &PlanBy<&rdma::ReadBandwidthSpec, &rdma::PlanBandwidth>,
     .parse = &Reads<&rdma::ParseBandwidth, &rdma::Runs>,
     .runs = &rdma::Runs,
     .probe = rdma::kProbe,
     .offer = &rdma::Offer,
     .tools = {{{"ib_*_bw", "--version", kPerftest}, kStdbuf}}},
    {.name = "rdma-latency",
     .kind = "RDMALatency",
     .help = "latency of RDMA, by perftest",
     .spec = &v1::suites::RdmaLatencySpec::descriptor,
     .check = &CheckBy<&rdma::ReadLatencySpec>,
     .plan = &PlanBy<&rdma::ReadLatencySpec, &rdma::PlanLatency>,
     .parse = &Reads<&rdma::ParseLatency, &rdma::Runs>,
     .runs = &rdma::Runs,
     .probe = rdma::kProbe,
     .offer = &rdma::Offer,
     .tools = {{{"ib_*_lat", "--version", kPerftest}, kStdbuf}}},
    {.name = "gpu",
     .kind = "GPU",
     .help = "compute, memory, transfers and launches of a device, by twofold-gpu",
     .spec = &v1::suites::GpuSpec::descriptor,
     .check = &CheckBy<&gpu::ReadSpec>,
     .plan = &PlanBy<&gpu::ReadSpec, &gpu::Plan>,
     .parse = &Reads<&gpu::Parse, &DocumentStarts, kGpuKeys>,
     .runs = &DocumentStarts,
     .keys = kGpuKeys,
     .probe = {"twofold-gpu", "--list"},
     .offer = &gpu::Offer,
     .tools = {{{"twofold-gpu", "--version", kOurs}}}},
    {.name = "object-storage",
     .kind = "ObjectStorage",
     .help = "an object store under load, by twofold-objects on each worker",
     .spec = &v1::suites::ObjectStorageSpec::descriptor,
     .check = &CheckBy<&object_storage::ReadSpec>,
     .plan = &PlanBy<&object_storage::ReadSpec, &object_storage::Plan>,
     .parse = &Reads<&object_storage::Parse, &DocumentStarts, kObjectStorageKeys>,
     .runs = &DocumentStarts,
     .keys = kObjectStorageKeys,
     .tools = {{{"twofold-objects", "--version", kOurs}}}},
    {.name = lifecycle::kName,
     .kind = lifecycle::kKind,
     .help = "the life of Kubernetes' workloads, by twofold lifecycle run",
     .spec = &v1::suites::LifecycleSpec::descriptor,
     .check = &CheckBy<&lifecycle::ReadSpec>,
     .plan = &PlanBy<&lifecycle::ReadSpec, &lifecycle::Plan>,
     .parse = &Reads<&lifecycle::Parse, &DocumentStarts, kLifecycleKeys>,
     .runs = &DocumentStarts,
     .keys = kLifecycleKeys,
     .probe = lifecycle::kProbe,
     .offer = &lifecycle::Offer,
     .tools = {{{"twofold", "--version", kOurs}}}},
};

}  // namespace

std::span<const Suite> Suites() { return kSuites; }

}  // namespace twofold::suite
