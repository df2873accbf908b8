#include "lib/common/file.h"

#include <absl/strings/str_cat.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

namespace twofold {
namespace {

Status CannotRead(const std::string& path, int error) {
  const auto code =
      error == ENOENT ? absl::StatusCode::kNotFound : absl::StatusCode::kInvalidArgument;
  return {code, absl::StrCat("cannot read ", path, ": ", std::strerror(error))};
}

Status CannotRead(const std::string& path, const std::string& why) {
  return absl::InvalidArgumentError(absl::StrCat("cannot read ", path, ": ", why));
}

Status TooLong(const std::string& path, std::size_t most) {
  constexpr std::size_t kMib = 1 << 20;
  return CannotRead(path, most % kMib == 0 ? absl::StrCat("it is longer than ", most / kMib, " MiB")
                                           : absl::StrCat("it is longer than ", most, " bytes"));
}

constexpr const char* kPart = ".part";

/// 0, or why there is not all of `text` in `path`.
int Fill(const std::string& path, const std::string& text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  return file ? 0 : errno != 0 ? errno : EIO;
}

/// As Fill, and by a rename.
int FillBeside(const std::string& path, const std::string& text) {
  const std::string part = path + kPart;
  int error = Fill(part, text);
  if (error == 0 && std::rename(part.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) unlink(part.c_str());
  return error;
}

std::string WhyNot(const std::string& path, int error) {
  const std::string why = std::strerror(error);
  if (error != ENOENT && error != EACCES) return why;
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return absl::StrCat(why, ": the folder ", folder.empty() ? "." : folder,
                      error == ENOENT ? " is not there" : " may not be written");
}

/// What a path leads to, and whether that is written beside it.
struct Place {
  std::string path;
  bool beside = true;
};

Place PlaceOf(const std::string& path) {
  std::error_code none;
  const auto there = std::filesystem::canonical(path, none);
  if (none) return {path};
  return {there.string(), std::filesystem::is_regular_file(there, none)};
}

int WhyNotWritten(const std::string& path) {
  if (std::filesystem::is_directory(path)) return EISDIR;
  return access(path.c_str(), W_OK) == 0 ? 0 : errno;
}

Status Written(const std::string& path, const Place& place, int error) {
  if (error == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(path, " cannot be written: ", WhyNot(place.path, error)));
}

}  // namespace

Result<std::string> ReadFile(const std::string& path, std::size_t most, Readable what) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return CannotRead(path, errno);
  const bool is_pipe = what == Readable::kFilesAndPipes && S_ISFIFO(info.st_mode);
  if (!is_pipe && !S_ISREG(info.st_mode)) return CannotRead(path, "it is not a file");
  if (!is_pipe && static_cast<std::size_t>(info.st_size) > most) return TooLong(path, most);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return CannotRead(path, errno);
  std::string text;
  std::array<char, 64 << 10> some;
  do {  // it may have grown meanwhile
    file.read(some.data(), some.size());
    text.append(some.data(), static_cast<std::size_t>(file.gcount()));
  } while (file && text.size() <= most);
  if (file.bad()) return CannotRead(path, errno);
  return text.size() <= most ? Result<std::string>(std::move(text)) : TooLong(path, most);
}

Status WriteFile(const std::string& path, const std::string& text) {
  const Place place = PlaceOf(path);
  const int error = place.beside ? FillBeside(place.path, text) : Fill(place.path, text);
  return Written(path, place, error);
}

Status CheckWritable(const std::string& path) {
  const Place place = PlaceOf(path);
  // To open and close a pipe would end whoever reads it.
  if (!place.beside) return Written(path, place, WhyNotWritten(place.path));
  const std::string part = place.path + kPart;
  const int error = Fill(part, "");
  if (error == 0) unlink(part.c_str());
  return Written(path, place, error);
}

}  // namespace twofold
