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
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "lib/common/descriptors.h"

namespace twofold::gang {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Member, node, pod, address, port)

namespace {

using nlohmann::json;

constexpr std::size_t kMostBytes = 16 << 20;  // 4096 members take less than 4 MiB

Status Errno(const std::string& path) { return absl::ErrnoToStatus(errno, path); }

json ToObject(const Tls& tls) {
  return {{"ca", tls.ca}, {"cert", tls.cert}, {"key", tls.key}, {"serverName", tls.server_name}};
}

Tls TlsOf(const json& object) {
  return {object.at("ca"), object.at("cert"), object.at("key"), object.at("serverName")};
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

using Is = bool (*)(const Member& member, std::string_view host);

// The first one that anybody matches counts.
constexpr std::array<Is, 5> kMeanings = {
    [](const Member& member, std::string_view host) { return member.address == host; },
    [](const Member& member, std::string_view host) { return member.pod == host; },
    [](const Member& member, std::string_view host) { return member.node == host; },
    [](const Member& member, std::string_view host) {
      return FirstLabel(member.address) == host || FirstLabel(member.pod) == host;
    },
    [](const Member& member, std::string_view host) { return FirstLabel(member.node) == host; },
};

std::optional<std::uint32_t> LastOf(const Gang& gang, Is is, std::string_view host) {
  for (std::size_t rank = gang.members.size(); rank-- > 0;) {
    if (is(gang.members[rank], host)) return static_cast<std::uint32_t>(rank);
  }
  return std::nullopt;
}

std::string List(const Gang& gang) {
  std::vector<std::string> hosts;
  for (const Member& member : gang.members) {
    if (hosts.size() == kMostListed) {
      hosts.push_back(absl::StrCat(gang.members.size() - kMostListed, " more"));
      break;
    }
    hosts.push_back(member.address);
  }
  return absl::StrJoin(hosts, ", ");
}

}  // namespace

Result<std::uint32_t> FindMember(const Gang& gang, std::string_view host) {
  for (const Is is : kMeanings) {
    if (host.empty()) break;
    if (const auto rank = LastOf(gang, is, host)) return *rank;
  }
  return absl::NotFoundError(
      absl::StrCat("'", std::string(host), "' is no host of this gang; these are: ", List(gang)));
}

std::string ToJson(const Gang& gang) {
  json object = {{"job", gang.job},
                 {"attempt", gang.attempt},
                 {"secret", absl::BytesToHexString(gang.secret)},
                 {"members", gang.members}};
  if (gang.tls) object["tls"] = ToObject(*gang.tls);
  // What is no UTF-8 is a name that nobody can be asked for.
  return object.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<Gang> FromJson(std::string_view text) {
  try {
    const json object = json::parse(text);
    Gang gang{.job = object.at("job"), .attempt = object.at("attempt")};
    gang.secret = absl::HexStringToBytes(object.at("secret").get<std::string>());
    object.at("members").get_to(gang.members);
    if (object.contains("tls")) gang.tls = TlsOf(object.at("tls"));
    return gang;
  } catch (const json::out_of_range& error) {  // names the field
    return absl::InvalidArgumentError(absl::StrCat("not a gang file: ", error.what()));
  } catch (const json::exception&) {  // may quote what it has read
    return absl::InvalidArgumentError("not a gang file: no JSON, or a field of another type");
  }
}

Result<HeldGangFile> HeldGangFile::Write(const std::string& folder, const Gang& gang) {
  std::string path = folder + "/twofold-gang-XXXXXX";
  const int descriptor = mkostemp(path.data(), O_CLOEXEC);
  if (descriptor < 0) return Errno(path);
  HeldGangFile file(path, descriptor);
  // Locked before it can be read: nobody takes a file that is being written for one that is left.
  if (flock(descriptor, LOCK_EX) != 0 || !WriteAll(descriptor, ToJson(gang))) return Errno(path);
  return file;
}

HeldGangFile::HeldGangFile(HeldGangFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

HeldGangFile& HeldGangFile::operator=(HeldGangFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

HeldGangFile::~HeldGangFile() {
  if (descriptor_ < 0) return;
  unlink(path_.c_str());
  close(descriptor_);
}

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
