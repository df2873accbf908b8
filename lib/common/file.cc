#include "lib/common/file.h"

#include <absl/strings/str_cat.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>
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

}  // namespace twofold
