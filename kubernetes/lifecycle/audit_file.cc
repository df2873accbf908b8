#include "kubernetes/lifecycle/audit_file.h"

#include <absl/strings/str_cat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>

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
    while (file) {
      file.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
      const std::string_view some(chunk.data(), static_cast<std::size_t>(file.gcount()));
      if (first && some.starts_with("\x1f\x8b")) return Bad(path, "it is packed; unpack it first");
      first = false;
      bytes_ += some.size();
      if (bytes_ > limits_.bytes || Now() > deadline_) return TooMuch(path);
      Split(some);
    }
    if (!file.eof()) return Bad(path, absl::StrCat("cannot read: ", std::strerror(errno)));
    EndLine();
    return absl::OkStatus();
  }

 private:
  void Split(std::string_view some) {
    for (std::size_t end = some.find('\n'); end != std::string_view::npos; end = some.find('\n')) {
      Append(some.substr(0, end));
      EndLine();
      some.remove_prefix(end + 1);
    }
    Append(some);
  }

  void Append(std::string_view part) {
    too_long_ = too_long_ || line_.size() + part.size() > limits_.line;
    if (too_long_) {
      line_.clear();
    } else {
      line_ += part;
    }
  }

  void EndLine() {
    if (too_long_) {
      notes_.SkippedLine();
    } else {
      notes_.Line(line_);
    }
    line_.clear();
    too_long_ = false;
  }

  [[nodiscard]] Status TooMuch(const std::string& path) const {
    return Bad(path, absl::StrCat("reading ended after ", bytes_ >> 20, " MiB, as the limits are ",
                                  limits_.bytes >> 20, " MiB and ", ToSeconds(limits_.time),
                                  " s; give the files of the time of the run only"));
  }

  AuditNotes& notes_;
  const AuditLimits limits_;
  const Instant deadline_;
  std::uint64_t bytes_ = 0;
  std::string line_;
  bool too_long_ = false;
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
