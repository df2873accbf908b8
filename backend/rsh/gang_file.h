#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lib/common/descriptors.h"
#include "lib/common/result.h"
#include "lib/security/options.h"
#include "twofold/v1/peers.pb.h"
#include "twofold/v1/queue.pb.h"

/// What a program of rank 0 has to know to start others at the members of its gang: a file that the
/// worker writes and twofold-rsh reads, named by the variable TWOFOLD_GANG.
///
/// The worker holds a lock on the file as long as the attempt goes on there (HeldGangFile), so its
/// end is noticed also when the worker is killed.
///
/// Threads  Safe.
namespace twofold::gang {

inline constexpr char kGangVariable[] = "TWOFOLD_GANG";

struct Gang {
  v1::GangRoster roster;
  /// How to talk to the members: absolute paths, the name in their certificates. nullopt: plain
  /// text.
  std::optional<security::ClientOptions> tls = {};
};

/// By what a member knows a caller of the same attempt.
v1::MemberKey KeyOf(const v1::GangRoster& roster, std::uint32_t rank);

/// The rank of the member that `host` means: its address, else its pod or its node, else the first
/// label of one of them (Open MPI may cut "worker-1.workers.svc" down to that). Of several members
/// on one host the last one, as rank 0 needs no help on its own.
///
/// Errors   kNotFound: which hosts there are.
Result<std::uint32_t> FindMember(const v1::GangRoster& roster, std::string_view host);

/// As JSON, the secret in hexadecimal digits. All text is UTF-8.
std::string ToJson(const Gang& gang);

/// Errors   kInvalidArgument: which field is missing or wrong; never a value.
Result<Gang> FromJson(std::string_view text);

/// A gang file, as long as this lives; of mode 0600, and locked.
class HeldGangFile {
 public:
  /// A new file in `folder`.
  /// Errors   The path, and what the system says.
  static Result<std::unique_ptr<HeldGangFile>> Write(const std::string& folder, const Gang& gang);
  ~HeldGangFile();

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  HeldGangFile(std::string path, int descriptor) : path_(std::move(path)), lock_(descriptor) {}

  std::string path_;
  const Descriptor lock_;
};

/// Removes the gang files in `folder` of this user whose worker was killed. Returns how many. What
/// cannot be removed is left.
std::size_t RemoveLeft(const std::string& folder);

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
