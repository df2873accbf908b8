#include "lib/suite/mpirun_options.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>

#include "lib/common/wildcard.h"

namespace twofold::suite {
namespace {

using Words = std::span<const std::string_view>;

// Nothing that a shell or a path needs: mpirun passes values on inside a line of shell.
constexpr std::string_view kOfValues =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:,_=^+%@-";

bool IsValue(std::string_view text, bool is_network = false) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return kOfValues.find(c) != std::string_view::npos || (is_network && c == '/');
  });
}

constexpr std::string_view kParameters[] = {
    "btl",
    "btl_*",
    "coll",
    "coll_*",
    "mtl",
    "mtl_*",
    "osc",
    "osc_*",
    "pml",
    "pml_*",
    "oob_tcp_if_include",
    "oob_tcp_if_exclude",
    "mpi_leave_pinned",
    "mpi_preconnect_mpi",
    "mpi_warn_on_fork",
    "mpi_yield_when_idle",
    "opal_cuda_support",
    "opal_warn_on_missing_libcuda",
    "orte_base_help_aggregate",
    "hwloc_base_binding_policy",
    "rmaps_base_mapping_policy",
    "rmaps_base_oversubscribe",
};

// Parameters that are networks: 10.0.0.0/8.
constexpr std::string_view kNetworks[] = {"*_tcp_if_include", "*_tcp_if_exclude"};

constexpr std::string_view kVariables[] = {
    "UCX_TLS",          "UCX_NET_DEVICES", "UCX_IB_*",        "UCX_RC_*",      "UCX_DC_*",
    "UCX_UD_*",         "UCX_TCP_*",       "UCX_RNDV_*",      "UCX_MAX_*",     "UCX_ZCOPY_THRESH",
    "UCX_BCOPY_THRESH", "UCX_LOG_LEVEL",   "OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_PLACES",
};

constexpr std::string_view kBindings[] = {"none",     "hwthread", "core",      "l1cache", "l2cache",
                                          "l3cache",  "socket",   "numa",      "board",   "core:*",
                                          "socket:*", "numa:*",   "hwthread:*"};
constexpr std::string_view kPlaces[] = {"slot",    "hwthread",   "core",   "l1cache",   "l2cache",
                                        "l3cache", "socket",     "numa",   "board",     "node",
                                        "slot:*",  "hwthread:*", "core:*", "l3cache:*", "socket:*",
                                        "numa:*",  "node:*",     "ppr:*"};

bool IsParameter(std::span<const std::string> values) {
  return IsValue(values[0]) && MatchesAny(values[0], kParameters) &&
         IsValue(values[1], MatchesAny(values[0], kNetworks));
}

bool IsVariable(std::span<const std::string> values) {
  const std::string_view text = values[0];
  return MatchesAny(text.substr(0, text.find('=')), kVariables) && IsValue(text);
}

bool IsBinding(std::span<const std::string> values) {
  return MatchesAny(values[0], kBindings) && IsValue(values[0]);
}

bool IsPlace(std::span<const std::string> values) {
  return MatchesAny(values[0], kPlaces) && IsValue(values[0]);
}

bool IsNothing(std::span<const std::string>) { return true; }

// An option without its dashes, which mpirun takes one or two of.
struct Option {
  std::string_view name;
  std::size_t values;
  bool (*are_listed)(std::span<const std::string> values);
};

constexpr Option kOptions[] = {
    {"mca", 2, IsParameter},           {"x", 1, IsVariable},
    {"bind-to", 1, IsBinding},         {"map-by", 1, IsPlace},
    {"rank-by", 1, IsPlace},           {"display-allocation", 0, IsNothing},
    {"display-map", 0, IsNothing},     {"nooversubscribe", 0, IsNothing},
    {"oversubscribe", 0, IsNothing},   {"quiet", 0, IsNothing},
    {"report-bindings", 0, IsNothing}, {"use-hwthread-cpus", 0, IsNothing},
};

const Option* Find(std::string_view argument) {
  if (!argument.starts_with('-')) return nullptr;  // mpirun would take it for the program
  argument.remove_prefix(argument.starts_with("--") ? 2 : 1);
  const auto* option = std::find_if(std::begin(kOptions), std::end(kOptions),
                                    [&](const Option& row) { return row.name == argument; });
  return option == std::end(kOptions) ? nullptr : option;
}

}  // namespace

std::vector<std::string> UnlistedMpirunOptions(const std::vector<std::string>& arguments) {
  std::vector<std::string> unlisted;
  std::span<const std::string> rest = arguments;
  while (!rest.empty()) {
    const Option* option = Find(rest[0]);
    const std::size_t values = option == nullptr ? 0 : option->values;
    const std::size_t size = std::min(rest.size(), 1 + values);
    const bool listed =
        option != nullptr && size == 1 + values && option->are_listed(rest.subspan(1, values));
    if (!listed) {
      std::string text = rest[0];
      for (const std::string& value : rest.subspan(1, size - 1)) absl::StrAppend(&text, " ", value);
      unlisted.push_back(std::move(text));
    }
    rest = rest.subspan(size);
  }
  return unlisted;
}

}  // namespace twofold::suite
