#include "backend/rsh/gang_file.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "lib/common/host_word.h"

namespace twofold::gang {
namespace {

using nlohmann::json;
using v1::Peer;

constexpr std::string_view kName = "twofold-gang-";
constexpr std::size_t kSuffix = 6;  // that mkostemp makes

constexpr std::size_t kMostBytes = 16 << 20;  // 4096 members take less than 4 MiB

Status Errno(const std::string& path) { return absl::ErrnoToStatus(errno, path); }

void AddPeer(const json& member, v1::GangRoster& roster) {
  Peer& peer = *roster.add_peers();
  peer.set_node(member.at("node").get<std::string>());
  peer.set_pod(member.at("pod").get<std::string>());
  peer.set_address(member.at("address").get<std::string>());
  peer.set_port(member.at("port"));
}

Result<std::string> ReadAll(int descriptor, const std::string& path) {
  struct stat info {};
  if (fstat(descriptor, &info) != 0) return Errno(path);
  std::string text(std::min(static_cast<std::size_t>(info.st_size), kMostBytes), '\0');
  const ssize_t got = read(descriptor, text.data(), text.size());
  if (got < 0) return Errno(path);
  text.resize(static_cast<std::size_t>(got));
  return text;
}

constexpr std::size_t kMostListed = 16;

std::string_view FirstLabel(std::string_view name) { return name.substr(0, name.find('.')); }

using Is = bool (*)(const Peer& peer, std::string_view host);

// The first one that anybody matches counts.
constexpr std::array<Is, 6> kMeanings = {
    [](const Peer& peer, std::string_view host) { return peer.address() == host; },
    [](const Peer& peer, std::string_view host) { return HostWord(peer.address()) == host; },
    [](const Peer& peer, std::string_view host) { return peer.pod() == host; },
    [](const Peer& peer, std::string_view host) { return peer.node() == host; },
    [](const Peer& peer, std::string_view host) {
      return FirstLabel(peer.address()) == host || FirstLabel(peer.pod()) == host;
    },
    [](const Peer& peer, std::string_view host) { return FirstLabel(peer.node()) == host; },
};

std::string List(const v1::GangRoster& roster) {
  std::vector<std::string> hosts;
  for (const Peer& peer : roster.peers()) hosts.push_back(peer.address());
  if (hosts.size() > kMostListed) {
    const std::size_t more = hosts.size() - kMostListed;
    hosts.resize(kMostListed);
    hosts.push_back(absl::StrCat(more, " more"));
  }
  return absl::StrJoin(hosts, ", ");
}

}  // namespace

v1::MemberKey KeyOf(const v1::GangRoster& roster, std::uint32_t rank) {
  v1::MemberKey key;
  key.set_job(roster.job());
  key.set_attempt(roster.attempt());
  key.set_rank(rank);
  key.set_secret(roster.secret());
  return key;
}

Result<std::uint32_t> FindMember(const v1::GangRoster& roster, std::string_view host) {
  for (const Is is : kMeanings) {
    for (int rank = roster.peers_size() - 1; rank >= 0 && !host.empty(); --rank) {
      if (is(roster.peers(rank), host)) return static_cast<std::uint32_t>(rank);
    }
  }
  return absl::NotFoundError(
      absl::StrCat("'", std::string(host), "' is no host of this gang; these are: ", List(roster)));
}

std::string ToJson(const Gang& gang) {
  const v1::GangRoster& roster = gang.roster;
  json object = {{"job", roster.job()},
                 {"attempt", roster.attempt()},
                 {"secret", absl::BytesToHexString(roster.secret())},
                 {"members", json::array()}};
  for (const Peer& peer : roster.peers()) {
    object["members"].push_back({{"node", peer.node()},
                                 {"pod", peer.pod()},
                                 {"address", peer.address()},
                                 {"port", peer.port()}});
  }
  if (const auto& tls = gang.tls) {
    object["tls"] = {
        {"ca", tls->ca}, {"cert", tls->cert}, {"key", tls->key}, {"serverName", tls->server_name}};
  }
  // What is no UTF-8 is a name that nobody can be asked for.
  return object.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<Gang> FromJson(std::string_view text) {
  try {
    const json object = json::parse(text);
    Gang gang;
    gang.roster.set_job(object.at("job"));
    gang.roster.set_attempt(object.at("attempt"));
    gang.roster.set_secret(absl::HexStringToBytes(object.at("secret").get<std::string>()));
    for (const json& member : object.at("members").get_ref<const json::array_t&>()) {
      AddPeer(member, gang.roster);
    }
    if (!object.contains("tls")) return gang;
    const json& tls = object["tls"];
    gang.tls = security::ClientOptions{
        {"", tls.at("cert"), tls.at("key"), tls.at("ca")}, tls.at("serverName"), ""};
    return gang;
  } catch (const json::out_of_range& error) {  // names the field
    return absl::InvalidArgumentError(absl::StrCat("not a gang file: ", error.what()));
  } catch (const json::exception&) {  // may quote what it has read
    return absl::InvalidArgumentError("not a gang file: no JSON, or a field of another type");
  }
}

Result<std::unique_ptr<HeldGangFile>> HeldGangFile::Write(const std::string& folder,
                                                          const Gang& gang) {
  std::string fresh = folder + "/twofold-new-gang-XXXXXX";
  const int descriptor = mkostemp(fresh.data(), O_CLOEXEC);
  if (descriptor < 0) return Errno(fresh);
  std::unique_ptr<HeldGangFile> file(new HeldGangFile(fresh, descriptor));
  // It has its name only when it is locked: nobody takes it for one that was left behind.
  if (flock(descriptor, LOCK_EX) != 0 || !WriteAll(descriptor, ToJson(gang))) return Errno(fresh);
  const std::string path =
      absl::StrCat(folder, "/", std::string(kName), fresh.substr(fresh.size() - kSuffix));
  if (rename(fresh.c_str(), path.c_str()) != 0) return Errno(fresh);
  file->path_ = path;
  return file;
}

std::size_t RemoveLeft(const std::string& folder) {
  std::size_t removed = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string path = entry->path();
    if (!entry->path().filename().native().starts_with(kName)) continue;
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat info {};
    const bool is_ours =
        fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid();
    if (!is_ours || flock(file.get(), LOCK_EX | LOCK_NB) != 0) continue;
    if (unlink(path.c_str()) == 0) ++removed;
  }
  return removed;
}

HeldGangFile::~HeldGangFile() { unlink(path_.c_str()); }

Result<ReadGangFile> Read(const std::string& path) {
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return Errno(path);
  const Result<std::string> text = ReadAll(file.get(), path);
  Result<Gang> gang = text.ok() ? FromJson(*text) : text.status();
  if (gang.ok()) return ReadGangFile{*std::move(gang), file.Release()};
  return Status(gang.status().code(),
                absl::StrCat(path, ": ", std::string(gang.status().message())));
}

void AwaitRelease(int descriptor) {
  while (flock(descriptor, LOCK_SH) != 0 && errno == EINTR) {
  }
}

}  // namespace twofold::gang
