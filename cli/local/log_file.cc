#include "cli/local/log_file.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace twofold::local {

namespace fs = std::filesystem;

void BoundLog(const std::string& path, std::uintmax_t limit) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error || size <= limit) return;
  fs::copy_file(path, path + ".1", fs::copy_options::overwrite_existing, error);
  fs::resize_file(path, 0, error);
}

Result<std::string> Tail(const std::string& path, int lines) {
  constexpr std::streamoff kMost = 1 << 20;
  std::ifstream file(path, std::ios::ate);
  if (!file) return absl::NotFoundError(absl::StrCat("no log ", path));
  file.seekg(std::max<std::streamoff>(0, file.tellg() - kMost));
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  std::size_t start = text.size();
  if (start > 0 && text.back() == '\n') --start;  // the end of the last line, not another one
  for (int left = lines; left > 0 && start > 0; --left) {
    const std::size_t newline = text.rfind('\n', start - 1);
    if (newline == std::string::npos) return text;
    start = newline;
  }
  return lines <= 0 ? std::string() : text.substr(std::min(text.size(), start + 1));
}

}  // namespace twofold::local
