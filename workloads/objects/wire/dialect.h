#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "suites/object_storage/object_storage.h"
#include "workloads/objects/wire/request.h"

namespace twofold::objects {

/// One page of the names in a bucket.
struct Page {
  std::vector<std::string> names;
  std::vector<std::string> folders;  ///< to be listed, too
  std::string next;                  ///< where the next page begins; empty: there is none
};

/// How a store is talked to: what differs between S3, AIStore and plain HTTP.
///
/// Threads  Immutable.
class Dialect {
 public:
  virtual ~Dialect() = default;

  /// Writes `call` as a request to the endpoint.
  virtual void Write(const Call& call, Request& request) const = 0;

  /// Reads the answer to Verb::kList.
  /// Errors   kDataLoss: it is no list of names.
  [[nodiscard]] virtual Result<Page> ReadPage(std::string_view body) const = 0;

  /// What an answer that is no success says is wrong, in a word: "SlowDown"; empty: it says none.
  [[nodiscard]] virtual std::string Cause(std::string_view body) const = 0;

  /// Whether there are buckets; else a bucket is a folder, which may come with its first object and
  /// may answer as it likes.
  [[nodiscard]] virtual bool has_buckets() const { return true; }

  /// Whether redirects and content are signed; else they carry `authorization`.
  [[nodiscard]] virtual bool is_signed() const { return false; }
};

/// S3: `path_style` has the bucket in the path, else it is part of the host.
std::unique_ptr<Dialect> MakeS3(const Endpoint& endpoint, std::string bucket, bool path_style);

/// AIStore's own protocol. `cksum_type` as the header has it; "none": there is no such header.
std::unique_ptr<Dialect> MakeAis(const Endpoint& endpoint, std::string bucket, std::string provider,
                                 std::string cksum_type);

/// HTTP, with WebDAV for lists.
std::unique_ptr<Dialect> MakePlain(const Endpoint& endpoint, std::string bucket);

/// The upload that the answer to kStartParts names, and the body of kFinishParts.
std::string UploadIn(std::string_view body);
std::string PartsText(const std::vector<std::string>& etags);

/// What is between <tag> and </tag> in XML, entities resolved; `at` moves behind it. nullopt: there
/// is no more of them. A prefix of the tag's name ("D:") is passed over.
std::optional<std::string> NextElement(std::string_view xml, std::string_view tag, std::size_t& at);

}  // namespace twofold::objects
