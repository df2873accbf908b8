#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/common/result.h"

/// What a program of rank 0 has to know to start others at the members of its gang: a file that the
/// worker writes and twofold-rsh reads, named by the variable TWOFOLD_GANG.
///
/// The worker holds a lock on the file as long as the attempt goes on there (HeldGangFile), so its
/// end is noticed also when the worker is killed.
///
/// Threads  Safe.
namespace twofold::gang {

inline constexpr char kGangVariable[] = "TWOFOLD_GANG";

struct Member {
  std::string node;
  std::string pod;
  std::string address;
  std::uint16_t port = 0;  ///< 0: it serves no peers

  friend bool operator==(const Member&, const Member&) = default;
};

/// How to talk to the members; PEM files.
struct Tls {
  std::string ca;
  std::string cert;
  std::string key;
  std::string server_name;  ///< in their certificates

  friend bool operator==(const Tls&, const Tls&) = default;
};

struct Gang {
  std::uint64_t job = 0;
  std::uint32_t attempt = 0;
  std::string secret = {};           ///< bytes
  std::vector<Member> members = {};  ///< by rank
  std::optional<Tls> tls = {};       ///< nullopt: plain text

  friend bool operator==(const Gang&, const Gang&) = default;
};

/// The rank of the member that `host` means: its address, else its pod or its node, else the first
/// label of one of them (Open MPI may cut "worker-1.workers.svc" down to that). Of several members
/// on one host the last one, as rank 0 needs no help on its own.
///
/// Errors   kNotFound: which hosts there are.
Result<std::uint32_t> FindMember(const Gang& gang, std::string_view host);

/// As JSON, the secret in hexadecimal digits. All text is UTF-8.
std::string ToJson(const Gang& gang);

/// Errors   kInvalidArgument: which field is missing or wrong; never a value.
Result<Gang> FromJson(std::string_view text);

/// A gang file, as long as this lives; of mode 0600, and locked.
class HeldGangFile {
 public:
  /// A new file in `folder`.
  /// Errors   The path, and what the system says.
  static Result<HeldGangFile> Write(const std::string& folder, const Gang& gang);

  ~HeldGangFile();
  HeldGangFile(HeldGangFile&& other) noexcept;
  HeldGangFile& operator=(HeldGangFile&& other) noexcept;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  HeldGangFile(std::string path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}

  std::string path_;
  int descriptor_;
};

/// A gang file, as its readers have it.
struct ReadGangFile {
  Gang gang;
  int descriptor = -1;  ///< for AwaitRelease; the caller's
};

/// Errors   The path, and what is wrong.
Result<ReadGangFile> Read(const std::string& path);

/// Blocks until nobody holds the file any more: the attempt is over, or its worker is gone.
void AwaitRelease(int descriptor);

}  // namespace twofold::gang
