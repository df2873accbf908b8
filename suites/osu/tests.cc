#include <algorithm>

#include "suites/osu/osu.h"

namespace twofold::suite::osu {
namespace {

using enum Ranks;

constexpr std::uint64_t kMi = 1024 * 1024;
constexpr std::string_view kPrefix = "osu_";

constexpr Test kTests[] = {
    {"osu_latency", "MPI Latency Test", kPair, 4 * kMi},
    {"osu_latency_mp", "MPI Multi-process Latency Test", kPair, 4 * kMi},
    {"osu_latency_mt", "MPI Multi-threaded Latency Test", kPair, 4 * kMi},
    {"osu_latency_persistent", "MPI Latency Persistent Test", kPair, 4 * kMi},
    {"osu_bw", "MPI Bandwidth Test", kPair, 4 * kMi},
    {"osu_bibw", "MPI Bi-Directional Bandwidth Test", kPair, 4 * kMi},
    {"osu_bw_persistent", "MPI Bandwidth Persistent Test", kPair, 4 * kMi},
    {"osu_bibw_persistent", "MPI Bi-Directional Bandwidth Persistent Test", kPair, 4 * kMi},
    {"osu_mbw_mr", "MPI Multiple Bandwidth / Message Rate Test", kEven, 4 * kMi},
    {"osu_multi_lat", "MPI Multi Latency Test", kEven, 4 * kMi},
    {"osu_bw_fan_in", "", kTwoNodes, 4 * kMi},
    {"osu_bw_fan_out", "", kTwoNodes, 4 * kMi},
    {"osu_allgather", "MPI Allgather Latency Test", kSome, kMi},
    {"osu_allgatherv", "MPI Allgatherv Latency Test", kSome, kMi},
    {"osu_allreduce", "MPI Allreduce Latency Test", kSome, kMi},
    {"osu_alltoall", "MPI All-to-All Personalized Exchange Latency Test", kSome, kMi},
    {"osu_alltoallv", "MPI All-to-Allv Personalized Exchange Latency Test", kSome, kMi},
    {"osu_alltoallw", "MPI All-to-Allw Personalized Exchange Latency Test", kSome, kMi},
    {"osu_barrier", "MPI Barrier Latency Test", kSome, 0},
    {"osu_bcast", "MPI Broadcast Latency Test", kSome, kMi},
    {"osu_gather", "MPI Gather Latency Test", kSome, kMi},
    {"osu_gatherv", "MPI Gatherv Latency Test", kSome, kMi},
    {"osu_reduce", "MPI Reduce Latency Test", kSome, kMi},
    {"osu_reduce_scatter", "MPI Reduce_scatter Latency Test", kSome, kMi},
    {"osu_reduce_scatter_block", "MPI Reduce_scatter_block Latency Test", kSome, kMi},
    {"osu_scatter", "MPI Scatter Latency Test", kSome, kMi},
    {"osu_scatterv", "MPI Scatterv Latency Test", kSome, kMi},
    {"osu_iallgather", "MPI Non-blocking Allgather Latency Test", kSome, kMi},
    {"osu_iallgatherv", "MPI Non-blocking Allgatherv Latency Test", kSome, kMi},
    {"osu_iallreduce", "MPI Non-blocking Allreduce Latency Test", kSome, kMi},
    {"osu_ialltoall", "MPI Non-blocking All-to-All Latency Test", kSome, kMi},
    {"osu_ialltoallv", "MPI Non-blocking All-to-Allv Personalized Exchange Latency Test", kSome,
     kMi},
    {"osu_ialltoallw", "MPI Non-blocking All-to-Allw Personalized Exchange Latency Test", kSome,
     kMi},
    {"osu_ibarrier", "MPI Non-blocking Barrier Latency Test", kSome, 0},
    {"osu_ibcast", "MPI Non-Blocking Broadcast Latency Test", kSome, kMi},
    {"osu_igather", "MPI Non-blocking Gather Latency Test", kSome, kMi},
    {"osu_igatherv", "MPI Non-blocking Gatherv Latency Test", kSome, kMi},
    {"osu_ireduce", "MPI Non-blocking Reduce Latency Test", kSome, kMi},
    {"osu_ireduce_scatter", "MPI Non-blocking Reduce_scatter Latency Test", kSome, kMi},
    {"osu_ireduce_scatter_block", "MPI Non-blocking Reduce_scatter_block Latency Test", kSome, kMi},
    {"osu_iscatter", "MPI Non-blocking Scatter Latency Test", kSome, kMi},
    {"osu_iscatterv", "MPI Non-blocking Scatterv Latency Test", kSome, kMi},
    {"osu_neighbor_allgather", "MPI Neighborhood Allgather Latency Test", kGrid, kMi},
    {"osu_neighbor_allgatherv", "MPI Neighborhood Allgatherv Latency Test", kGrid, kMi},
    {"osu_neighbor_alltoall", "MPI Neighborhood Alltoall Latency Test", kGrid, kMi},
    {"osu_neighbor_alltoallv", "MPI Neighborhood All-to-Allv Latency Test", kGrid, kMi},
    {"osu_neighbor_alltoallw", "", kGrid, kMi},
    {"osu_ineighbor_allgather", "MPI Non-blocking Neighborhood Allgather Latency Test", kGrid, kMi},
    {"osu_ineighbor_allgatherv", "MPI Non-blocking Neighborhood Allgatherv Latency Test", kGrid,
     kMi},
    {"osu_ineighbor_alltoall", "MPI Non-blocking Neighborhood Alltoall Latency Test", kGrid, kMi},
    {"osu_ineighbor_alltoallv", "MPI Non-blocking Neighborhood Alltoallv Latency Test", kGrid, kMi},
    {"osu_ineighbor_alltoallw", "MPI Non-blocking Neighborhood Alltoallw Latency Test", kGrid, kMi},
    {"osu_acc_latency", "MPI_Accumulate latency Test", kPair, 4 * kMi},
    {"osu_get_acc_latency", "MPI_Get_accumulate latency Test", kPair, 4 * kMi},
    {"osu_get_latency", "MPI_Get latency Test", kPair, 4 * kMi},
    {"osu_put_latency", "MPI_Put Latency Test", kPair, 4 * kMi},
    {"osu_get_bw", "MPI_Get Bandwidth Test", kPair, 4 * kMi},
    {"osu_put_bw", "MPI_Put Bandwidth Test", kPair, 4 * kMi},
    {"osu_put_bibw", "MPI_Put Bi-directional Bandwidth Test", kPair, 4 * kMi},
    {"osu_cas_latency", "MPI_Compare_and_swap latency Test", kPair, 0},
    {"osu_fop_latency", "MPI_Fetch_and_op latency Test", kPair, 0},
    {"osu_hello", "MPI Hello World Test", kAny, 0},
    {"osu_init", "MPI Init Test", kAny, 0},
};

template <typename Is>
const Test* Find(Is&& is) {
  const auto* found = std::find_if(std::begin(kTests), std::end(kTests), is);
  return found == std::end(kTests) ? nullptr : found;
}

}  // namespace

std::span<const Test> Tests() { return kTests; }

const Test* FindTest(std::string_view name) {
  if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
  return Find([&](const Test& test) { return test.name.substr(kPrefix.size()) == name; });
}

const Test* FindTitle(std::string_view title) {
  return Find([&](const Test& test) { return !test.title.empty() && test.title == title; });
}

}  // namespace twofold::suite::osu
