#include "cli/watch/files.h"

#include <absl/strings/str_cat.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string_view>
#include <utility>

#include "cli/runs/benchmark.h"
#include "lib/yaml/node.h"

namespace twofold::cli {
namespace {

constexpr std::array<std::string_view, 3> kEndings = {".yaml", ".yml", ".json"};

bool IsBenchmarkName(const std::string& name) {
  if (name.starts_with('.')) return false;  // also a ConfigMap's ..data
  for (const std::string_view ending : kEndings) {
    if (name.size() > ending.size() && name.ends_with(ending)) return true;
  }
  return false;
}

Status CannotRead(const std::string& path, int error) {
  return absl::UnavailableError(absl::StrCat("cannot read ", path, ": ", std::strerror(error)));
}

}  // namespace

Result<BenchmarkFiles> BenchmarkFiles::At(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", std::strerror(errno)));
  }
  return BenchmarkFiles(path, S_ISDIR(found.st_mode));
}

std::string BenchmarkFiles::PathOf(const std::string& name) const {
  return folder_ ? absl::StrCat(path_, "/", name) : path_;
}

// Of too many files the first ones by name, so that it is the same ones each time.
Result<std::set<std::string>> BenchmarkFiles::Names() const {
  std::set<std::string> names;
  if (!folder_) return std::set{std::filesystem::path(path_).filename().string()};
  std::error_code error;
  for (std::filesystem::directory_iterator entry(path_, error), end; !error && entry != end;
       entry.increment(error)) {
    std::string name = entry->path().filename();
    if (IsBenchmarkName(name)) names.insert(std::move(name));
    if (names.size() > kMostFiles + 1) names.erase(std::prev(names.end()));
  }
  if (error) return CannotRead(path_, error.value());
  return names;
}

Result<BenchmarkFiles::Stamp> BenchmarkFiles::StampOf(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return absl::NotFoundError(path);
    return CannotRead(path, errno);
  }
  // Opening a pipe or a device may block for ever.
  if (!S_ISREG(found.st_mode)) return absl::InvalidArgumentError(path + " is no file");
  return Stamp{found.st_dev, found.st_ino, found.st_size, found.st_mtim.tv_sec,
               found.st_mtim.tv_nsec};
}

Result<std::string> BenchmarkFiles::ReadUnchanged(const std::string& name,
                                                  const Stamp& stamp) const {
  const std::size_t most = yaml::Limits().bytes;
  if (static_cast<std::uint64_t>(stamp.bytes) > most) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " has ", stamp.bytes, " bytes; a benchmark has at most ", most));
  }
  auto text = ReadBenchmarkText(PathOf(name));
  if (!text.ok()) return text;
  const auto after = StampOf(PathOf(name));
  if (!after.ok() || *after != stamp) return absl::AbortedError("it has changed meanwhile");
  return text;
}

void BenchmarkFiles::LookAt(const std::string& name, Changes& changes) {
  const auto stamp = StampOf(PathOf(name));
  if (absl::IsNotFound(stamp.status())) {
    if (known_.erase(name) > 0) changes.gone.push_back(name);
    return;
  }
  Known& known = known_[name];
  Status fault = stamp.status();
  if (stamp.ok()) {
    const bool unchanged = std::exchange(known.stamp, *stamp) == *stamp;
    if (!unchanged) known.read = false;
    if (!unchanged || known.read) return;
    auto text = ReadUnchanged(name, *stamp);
    if (absl::IsAborted(text.status())) return;
    known.read = true;
    fault = text.status();
    const std::size_t hash = text.ok() ? std::hash<std::string>()(*text) : 0;
    if (text.ok() && hash != known.text_hash) changes.versions.push_back({name, *std::move(text)});
    if (fault.ok()) known.text_hash = hash;
  }
  std::string why(fault.message());
  if (!fault.ok() && why != known.fault) changes.faults.push_back(why);
  known.fault = std::move(why);
}

Changes BenchmarkFiles::Look() {
  Changes changes;
  auto names = Names();
  std::string fault(names.status().message());
  if (names.ok()) {
    if (names->size() > kMostFiles) {
      fault = absl::StrCat(path_, " has more than ", kMostFiles,
                           " benchmarks; the first by name are looked at");
      names->erase(std::prev(names->end()));
    }
    for (const auto& [name, known] : known_) names->insert(name);  // it may be gone
    for (const std::string& name : *names) LookAt(name, changes);
  }
  if (!fault.empty() && fault != fault_) changes.faults.push_back(fault);
  fault_ = std::move(fault);
  return changes;
}

}  // namespace twofold::cli
