// What the options mean on this machine.

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <glob.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <utility>

#include "backend/agent/options.h"
#include "lib/common/address.h"
#include "lib/common/contacts.h"
#include "lib/common/host_name.h"
#include "lib/common/printable.h"
#include "lib/rpc/field_limits.h"
#include "lib/rpc/limits.h"
#include "suites/table/workload.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::backend {
namespace {

using boost::asio::ip::udp;

constexpr std::size_t kMostQuoted = 80;  // of a bad name in an error

Status NoRoute(const HostPort& peer, const boost::system::error_code& error) {
  return absl::UnavailableError(absl::StrCat("no route to ", peer.host, ": ", error.message()));
}

// The IP address of ours from which packets go to `peer`: one under which hosts on that side reach
// us, unless something translates addresses in between. Looking its name up may block for seconds.
// Connecting a datagram socket asks the kernel for the route, and sends nothing.
Result<std::string> AddressTowards(const HostPort& peer) {
  boost::asio::io_context io;
  boost::system::error_code error;
  const auto found = udp::resolver(io).resolve(peer.host, std::to_string(peer.port), error);
  if (error) return NoRoute(peer, error);
  for (const auto& entry : found) {
    udp::socket socket(io, entry.endpoint().protocol());
    socket.connect(entry.endpoint(), error);
    if (error) continue;
    const udp::endpoint local = socket.local_endpoint(error);
    if (!error) return local.address().to_string();
  }
  return NoRoute(peer, error);
}

// The frontend and its metrics want printable names.
Status CheckName(const std::string& what, const std::string& name) {
  const auto printable = [](char c) { return c > ' ' && c <= '~'; };
  if (name.size() <= rpc::kMaxNameBytes && std::all_of(name.begin(), name.end(), printable)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(what, " '", absl::CHexEscape(name.substr(0, kMostQuoted)),
                   "' is not a name of up to ", rpc::kMaxNameBytes, " printable ASCII characters"));
}

std::string Variable(const std::string& name) {
  const char* const value = name.empty() ? nullptr : std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

std::string NameFrom(const std::string& variable) {
  std::string name = Variable(variable);
  return name.empty() ? HostName() : name;
}

std::uint64_t RandomKey() {
  std::random_device random;
  return (std::uint64_t{random()} << 32) | random() | 1;  // never 0
}

AgentOptions AgentFrom(const Options& options) {
  AgentOptions agent = options.agent;
  agent.leave_when_empty = options.backoff == 0;
  if (!agent.leave_when_empty) {
    agent.link.give_up = Duration::zero();
    // A nanosecond at least: Backoff wants more than nothing.
    agent.link.pause = std::max(Duration(1), FromSeconds(options.backoff));
    agent.link.pause_max = std::max(agent.link.pause, FromSeconds(options.backoff_max));
  }
  agent.node = NameFrom(options.node_env);
  agent.pod = NameFrom(options.pod_env);
  agent.process_key = RandomKey();
  agent.limit = FromSeconds(options.limit);
  agent.ready_limit = FromSeconds(options.ready_limit);
  agent.drain_limit = FromSeconds(options.drain_limit);
  return agent;
}

// Only a worker that goes to a frontend needs one: finding it out may take a while.
std::string FindAddress(const Options& options) {
  if (options.once || options.check_config) return HostName();
  const auto frontend = ParseAddress(FirstContact(options.agent.link.address));
  if (!frontend.ok()) return HostName();
  const Result<std::string> address = AddressTowards(*frontend);
  if (address.ok()) return *address;
  spdlog::debug("{}; giving the host name to the members of gangs",
                std::string(address.status().message()));
  return HostName();
}

// As seen from where the program was started.
std::string Absolute(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal();
}

WorkloadOptions WorkloadFrom(const Options& options) {
  WorkloadOptions workload = options.workload;
  BenchmarkOptions& benchmark = workload.benchmark;
  const std::vector<std::string> folders =
      absl::StrSplit(options.suite_path, ':', absl::SkipEmpty());
  for (const std::string& folder : folders) benchmark.suite_path.push_back(Absolute(folder));
  const std::string temporary = Variable("TMPDIR");
  benchmark.work_dir = Absolute(!options.work_dir.empty() ? options.work_dir
                                : temporary.empty()       ? "/tmp"
                                                          : temporary);
  for (const std::string& path : options.allow_paths) {
    benchmark.allowed.paths.push_back(Absolute(path));
  }
  workload.check_only = options.check_config;
  benchmark.worker.image = Printable(Variable(options.image_env), rpc::kMaxNameBytes);
  return workload;
}

// The first path that matches the shell pattern, in sorted order.
Result<std::string> FirstMatch(const std::string& pattern) {
  glob_t matches{};
  Result<std::string> first =
      absl::NotFoundError(absl::StrCat("--glob: nothing matches '", pattern, "'"));
  if (glob(pattern.c_str(), 0, nullptr, &matches) == 0) first = std::string(matches.gl_pathv[0]);
  globfree(&matches);
  return first;
}

// Not in a line for a shell: a file's name would be a part of that program.
Status UseMatch(const Options& options, Configuration& configuration) {
  Result<std::string> match = FirstMatch(options.glob);
  if (!match.ok()) return match.status();
  for (std::size_t i = options.shell.empty() ? 1 : 3; i < configuration.workload.argv.size(); ++i) {
    configuration.workload.argv[i] = ReplaceFilename(configuration.workload.argv[i], *match);
  }
  configuration.agent.device = match->substr(match->rfind('/') + 1);
  configuration.agent.filename = *std::move(match);
  return CheckName("--glob: device", configuration.agent.device);
}

Status UseSecurity(const Options& options, Configuration& configuration) {
  Result<security::Client> link = security::Client::Open(options.security);
  if (!link.ok()) return link.status();
  configuration.agent.link.security = *std::move(link);
  Result<security::Server> http = security::Open(options.http_security);
  if (!http.ok()) return http.status();
  configuration.http_security = *std::move(http);
  return absl::OkStatus();
}

bool IsKey(std::string_view key) {
  const auto ends = [](char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)); };
  const auto inside = [&](char c) {
    return ends(c) || std::string_view("-_./").find(c) != std::string_view::npos;
  };
  return !key.empty() && key.size() <= rpc::kMaxNameBytes && ends(key.front()) &&
         ends(key.back()) && std::all_of(key.begin(), key.end(), inside);
}

bool IsValue(std::string_view value) {
  const auto printable = [](char c) { return c >= ' ' && c <= '~'; };
  return value.size() <= rpc::kMaxNameBytes && std::all_of(value.begin(), value.end(), printable);
}

}  // namespace

std::string CheckLabel(const std::string& label) {
  const std::string_view text = label;
  const std::size_t equals = text.find('=');
  if (equals != text.npos && IsKey(text.substr(0, equals)) && IsValue(text.substr(equals + 1))) {
    return {};
  }
  return absl::StrCat("'", absl::CHexEscape(label.substr(0, kMostQuoted)),
                      "' is not KEY=VALUE with a key of letters, digits, '-', '_', '.' and '/', "
                      "and a printable value, each of up to ",
                      rpc::kMaxNameBytes, " characters");
}

Result<Labels> MakeLabels(std::string_view list, const std::vector<std::string>& labels) {
  std::vector<std::string> all;
  if (!list.empty()) all = absl::StrSplit(std::string(list), ',');
  all.insert(all.end(), labels.begin(), labels.end());
  Labels made;
  for (const std::string& label : all) {
    if (std::string error = CheckLabel(label); !error.empty()) {
      return absl::InvalidArgumentError("label " + error);
    }
    const std::size_t equals = label.find('=');
    made.insert_or_assign(label.substr(0, equals), label.substr(equals + 1));
  }
  const std::size_t most = rpc::LimitOf<v1::Hello>(v1::Hello::kLabelsFieldNumber).count();
  if (made.size() > most) {
    return absl::InvalidArgumentError(
        absl::StrCat(made.size(), " labels, at most ", most, " are allowed"));
  }
  return made;
}

Result<Configuration> Prepare(const Options& options) {
  Configuration configuration{AgentFrom(options), WorkloadFrom(options), {}, {}};
  configuration.peers_address = PeersAddress(options);
  // Before --dir: the paths are of where the program was started.
  auto workload = suite::FindWorkload(std::move(configuration.workload.argv));
  if (!workload.ok()) return workload.status();
  configuration.workload.argv = *std::move(workload);
  if (Status status = UseSecurity(options, configuration); !status.ok()) return status;
  if (!options.dir.empty() && chdir(options.dir.c_str()) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("--dir: ", options.dir));
  }
  if (!options.glob.empty()) {
    if (Status status = UseMatch(options, configuration); !status.ok()) return status;
  }
  Result<Labels> labels = MakeLabels(Variable("TWOFOLD_LABELS"), options.labels);
  if (!labels.ok()) return labels.status();
  AgentOptions& agent = configuration.agent;
  agent.labels = *std::move(labels);
  if (agent.address.empty()) agent.address = FindAddress(options);
  const std::pair<const char*, const std::string&> names[] = {
      {"node", agent.node}, {"pod", agent.pod}, {"--address:", agent.address}};
  for (const auto& [what, name] : names) {
    if (Status status = CheckName(what, name); !status.ok()) return status;
  }
  WorkerFacts& worker = configuration.workload.benchmark.worker;
  worker = {agent.node, agent.pod, agent.address, std::move(worker.image)};
  return configuration;
}

}  // namespace twofold::backend
