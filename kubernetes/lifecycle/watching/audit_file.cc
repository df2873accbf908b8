#include "kubernetes/lifecycle/watching/audit_file.h"

#include <absl/strings/str_cat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>

#include "lib/common/line_cutter.h"

namespace twofold::lifecycle {
namespace {

constexpr std::size_t kAuditChunk = 1 << 20;

Status Bad(const std::string& path, const std::string& why) {
  return absl::InvalidArgumentError(absl::StrCat("--audit: ", path, ": ", why));
}

/// Cuts what is read into lines.
class AuditReader {
 public:
  AuditReader(AuditNotes& notes, const AuditLimits& limits)
      : notes_(notes), limits_(limits), deadline_(Now() + limits.time) {}

  Status Read(const std::string& path) {
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::string chunk(kAuditChunk, '\0');
    bool first = true;
    const auto take = [this](const std::string& line, bool is_whole) {
      is_whole ? notes_.Line(line) : notes_.SkippedLine();
    };
    while (file) {
      file.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
      const std::string_view some(chunk.data(), static_cast<std::size_t>(file.gcount()));
      if (first && some.starts_with("\x1f\x8b")) return Bad(path, "it is packed; unpack it first");
      first = false;
      bytes_ += some.size();
      if (bytes_ > limits_.bytes || Now() > deadline_) return TooMuch(path);
      lines_.Append(some, take);
    }
    if (!file.eof()) return Bad(path, absl::StrCat("cannot read: ", std::strerror(errno)));
    lines_.End(take);
    return absl::OkStatus();
  }

 private:
  [[nodiscard]] Status TooMuch(const std::string& path) const {
    return Bad(path, absl::StrCat("reading ended after ", bytes_ >> 20, " MiB, as the limits are ",
                                  limits_.bytes >> 20, " MiB and ", ToSeconds(limits_.time),
                                  " s; give the files of the time of the run only"));
  }

  AuditNotes& notes_;
  const AuditLimits limits_;
  const Instant deadline_;
  std::uint64_t bytes_ = 0;
  LineCutter lines_{limits_.line};
};

}  // namespace

Status ReadAudit(const std::vector<std::string>& paths, AuditNotes& notes,
                 const AuditLimits& limits) {
  AuditReader reader(notes, limits);
  for (const std::string& path : paths) {
    if (const Status status = reader.Read(path); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace twofold::lifecycle
