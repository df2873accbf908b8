#include "lib/suite/mpirun.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

#include "lib/common/host_word.h"
#include "lib/common/match.h"
#include "lib/suite/spec.h"
#include "lib/suite/text.h"

namespace twofold::suite {
namespace {

constexpr std::chrono::seconds kToCleanUp(15);

using Arguments = std::vector<std::string>;

void Add(Arguments& to, const Arguments& more) { to.insert(to.end(), more.begin(), more.end()); }

// "10.0.0.1:2,fd00--2:2". Members with one address are one host to Open MPI.
std::string HostList(const MpiRun& run) {
  std::vector<std::pair<std::string, std::uint32_t>> slots;
  for (const Member& host : run.hosts) {
    const std::string word = HostWord(host.address);
    const auto same = std::find_if(slots.begin(), slots.end(),
                                   [&](const auto& entry) { return entry.first == word; });
    if (same == slots.end()) {
      slots.emplace_back(word, run.slots);
    } else {
      same->second += run.slots;
    }
  }
  return absl::StrJoin(slots, ",", absl::PairFormatter(":"));
}

Arguments Transport(const MpiRun& run) {
  if (run.rdma) {
    return {"-x",  "UCX_TLS", "--mca", "btl", "^openib", "--mca",
            "pml", "ucx",     "--mca", "osc", "ucx"};
  }
  // One-sided operations over TCP fail with Debian's UCX in the way: osc pt2pt. Shared memory is
  // for ranks of one worker only.
  return {"--mca", "pml", "ob1",
          "--mca", "osc", "pt2pt",
          "--mca", "btl", run.slots > 1 ? "tcp,self,vader" : "tcp,self"};
}

Arguments Network(const std::string& network) {
  if (network.empty()) return {};
  return {"--mca", "oob_tcp_if_include", network, "--mca", "btl_tcp_if_include", network};
}

Arguments Argv(const MpiRun& run) {
  // Workers that share a node would all bind their first rank to core 0: --bind-to none. Without
  // the tree of spawns only rank 0 starts daemons, and they have to stay attached to it.
  Arguments argv = {"mpirun",
                    "--timeout",
                    absl::StrCat(run.timeout_s),
                    "--bind-to",
                    "none",
                    "--mca",
                    "plm",
                    "rsh",
                    "--mca",
                    "plm_rsh_agent",
                    "twofold-rsh",
                    "--mca",
                    "plm_rsh_no_tree_spawn",
                    "1",
                    "--leave-session-attached"};
  Add(argv, Transport(run));
  Add(argv, Network(run.network));
  Add(argv, {"--host", HostList(run), "-np", absl::StrCat(run.ranks)});
  Add(argv, run.more);
  Add(argv, run.program);
  return argv;
}

// What Open MPI and the benchmarks say; the rest of their pages of text explains it. The first that
// is there counts: what stands above says more.
enum class Told : std::uint8_t {
  kLine,       // the line that has these words
  kSentence,   // from that line on: a text of help, which goes over several lines
  kWholeLine,  // a line that has nothing else, as shells say it
};
struct Complaint {
  std::string_view words;
  Told told = Told::kLine;
};
using enum Told;
constexpr Complaint kComplaints[] = {
    {"DATA VALIDATION ERROR"},
    {"This test requires"},
    {"Please run this benchmark on more than 1 node"},
    {"requires at least"},
    {"Invalid Argument"},
    {"Invalid Rank count"},
    {"There are not enough slots available", kSentence},
    {"mpirun has detected an attempt to run as root", kSentence},
    {"The user-provided time limit for job execution has been reached", kSentence},
    {"mpirun was unable to find the specified executable file", kSentence},
    {"mpirun was unable to launch the specified application", kSentence},
    {"ORTE has lost communication with a remote daemon", kSentence},
    {"An ORTE daemon has unexpectedly failed", kSentence},
    {"MPI_ERR_"},
    {"Fatal error in "},  // of MPICH and Intel's MPI, as the next
    {"Abort("},
    {"exited on signal", kSentence},
    {"exited with non-zero status", kSentence},
    {"MPI_ABORT was invoked", kSentence},
    {"*** Process received signal ***", kSentence},
    {"returned a non-zero exit code", kSentence},
    // Of a process that died, under MPICH's and Intel's mpirun, under Slurm, and under kubectl.
    {"BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES"},
    {"oom_kill event"},
    {"CANCELLED AT "},
    {"srun: error: "},
    {"command terminated with exit code"},
    {"Killed", kWholeLine},
    {"Terminated", kWholeLine},
    {"Aborted (core dumped)", kWholeLine},
    {"Segmentation fault (core dumped)", kWholeLine},
};

// The lines of `text` up to a blank or a ruled one, as one, and then what follows them.
std::string TakeParagraph(std::string_view& text) {
  std::string paragraph;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    const std::string_view line = Strip(text.substr(0, end));
    if (line.empty() && !paragraph.empty()) break;
    if (line.starts_with("-----")) break;
    if (!line.empty()) absl::StrAppend(&paragraph, paragraph.empty() ? "" : " ", std::string(line));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return paragraph;
}

// The sentence at the start of `text`. What it ends with a colon for stands in a paragraph of its
// own, below it.
std::string HelpSentence(std::string_view text) {
  std::string sentence = TakeParagraph(text);
  const std::size_t stop = sentence.find(". ");
  if (stop != std::string::npos) return sentence.substr(0, stop + 1);
  if (sentence.ends_with(':')) absl::StrAppend(&sentence, " ", TakeParagraph(text));
  return sentence;
}

constexpr std::string_view kBlanks = " \t\r\n";

// Whether `text` begins with `words`; each of their blanks may be several, or the end of a line, as
// mpirun wraps its sentences.
bool BeginsWith(std::string_view text, std::string_view words) {
  for (const char c : words) {
    if (c == ' ') {
      const std::size_t end = std::min(text.find_first_not_of(kBlanks), text.size());
      if (end == 0) return false;
      text.remove_prefix(end);
    } else if (text.empty() || text[0] != c) {
      return false;
    } else {
      text.remove_prefix(1);
    }
  }
  return true;
}

std::string_view LineOf(std::string_view text, std::size_t at) {
  text.remove_prefix(text.substr(0, at).find_last_of("\r\n") + 1);  // 0 in the first line
  return Strip(text.substr(0, text.find_first_of("\r\n")));
}

// Where it is said; npos: it is not.
std::size_t FindComplaint(std::string_view text, const Complaint& complaint) {
  const std::string_view first = complaint.words.substr(0, complaint.words.find(' '));
  for (std::size_t at = text.find(first); at != text.npos; at = text.find(first, at + 1)) {
    const bool is_alone = complaint.told != kWholeLine || LineOf(text, at) == complaint.words;
    if (is_alone && BeginsWith(text.substr(at), complaint.words)) return at;
  }
  return std::string_view::npos;
}

std::string ComplaintIn(std::string_view text) {
  for (const Complaint& complaint : kComplaints) {
    const std::size_t found = FindComplaint(text, complaint);
    if (found == std::string_view::npos) continue;
    const std::string_view line = LineOf(text, found);
    if (complaint.told != kSentence) return std::string(line);
    return HelpSentence(text.substr(static_cast<std::size_t>(line.data() - text.data())));
  }
  return {};
}

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

Stage MpiStage(const std::string& name, const MpiRun& run) {
  Stage stage;
  stage.name = name;
  stage.argv = Argv(run);
  stage.starts = run.program.at(0);
  stage.cores = run.ranks;
  // Containers run as root; mpirun asks for both words of it.
  stage.environment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
  if (run.rdma) stage.environment.emplace_back("UCX_TLS", "self,rc_x");
  stage.limit = std::chrono::seconds(run.timeout_s) + kToCleanUp;
  return stage;
}

void AddUnlistedMpirunArgs(GangPlan& plan, const std::vector<std::string>& arguments) {
  for (const std::string& what : UnlistedMpirunOptions(arguments)) {
    AddUnlisted(plan, "mpirunArgs", what);
  }
}

GangPlan LedByRankZero(std::size_t members, std::vector<Stage> stages) {
  GangPlan plan;
  plan.ranks.resize(members);
  for (std::size_t rank = 1; rank < members; ++rank) plan.ranks[rank].serves_exec = true;
  plan.ranks.at(0).stages = std::move(stages);
  return plan;
}

std::string MpiReason(std::string_view out, std::string_view err) {
  std::string complaint = ComplaintIn(err);
  return complaint.empty() ? ComplaintIn(out) : complaint;
}

}  // namespace twofold::suite
