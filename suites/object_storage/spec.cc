#include "lib/suite/spec.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>

#include "lib/common/distribution.h"
#include "lib/suite/text.h"
#include "suites/object_storage/object_storage.h"

namespace twofold::suite::object_storage {
namespace {

using Spec = v1::suites::ObjectStorageSpec;

// "64K" -> 64 and "K"
std::pair<std::uint64_t, std::string_view> Split(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return {number, text.substr(static_cast<std::size_t>(end - text.data()))};
}

Status CheckRefused(std::string_view json) {
  const auto object = nlohmann::json::parse(json, nullptr, false);
  for (const Refusal& refusal : Refusals()) {
    if (object.is_object() && object.contains(std::string(refusal.name))) {
      return Wrong(refusal.name, absl::StrCat("not taken: ", std::string(refusal.why)));
    }
  }
  return absl::OkStatus();
}

/// How URIs of buckets begin, and whose bucket that is by AIStore's names.
struct Scheme {
  std::string_view name;
  std::string_view provider;
};
constexpr std::array<Scheme, 9> kSchemes = {{{"ais", "ais"},
                                             {"s3", "aws"},
                                             {"aws", "aws"},
                                             {"gs", "gcp"},
                                             {"gcp", "gcp"},
                                             {"az", "azure"},
                                             {"azure", "azure"},
                                             {"oc", "oci"},
                                             {"oci", "oci"}}};

// Cuts the scheme off; to AIStore it says the provider, too.
Status TakeScheme(Spec& spec) {
  const std::string& uri = spec.bucket();
  const std::size_t end = uri.find("://");
  if (end == std::string::npos) return absl::OkStatus();
  const auto* const scheme = std::find_if(
      kSchemes.begin(), kSchemes.end(),
      [&](const Scheme& each) { return each.name == std::string_view(uri).substr(0, end); });
  if (scheme == kSchemes.end()) {
    return Wrong("bucket", absl::StrCat("'", Quoted(uri),
                                        "' is no name, nor a URI such as ais://name or s3://name; "
                                        "the server stands in endpoint"));
  }
  if (spec.protocol() == "ais") {
    if (spec.has_provider() && spec.provider() != scheme->provider) {
      return Wrong("provider", absl::StrCat(spec.provider(), " is not that of ", Quoted(uri)));
    }
    spec.set_provider(std::string(scheme->provider));
  }
  spec.set_bucket(uri.substr(end + 3));
  return absl::OkStatus();
}

// "s3://name/" is the bucket `name`. A folder belongs into subdir, unless a bucket is a folder.
Status CompleteBucket(Spec& spec) {
  const std::string uri = spec.bucket();
  if (Status status = TakeScheme(spec); !status.ok()) return status;
  std::string name = spec.bucket();
  while (name.ends_with('/')) name.pop_back();
  spec.set_bucket(name);
  if (name.empty()) return Wrong("bucket", absl::StrCat("'", Quoted(uri), "' names none"));
  if (spec.protocol() == "http") return absl::OkStatus();
  if (const std::size_t slash = name.find('/'); slash != std::string::npos) {
    return Wrong("bucket", absl::StrCat("'", Quoted(uri), "' has a folder in it: write bucket ",
                                        Quoted(name.substr(0, slash)), " and subdir ",
                                        Quoted(name.substr(slash + 1))));
  }
  constexpr std::string_view kOfBuckets =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  if (name.find_first_not_of(kOfBuckets) == std::string::npos) return absl::OkStatus();
  return Wrong("bucket", absl::StrCat("'", Quoted(name),
                                      "' has more than letters, digits, '.', '_' and '-'"));
}

// aisloader's way: one of two that is given alone bends the other.
Status CompleteSizes(Spec& spec) {
  if (spec.has_minsize() && !spec.has_maxsize()) spec.set_maxsize(spec.minsize());
  if (spec.has_maxsize() && !spec.has_minsize()) spec.set_minsize(spec.maxsize());
  const auto least = ParseSize("minsize", spec.minsize());
  const auto most = ParseSize("maxsize", spec.maxsize());
  if (!least.ok()) return least.status();
  if (!most.ok()) return most.status();
  if (*least > *most) {
    return Wrong("minsize", absl::StrCat(spec.minsize(), " is more than maxsize ", spec.maxsize()));
  }
  return absl::OkStatus();
}

Status CheckOtherSizes(const Spec& spec) {
  for (const auto& [field, text] :
       {std::pair("totalputsize", &spec.totalputsize()), std::pair("readoff", &spec.readoff()),
        std::pair("readlen", &spec.readlen())}) {
    if (const auto size = ParseSize(field, *text); !size.ok()) return size.status();
  }
  return absl::OkStatus();
}

Status CheckMix(const Spec& spec) {
  const std::uint32_t sum = spec.pctput() + spec.pcthead() + spec.pctdelete() + spec.pctlist();
  if (sum > 100)
    return Wrong("pctput", absl::StrCat("with pcthead, pctdelete and pctlist it is ", sum, " %"));
  if (spec.pctdelete() > spec.pctput()) {
    return Wrong("pctdelete", "is more than pctput, and only what the run has put is deleted");
  }
  if (spec.pctupdate() > 0 && sum == 100) return Wrong("pctupdate", "there are no GETs to follow");
  if (spec.pctmultipart() > 0 && spec.multipart_chunks() == 0) {
    return Wrong("pctmultipart", "needs multipart-chunks: in how many parts");
  }
  if (spec.pctmultipart() > 0 && spec.protocol() != "s3") {
    return Wrong("pctmultipart", "needs protocol s3");
  }
  return absl::OkStatus();
}

bool Reads(const Spec& spec) { return spec.pctput() + spec.pctdelete() + spec.pctlist() < 100; }

Status CheckReads(const Spec& spec) {
  if (spec.epochs() > 0 && !Reads(spec)) return Wrong("epochs", "there are no reads");
  if (spec.epochs() > 0 && !spec.uniquegets()) {
    return Wrong("epochs", "needs uniquegets: at random, no object is sure to be read");
  }
  if (!spec.filelist().empty() && spec.objects() > 0) {
    return Wrong("filelist", "says the names to read, and so does objects");
  }
  if (spec.verifyhash() && (ParseSize("", spec.readlen()).value_or(0) > 0 ||
                            ParseSize("", spec.readoff()).value_or(0) > 0)) {
    return Wrong("verifyhash", "checksums are those of whole objects, not of readoff and readlen");
  }
  if (spec.validate() && !spec.filelist().empty()) {
    return Wrong("validate", "knows only content that a run of this seed has put: not a filelist");
  }
  return absl::OkStatus();
}

Status CheckLoader(const Spec& spec) {
  if (spec.loaderidhashlen() > 0) {
    return spec.nodecount() == 1 ? absl::OkStatus()
                                 : Wrong("loaderidhashlen", "loaders of nodecount have numbers");
  }
  const auto [number, rest] = Split(spec.loaderid());
  if (!rest.empty() || spec.loaderid().empty()) {
    return Wrong("loaderid", "is a number, unless loaderidhashlen is given");
  }
  if (number < Loaders(spec)) return absl::OkStatus();
  return Wrong("loaderid",
               absl::StrCat(number, " is not less than the number of loaders, ", Loaders(spec)));
}

Status CheckLimits(Spec& spec) {
  const bool limited =
      spec.epochs() > 0 || spec.maxputs() > 0 || ParseSize("", spec.totalputsize()).value_or(0) > 0;
  if (limited && !spec.has_duration()) spec.set_duration("87600h");
  if (spec.autoterm() && TimeOf(spec.autotermtime()) < std::chrono::seconds(3)) {
    return Wrong("autotermtime", "is less than 3s, which are too few to compare");
  }
  return absl::OkStatus();
}

}  // namespace

Result<std::uint64_t> ParseSize(std::string_view field, std::string_view text) {
  const auto [number, unit] = Split(text);
  constexpr std::string_view kPowers = "KMGT";
  const std::size_t power = unit.empty() || unit == "B" ? 0 : kPowers.find(unit[0]) + 1;
  const std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  if (number > most >> (10 * power)) {
    return Wrong(field, absl::StrCat(std::string(text), " is more than 2^63 - 1 bytes"));
  }
  return number << (10 * power);
}

Duration TimeOf(std::string_view text) { return ParseTime(text).value_or(Duration::zero()); }

std::uint32_t Loaders(const Spec& spec) {
  return spec.loadernum() > 0 ? spec.loadernum() : spec.nodecount();
}

Status Complete(Spec& spec) {
  if (spec.protocol().empty()) spec.set_protocol(spec.s3endpoint().empty() ? "ais" : "s3");
  for (Status (*check)(Spec&) :
       {+[](Spec& s) { return CompleteBucket(s); }, +[](Spec& s) { return CompleteSizes(s); },
        +[](Spec& s) { return CheckOtherSizes(s); }, +[](Spec& s) { return CheckMix(s); },
        +[](Spec& s) { return CheckReads(s); }, +[](Spec& s) { return CheckLoader(s); },
        +[](Spec& s) { return CheckLimits(s); }}) {
    if (Status status = check(spec); !status.ok()) return status;
  }
  return absl::OkStatus();
}

Result<Spec> ReadSpec(std::string_view json) {
  if (Status status = CheckRefused(json); !status.ok()) return status;
  return ReadByRules<Spec>(json, &Complete);
}

}  // namespace twofold::suite::object_storage
