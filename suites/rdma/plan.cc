#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "lib/suite/spec.h"
#include "lib/suite/text.h"
#include "suites/rdma/rdma.h"

namespace twofold::suite::rdma {
namespace {

using v1::suites::RdmaBandwidthSpec;
using v1::suites::RdmaLatencySpec;
using Arguments = std::vector<std::string>;

// How to send, and with what. Others write files (--out_json), change the output, never end
// (--run_infinitely), or are fields of the spec.
constexpr std::string_view kFlags[] = {"-b",
                                       "--bidirectional",
                                       "-e",
                                       "--events",
                                       "-N",
                                       "--noPeak",
                                       "-z",
                                       "--com_rdma_cm",
                                       "--cpu_util",
                                       "--ipv6",
                                       "--odp",
                                       "--perform_warm_up",
                                       "--use-srq",
                                       "--use_hugepages",
                                       "--use_old_post_send",
                                       "--mr_per_qp",
                                       "--disable_pcie_relaxed"};
constexpr std::string_view kWithValue[] = {
    "-c", "--connection", "-i",       "--ib-port",    "-I",           "--inline_size",
    "-l", "--post_list",  "-m",       "--mtu",        "-o",           "--outs",
    "-Q", "--cq-mod",     "-r",       "--rx-depth",   "-S",           "--sl",
    "-t", "--tx-depth",   "-T",       "--tos",        "-u",           "--qp-timeout",
    "-x", "--gid-index",  "--tclass", "--pkey_index", "--retry_count"};

bool IsValue(std::string_view text) {
  constexpr std::string_view kOfValues =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  return !text.empty() && text.find_first_not_of(kOfValues) == std::string_view::npos;
}

// The listed option with its value at the beginning of `rest`: how many arguments it takes. 0: it
// is on no list. A word that belongs to no option would be the name of a server.
std::size_t ListedArguments(std::span<const std::string> rest) {
  const std::string_view first = rest[0];
  if (IsOneOf(first, kFlags)) return 1;
  if (IsOneOf(first, kWithValue)) return rest.size() > 1 && IsValue(rest[1]) ? 2 : 0;
  const std::size_t equals = first.find('=');
  const bool listed = first.starts_with("--") && equals != std::string_view::npos &&
                      IsOneOf(first.substr(0, equals), kWithValue) &&
                      IsValue(first.substr(equals + 1));
  return listed ? 1 : 0;
}

void AddUnlistedArguments(const Arguments& arguments, GangPlan& plan) {
  std::span<const std::string> rest = arguments;
  while (!rest.empty()) {
    const std::size_t listed = ListedArguments(rest);
    if (listed == 0) AddUnlisted(plan, "extraArgs", rest[0]);
    rest = rest.subspan(std::max<std::size_t>(1, listed));
  }
}

template <typename Spec>
Status CheckTogether(const Spec& spec) {
  if (spec.duration() > 0 && spec.message_size() == 0) {
    return Wrong("duration", "needs a messageSize: all sizes are measured by iterations");
  }
  return CheckPlain("device", spec.device());
}

// What both sides are told. -F: no word about the CPU's frequency, which is not ours to set.
template <typename Spec>
Arguments Common(const Spec& spec, const char* tool) {
  Arguments argv = {absl::StrCat("ib_", spec.mode(), "_", tool), "-F"};
  if (spec.message_size() == 0) {
    argv.emplace_back("-a");
  } else {
    argv.insert(argv.end(), {"-s", absl::StrCat(spec.message_size())});
  }
  if (spec.duration() > 0) {
    argv.insert(argv.end(), {"-D", absl::StrCat(spec.duration())});
  } else {
    argv.insert(argv.end(), {"-n", absl::StrCat(spec.iterations())});
  }
  if (spec.connection_manager()) argv.emplace_back("-R");
  if (!spec.device().empty()) argv.insert(argv.end(), {"-d", spec.device()});
  argv.insert(argv.end(), {"-p", absl::StrCat(spec.port())});
  return argv;
}

// It serves one client and ends. With rdma_cm it listens on no TCP port, and says that it waits
// just before it listens; stdbuf, as it would keep that line to itself.
template <typename Spec>
Stage Server(const Spec& spec, Arguments argv) {
  Stage stage{.name = "server", .phase = Phase::kServe, .argv = std::move(argv), .may_end = true};
  if (spec.connection_manager()) {
    stage.starts = stage.argv.at(0);
    stage.argv.insert(stage.argv.begin(), {"stdbuf", "-oL"});
    stage.ready.line = "Waiting for client to connect";
  } else {
    stage.ready.port = static_cast<std::uint16_t>(spec.port());
  }
  return stage;
}

template <typename Spec>
GangPlan Plan(const Spec& spec, const Gang& gang, Arguments argv) {
  argv.insert(argv.end(), spec.extra_args().begin(), spec.extra_args().end());
  GangPlan plan;
  plan.ranks.resize(gang.members.size());  // rank 0 is the client, rank 1 the server
  plan.ranks[1].stages = {Server(spec, argv)};
  argv.push_back(gang.members[1].address);
  plan.ranks[0].stages = {
      {.name = "client", .argv = std::move(argv), .limit = std::chrono::seconds(spec.timeout())}};
  AddUnlistedArguments({spec.extra_args().begin(), spec.extra_args().end()}, plan);
  return plan;
}

}  // namespace

Result<RdmaBandwidthSpec> ReadBandwidthSpec(std::string_view json) {
  return ReadByRules<RdmaBandwidthSpec>(json, CheckTogether<RdmaBandwidthSpec>);
}

Result<RdmaLatencySpec> ReadLatencySpec(std::string_view json) {
  return ReadByRules<RdmaLatencySpec>(json, CheckTogether<RdmaLatencySpec>);
}

GangPlan PlanBandwidth(const RdmaBandwidthSpec& spec, const Gang& gang) {
  Arguments argv = Common(spec, "bw");
  argv.insert(argv.end(), {"--report_gbits", "-q", absl::StrCat(spec.qps())});
  return Plan(spec, gang, std::move(argv));
}

GangPlan PlanLatency(const RdmaLatencySpec& spec, const Gang& gang) {
  return Plan(spec, gang, Common(spec, "lat"));
}

}  // namespace twofold::suite::rdma
