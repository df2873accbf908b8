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
  std::vector<std::string> names{};
  std::vector<std::string> folders{};  ///< to be listed, too
  // Where the next page begins, by one of the two; both empty: there is none.
  std::string token{};
  std::string marker{};  ///< the last name of this page, of a store that knows no tokens
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
  /// Errors   kDataLoss: it is no list of names, or one that is cut without a word of how it goes
  ///          on.
  [[nodiscard]] virtual Result<Page> ReadPage(std::string_view body) const = 0;

  /// What an answer that is no success says is wrong, in a word: "SlowDown"; empty: it says none.
  [[nodiscard]] virtual std::string Cause(std::string_view body) const = 0;

  /// What the content of an answer that calls itself a success says is wrong, in a few words;
  /// empty: nothing. S3 begins some answers before it knows how they end.
  [[nodiscard]] virtual std::string Fault(Verb verb, std::string_view body) const = 0;

  /// The region that an answer which is no success names; empty: none.
  [[nodiscard]] virtual std::string Region(std::string_view /*body*/) const { return ""; }

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

}  // namespace twofold::objects
