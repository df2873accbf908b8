#include <absl/strings/str_cat.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "lib/suite/mpirun.h"
#include "lib/suite/spec.h"
#include "lib/suite/text.h"
#include "suites/osu/osu.h"

namespace twofold::suite::osu {
namespace {

using Spec = v1::suites::OsuSpec;

// What metrics-operator runs if it is told nothing.
constexpr const char* kDefaultTests[] = {"get_acc_latency", "acc_latency", "fop_latency",
                                         "get_latency",     "put_latency", "allreduce",
                                         "latency",         "bibw",        "bw"};

Status TooFew(const Test& test, const char* what) {
  return Wrong("ranks", absl::StrCat(std::string(test.name), " needs ", what));
}

Status CheckRanks(const Spec& spec, const Test& test) {
  const std::uint32_t ranks = spec.ranks();
  const bool even = ranks % 2 == 0;
  switch (test.ranks) {
    case Ranks::kEven:
      return even ? absl::OkStatus() : TooFew(test, "an even number: with an odd one it hangs");
    case Ranks::kTwoNodes:
      return Workers(spec) >= 2 ? absl::OkStatus() : TooFew(test, "two workers at least");
    case Ranks::kGrid:
      return ranks >= 3 ? absl::OkStatus() : TooFew(test, "three at least");
    case Ranks::kPair:
    case Ranks::kSome:
      return ranks >= 2 ? absl::OkStatus() : TooFew(test, "two at least");
    case Ranks::kAny:
      break;
  }
  return absl::OkStatus();
}

Status CheckTests(const Spec& spec) {
  std::set<std::string_view> seen;
  for (const std::string& name : spec.tests()) {
    const Test* test = FindTest(name);
    if (test == nullptr) {
      return Wrong("tests", absl::StrCat("'", Quoted(name), "' is no OSU test"));
    }
    if (!seen.insert(test->name).second) {
      return Wrong("tests", absl::StrCat("'", Quoted(name), "' is there twice"));
    }
    if (Status status = CheckRanks(spec, *test); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// "MIN:MAX" or "MAX".
Status CheckSizes(const std::string& sizes) {
  if (sizes.empty()) return absl::OkStatus();
  const std::size_t colon = sizes.find(':');
  const std::string_view text = sizes;
  const auto most = ToNumber(colon == std::string::npos ? text : text.substr(colon + 1));
  const auto least = colon == std::string::npos ? 0 : ToNumber(text.substr(0, colon));
  const bool digits = sizes.find_first_not_of("0123456789:") == std::string::npos;
  if (digits && least && most && *least <= *most) return absl::OkStatus();
  return Wrong("sizes", absl::StrCat("'", Quoted(sizes), "' is not MIN:MAX or MAX in bytes"));
}

std::vector<std::string> Program(const Spec& spec, const Test& test) {
  std::vector<std::string> argv = {std::string(test.name)};
  // The start-up tests take no options, and those without sizes no -m.
  if (test.ranks == Ranks::kAny) return argv;
  if (test.largest > 0 && !spec.sizes().empty()) argv.insert(argv.end(), {"-m", spec.sizes()});
  if (spec.iterations() > 0) argv.insert(argv.end(), {"-i", absl::StrCat(spec.iterations())});
  if (spec.warmup() > 0) argv.insert(argv.end(), {"-x", absl::StrCat(spec.warmup())});
  argv.insert(argv.end(), spec.extra_args().begin(), spec.extra_args().end());
  return argv;
}

// What the tests may be told beside their own fields: how to measure, not where to write. -G draws
// plots with gnuplot, -P writes counters, -l reads a file.
constexpr std::string_view kLetters = "abcdfiImMprRstTuVwWxz";
constexpr std::string_view kLongOptions[] = {
    "--full",        "--validation",   "--validation-warmup",
    "--accelerator", "--type",         "--iterations",
    "--warmup",      "--message-size", "--mem-limit",
    "--window-size", "--vary-window",  "--print-rate",
    "--pairs",       "--buffer-num",   "--sync-option",
    "--win-option",  "--in-place",     "--root-rank",
    "--ddt"};

bool HasOnly(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == std::string_view::npos;
}

// "-f", "-m0", "--type=all", or the value of the option before it. A letter is followed by nothing
// but digits: "-fP" would be -f and -P.
bool IsListedOption(std::string_view argument) {
  constexpr std::string_view kOfValues =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:.,";
  if (!argument.starts_with('-')) return HasOnly(argument, kOfValues);
  if (!argument.starts_with("--")) {
    return argument.size() > 1 && kLetters.find(argument[1]) != std::string_view::npos &&
           HasOnly(argument.substr(2), "0123456789:");
  }
  const std::string_view name = argument.substr(0, argument.find('='));
  return IsOneOf(name, kLongOptions) &&
         HasOnly(argument.substr(std::min(argument.size(), name.size() + 1)), kOfValues);
}

// Tests for two run on the first two workers, or the first, if it holds both ranks alone.
Stage StageOf(const Spec& spec, const Test& test, const Gang& gang) {
  const bool pair = test.ranks == Ranks::kPair;
  const std::size_t hosts =
      pair ? std::min<std::size_t>(2, gang.members.size()) : gang.members.size();
  Stage stage = MpiStage(
      std::string(test.name),
      {.hosts = {gang.members.begin(), gang.members.begin() + static_cast<std::ptrdiff_t>(hosts)},
       .slots = pair ? static_cast<std::uint32_t>(2 / hosts) : spec.ranks_per_node(),
       .ranks = pair ? 2 : spec.ranks(),
       .rdma = spec.transport() == "RDMA",
       .network = spec.network(),
       .timeout_s = spec.timeout(),
       .more = {spec.mpirun_args().begin(), spec.mpirun_args().end()},
       .program = Program(spec, test)});
  stage.goes_on = true;
  return stage;
}

Status Complete(Spec& spec) {
  if (spec.tests().empty()) {
    for (const char* test : kDefaultTests) spec.add_tests(test);
  }
  Status status = CheckTests(spec);
  if (status.ok()) status = CheckSizes(spec.sizes());
  if (status.ok()) status = CheckPlain("network", spec.network());
  return status;
}

}  // namespace

Result<Spec> ReadSpec(std::string_view json) { return ReadByRules<Spec>(json, Complete); }

GangPlan Plan(const Spec& spec, const Gang& gang) {
  std::vector<Stage> stages;
  for (const std::string& name : spec.tests()) {
    stages.push_back(StageOf(spec, *FindTest(name), gang));
  }
  GangPlan plan = LedByRankZero(gang.members.size(), std::move(stages));
  AddUnlistedMpirunArgs(plan, {spec.mpirun_args().begin(), spec.mpirun_args().end()});
  for (const std::string& argument : spec.extra_args()) {
    if (!IsListedOption(argument)) AddUnlisted(plan, "extraArgs", argument);
  }
  return plan;
}

}  // namespace twofold::suite::osu
