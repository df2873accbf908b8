#include "lib/trace/trace_reader.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <algorithm>

#include "lib/trace/codec.h"
#include "lib/trace/digest.h"
#include "lib/trace/record.h"

namespace twofold::queue::trace {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;
constexpr std::size_t kMostVersionDigits = 9;

}  // namespace

Status TraceReader::ReadHeader() {
  std::string magic;
  if (!Read(magic, kMagic.size()) || magic != kMagic) {
    return absl::InvalidArgumentError("this is no trace: it does not begin with 'twofold trace '");
  }
  std::string digits;
  for (int c; (c = in_.get()) != '\n' && c != std::istream::traits_type::eof();) {
    digits.push_back(static_cast<char>(c));
    if (digits.size() > kMostVersionDigits) break;
  }
  next_ += digits.size() + 1;
  std::uint64_t version = 0;
  if (!absl::SimpleAtoi(digits, &version)) {
    return absl::InvalidArgumentError("this is no trace: it has no version");
  }
  if (version != kVersion) {
    return absl::InvalidArgumentError(absl::StrCat("the trace has version ", version,
                                                   ", this program reads version ", kVersion,
                                                   ": replay it with the program that wrote it"));
  }
  return absl::OkStatus();
}

Result<TraceReader::Got> TraceReader::Next() {
  offset_ = next_;
  std::uint64_t size = 0;
  const Result<Got> got = ReadSize(size);
  if (!got.ok() || *got != Got::kRecord) return got;
  if (size == 0 || size > kLargestRecord) {
    return Damaged(absl::StrCat("a record of ", size, " bytes"));
  }
  if (!Read(body_, static_cast<std::size_t>(size)) || !Read(check_, kCheckBytes)) return Got::kCut;
  std::string expected;
  Encoder(expected).Fixed(Digest(body_), kCheckBytes);
  if (check_ != expected) return Damaged("the record does not match its check");
  return Got::kRecord;
}

Result<TraceReader::Got> TraceReader::ReadSize(std::uint64_t& size) {
  std::string bytes;
  do {
    const int byte = in_.get();
    if (byte == std::istream::traits_type::eof()) {
      return bytes.empty() ? Got::kEndOfFile : Got::kCut;
    }
    bytes.push_back(static_cast<char>(byte));
    ++next_;
  } while ((bytes.back() & 0x80) != 0 && bytes.size() < 10);
  Decoder from(bytes);
  size = from.Number();
  if (!from.ok()) return Damaged("a size that is no number");
  return Got::kRecord;
}

// By pieces, so that a wrong size takes no more memory than there are bytes.
bool TraceReader::Read(std::string& to, std::size_t size) {
  to.clear();
  while (to.size() < size) {
    const std::size_t had = to.size();
    to.resize(had + std::min(kPiece, size - had));
    in_.read(to.data() + had, static_cast<std::streamsize>(to.size() - had));
    const auto got = static_cast<std::size_t>(in_.gcount());
    next_ += got;
    to.resize(had + got);
    if (!in_) break;
  }
  return to.size() == size;
}

Status TraceReader::Damaged(const std::string& how) const {
  return absl::InvalidArgumentError(absl::StrCat("damaged at byte ", offset_, ": ", how));
}

}  // namespace twofold::queue::trace
