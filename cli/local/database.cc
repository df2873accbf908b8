#include "cli/local/database.h"

#include <absl/strings/ascii.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "cli/local/log_file.h"
#include "lib/common/descriptors.h"
#include "lib/common/file.h"
#include "lib/process/environment.h"
#include "lib/process/spawn.h"

namespace twofold::local {

namespace fs = std::filesystem;
namespace {

using Arguments = std::vector<std::string>;

const std::string kName = absl::StrCat(std::string(kNamePrefix), "postgres");
constexpr const char* kVersions = "/usr/lib/postgresql";  // Debian's place, a folder a version
constexpr const char* kSetpriv = "/usr/bin/setpriv";
constexpr std::string_view kSocket = "/.s.PGSQL.5432";
constexpr std::size_t kMostOfFolder = sizeof(sockaddr_un::sun_path) - 1 - kSocket.size();
constexpr Duration kInitWithin = std::chrono::seconds(60);
constexpr Duration kLookForEnd = std::chrono::milliseconds(20);

// Each frontend has a connection for every queue that it serves, and some more.
constexpr const char* kConnections = "max_connections=500";

// The newest version first.
Arguments ProgramFolders() {
  Arguments folders;
  std::error_code error;
  for (const auto& version : fs::directory_iterator(kVersions, error)) {
    folders.push_back(version.path() / "bin");
  }
  const auto number = [](const std::string& folder) {
    int value = 0;
    const bool known = absl::SimpleAtoi(fs::path(folder).parent_path().filename().string(), &value);
    return known ? value : 0;
  };
  std::sort(folders.begin(), folders.end(),
            [&](const std::string& a, const std::string& b) { return number(a) > number(b); });
  return folders;
}

// The folder of initdb and postgres.
Result<std::string> FindPostgres() {
  const Arguments folders = ProgramFolders();
  const char* const path = std::getenv("PATH");
  const auto initdb = process::FindProgram("initdb", {folders, path == nullptr ? "" : path});
  if (initdb.ok()) return fs::path(*initdb).parent_path().string();
  return absl::InvalidArgumentError(
      absl::StrCat("--postgres: PostgreSQL is not installed (Debian: apt-get install postgresql): ",
                   std::string(initdb.status().message())));
}

// Who runs the server if we are root; nullptr: we do.
Result<const passwd*> OtherUser() {
  if (geteuid() != 0) return nullptr;
  const passwd* const user = getpwnam("postgres");
  if (user != nullptr) return user;
  return absl::InvalidArgumentError(
      "--postgres: PostgreSQL refuses root, and there is no user postgres, whom its package makes");
}

// With another user a process forgets that it is to end with us, so setpriv has to say so again.
Arguments As(const passwd* user, Arguments argv) {
  if (user == nullptr) return argv;
  Arguments all = {kSetpriv,
                   "--reuid",
                   absl::StrCat(user->pw_uid),
                   "--regid",
                   absl::StrCat(user->pw_gid),
                   "--clear-groups",
                   "--pdeathsig",
                   "QUIT"};
  all.insert(all.end(), argv.begin(), argv.end());
  return all;
}

Status Cannot(const std::string& what) {
  return absl::InvalidArgumentError(
      absl::StrCat("--postgres: cannot make ", what, ": ", std::strerror(errno)));
}

Result<std::string> MakeFolder(const StateFolder& folder, const passwd* user) {
  if (user == nullptr) {
    if (Status status = CheckSocketFolder(folder.DatabaseDir()); !status.ok()) return status;
    if (mkdir(folder.DatabaseDir().c_str(), 0700) != 0) return Cannot(folder.DatabaseDir());
    return folder.DatabaseDir();
  }
  std::string made = absl::StrCat(StateFolder::kDatabaseElsewhere, "XXXXXX");
  if (mkdtemp(made.data()) == nullptr) return Cannot(made);
  if (symlink(made.c_str(), folder.DatabaseDir().c_str()) != 0) return Cannot(folder.DatabaseDir());
  if (chown(made.c_str(), user->pw_uid, user->pw_gid) != 0) return Cannot(made);
  return made;
}

Status RunToEnd(const Arguments& argv, const std::string& log) {
  const Descriptor file(open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (file.get() < 0) return Cannot(log);
  const auto child = process::Spawn(
      {.argv = argv, .null_in = true, .directory = "/", .out = file.get(), .err = file.get()});
  if (!child.ok()) return child.status();
  const Instant deadline = Now() + kInitWithin;
  std::optional<process::Exit> exit;
  while (!(exit = process::Poll(child->pid))) {
    if (Now() > deadline) kill(-child->pid, SIGKILL);
    std::this_thread::sleep_for(kLookForEnd);
  }
  if (exit->ok()) return absl::OkStatus();
  constexpr int kLines = 8;
  return absl::InternalError(absl::StrCat("--postgres: initdb ended, ", Describe(*exit), ":\n",
                                          Tail(log, kLines).value_or("")));
}

// For a URL: RFC 3986.
std::string Escaped(std::string_view path) {
  std::string text;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain =
        absl::ascii_isalnum(byte) || std::string_view("/-._~").find(c) != std::string_view::npos;
    if (is_plain) {
      text += c;
    } else {
      absl::StrAppend(&text, "%", absl::Hex(byte, absl::kZeroPad2));
    }
  }
  return text;
}

}  // namespace

Status CheckSocketFolder(const std::string& folder) {
  if (folder.size() <= kMostOfFolder) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--postgres: the path of a socket in ", folder,
                                                 " is too long: give a --dir that is ",
                                                 folder.size() - kMostOfFolder, " bytes shorter"));
}

Result<DeploymentSpec> MakeDatabase(const StateFolder& folder) {
  const Result<std::string> programs = FindPostgres();
  if (!programs.ok()) return programs.status();
  const Result<const passwd*> user = OtherUser();
  if (!user.ok()) return user.status();
  const Result<std::string> made = MakeFolder(folder, *user);
  if (!made.ok()) return made.status();
  const std::string data = *made + "/data";
  const Status initialised =
      RunToEnd(As(*user, {*programs + "/initdb", "-D", data, "-U", "twofold", "-A", "trust", "-N",
                          "-E", "UTF8", "--locale=C", "--no-instructions"}),
               folder.LogFile(kName + "-0"));
  if (!initialised.ok()) return initialised;
  const Arguments line = As(*user, {*programs + "/postgres", "-D", data, "-k", *made, "-h", "",
                                    "-p", "5432", "-c", kConnections});
  DeploymentSpec spec{kName, Kind::kDatabase, "", 1, line[0], {}, {line.begin() + 1, line.end()}};
  spec.pid_file = data + "/postmaster.pid";
  spec.serves = {{"store", absl::StrCat("postgresql://twofold@/postgres?host=", Escaped(*made),
                                        "&port=5432")}};
  spec.stop_signal = SIGINT;  // its "fast shutdown"
  return spec;
}

bool DatabaseServes(const std::string& pid_file, pid_t pid) {
  constexpr std::size_t kMostBytes = 4096;
  constexpr std::size_t kPid = 0;
  constexpr std::size_t kState = 7;
  const Result<std::string> text = ReadFile(pid_file, kMostBytes);
  if (!text.ok()) return false;
  const Arguments lines = absl::StrSplit(*text, '\n');
  return lines.size() > kState && lines[kPid] == absl::StrCat(pid) &&
         absl::StripAsciiWhitespace(lines[kState]) == "ready";
}

}  // namespace twofold::local
