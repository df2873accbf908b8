#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/common/instant.h"
#include "lib/common/result.h"

/// What gRPC writes into headers and trailers. Pure.
namespace twofold::h2 {

/// A call's metadata, in order; names in lower case. Values of names that end in "-bin" are bytes
/// here and base64 on the wire only.
using Metadata = std::vector<std::pair<std::string, std::string>>;

/// The first value of `name`; null: there is none.
const std::string* Find(const Metadata& metadata, std::string_view name);

/// The trailer with a status' details, the bytes of a google.rpc.Status.
inline constexpr const char* kStatusDetails = "grpc-status-details-bin";

/// Whether `name` belongs to the protocol, so that services neither see nor set it.
bool IsReserved(std::string_view name);

/// Whether values of `name` are bytes.
bool IsBinary(std::string_view name);

/// Base64 without padding, as gRPC sends it.
std::string ToBase64(std::string_view bytes);

/// Takes base64 with and without padding. nullopt: it is no base64.
std::optional<std::string> FromBase64(std::string_view text);

/// A status message as a header's value: printable ASCII, the rest as %XX.
std::string PercentEncode(std::string_view text);

/// Leaves a % as it is where no two hexadecimal digits follow.
std::string PercentDecode(std::string_view text);

/// The value of `grpc-timeout`: up to eight digits and a unit, "1500m". Rounds up.
std::string ToTimeout(Duration timeout);

/// nullopt: it is none. What is longer than 292 years is 292 years.
std::optional<Duration> FromTimeout(std::string_view text);

/// The status in trailers: `grpc-status` as text, `grpc-message` as it came (null: none).
/// Unknown numbers are kUnknown.
Status FromTrailers(std::string_view code, const std::string* message);

/// How a call ended whose answer was no gRPC, with HTTP's status (gRPC's
/// http-grpc-status-mapping.md).
Status FromHttpStatus(std::string_view status);

/// How a call ended that the peer reset with a code of HTTP/2 (gRPC's PROTOCOL-HTTP2.md).
Status FromReset(std::uint32_t code);

}  // namespace twofold::h2
