#include "lib/trace/record.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <google/protobuf/io/coded_stream.h>

#include <bit>
#include <cstring>

namespace twofold::queue::trace {
namespace {

using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;

constexpr std::size_t kMostVersionDigits = 9;
constexpr std::size_t kWord = sizeof(std::uint64_t);

// Odd, with bits all over: pi and e after the point.
constexpr std::uint64_t kSpread = 0x243f'6a88'85a3'08d3;
constexpr std::uint64_t kFold = 0xb7e1'5162'8aed'2a6b;

static_assert(std::endian::native == std::endian::little, "Word reads 8 bytes as they lie");

std::uint64_t Word(const char* bytes, std::size_t size) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, size);
  return word;
}

std::uint64_t Round(std::uint64_t digest, std::uint64_t word) {
  return std::rotl(digest ^ (word * kSpread), 27) * kFold;
}

std::uint32_t Check(std::string_view body) { return static_cast<std::uint32_t>(Digest(body)); }

}  // namespace

std::uint64_t Digest(std::string_view bytes) {
  // The size goes in, as the last word is filled up with zeros.
  std::uint64_t digest = Round(0, bytes.size());
  for (; bytes.size() >= kWord; bytes.remove_prefix(kWord)) {
    digest = Round(digest, Word(bytes.data(), kWord));
  }
  if (!bytes.empty()) digest = Round(digest, Word(bytes.data(), bytes.size()));
  digest = (digest ^ (digest >> 29)) * kSpread;
  return digest ^ (digest >> 32);
}

std::string Header() { return absl::StrCat(std::string(kMagic), kVersion, "\n"); }

void AppendRecord(std::string& file, std::string_view body) {
  std::uint8_t frame[8];
  CodedOutputStream::WriteLittleEndian32ToArray(static_cast<std::uint32_t>(body.size()), frame);
  CodedOutputStream::WriteLittleEndian32ToArray(Check(body), frame + 4);
  file.append(std::begin(frame), std::end(frame)).append(body);
}

Status RecordReader::ReadHeader() {
  CodedInputStream in(&in_);
  std::string text;
  if (!in.ReadString(&text, kMagic.size()) || text != kMagic) {
    return absl::InvalidArgumentError("this is no trace: it does not begin with 'twofold trace '");
  }
  std::string digits;
  while (digits.size() <= kMostVersionDigits && in.ReadString(&text, 1) && text != "\n") {
    digits += text;
  }
  std::uint64_t version = 0;
  if (!absl::SimpleAtoi(digits, &version)) {
    return absl::InvalidArgumentError("this is no trace: it has no version");
  }
  if (version == kVersion) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the trace has version ", version,
                                                 ", this program reads version ", kVersion,
                                                 ": replay it with the program that wrote it"));
}

Result<RecordReader::Got> RecordReader::Next() {
  offset_ = in_.ByteCount();
  std::uint32_t size = 0;
  std::uint32_t check = 0;
  bool whole = false;
  {
    CodedInputStream in(&in_);
    whole = in.ReadLittleEndian32(&size) && in.ReadLittleEndian32(&check);
    if (whole && (size == 0 || size > kLargestRecord)) {
      return Damaged(absl::StrCat("a record of ", size, " bytes"));
    }
    // In pieces as they come, so a wrong size takes no more memory than there are bytes.
    whole = whole && in.ReadString(&body_, static_cast<int>(size));
  }
  if (!whole) return in_.ByteCount() == offset_ ? Got::kEndOfFile : Got::kCut;
  if (check != Check(body_)) return Damaged("the record does not match its check");
  return Got::kRecord;
}

Status RecordReader::Damaged(std::string_view how) const {
  return absl::InvalidArgumentError(
      absl::StrCat("damaged at byte ", offset_, ": ", std::string(how)));
}

}  // namespace twofold::queue::trace
