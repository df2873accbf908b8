#include "workloads/objects/load/names.h"

#include <array>
#include <bit>
#include <cstdio>

#include "lib/suite/text.h"
#include "workloads/objects/load/random.h"

namespace twofold::objects {
namespace {

constexpr std::size_t kLetters = 32;
constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

void AppendHex(std::uint64_t number, const char* format, std::string& out) {
  std::array<char, 24> text;
  // NOLINTNEXTLINE(clang-diagnostic-format-nonliteral): one of two below
  const int length =
      std::snprintf(text.data(), text.size(), format, static_cast<unsigned long long>(number));
  out.append(text.data(), static_cast<std::size_t>(length));
}

// Ten letters of one random number: 52^10 is less than 2^64.
void AppendLetters(std::uint64_t seed, std::uint64_t number, std::string& out) {
  constexpr std::size_t kEach = 10;
  std::uint64_t random = 0;
  for (std::size_t i = 0; i < kLetters; ++i) {
    if (i % kEach == 0) random = Random(seed, Stream::kName, number * 4 + i / kEach);
    out.push_back(kAlphabet[random % kAlphabet.size()]);
    random /= kAlphabet.size();
  }
}

constexpr int UpToHexDigits(int bits) { return (bits + 3) / 4 * 4; }

}  // namespace

Names::Names(const Spec& spec)
    : prefix_(spec.subdir()),
      folders_(spec.num_subdirs() > 0 ? spec.num_subdirs() : spec.putshards()),
      seed_(spec.seed()),
      random_(spec.randomname() && spec.loadernum() == 0 && spec.loaderidhashlen() == 0),
      loaders_(suite::object_storage::Loaders(spec)) {
  if (!prefix_.empty() && !prefix_.ends_with('/')) prefix_ += '/';
  if (spec.loaderidhashlen() > 0) {
    loaders_ = 1;
    hashed_loader_ = LoaderNumber(spec);
    loader_bits_ = UpToHexDigits(static_cast<int>(spec.loaderidhashlen()));
  } else if (loaders_ > 1) {
    loader_bits_ = UpToHexDigits(static_cast<int>(std::bit_width(loaders_ - 1)));
  }
}

void Names::AppendBase(std::uint64_t number, std::string& out) const {
  if (random_) return AppendLetters(seed_, number, out);
  const std::uint64_t loader = hashed_loader_ + number % loaders_;
  AppendHex((number / loaders_) << loader_bits_ | loader, "%llx", out);
}

void Names::Append(std::uint64_t number, std::string& out) const {
  out += prefix_;
  if (folders_ > 0) {
    AppendHex(number % folders_, "%05llx", out);
    out += '/';
  }
  AppendBase(number, out);
}

Result<std::vector<std::string>> NamesIn(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<std::string> names;
  for (const std::string_view line : suite::Lines(text)) {
    if (!suite::Strip(line).empty()) names.emplace_back(line);
  }
  if (names.empty()) return absl::InvalidArgumentError("filelist: there is no name in it");
  return names;
}

}  // namespace twofold::objects
