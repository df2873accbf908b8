#include <absl/strings/str_split.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "suites/media/media.h"

namespace twofold::suite::media {
namespace {

constexpr std::string_view kGenerated = "lavfi:";
constexpr std::string_view kRenderNode = "/dev/dri/renderD";
constexpr std::string_view kDigits = "0123456789";

constexpr std::string_view kSources[] = {"testsrc",    "testsrc2",    "rgbtestsrc",   "yuvtestsrc",
                                         "mptestsrc",  "smptebars",   "smptehdbars",  "pal75bars",
                                         "pal100bars", "allrgb",      "allyuv",       "color",
                                         "gradients",  "mandelbrot",  "sierpinski",   "nullsrc",
                                         "colorchart", "haldclutsrc", "colorspectrum"};

constexpr std::string_view kOptions[] = {
    "size",  "s",     "rate",     "r",     "duration", "d",          "sar",
    "alpha", "n",     "decimals", "test",  "color",    "c",          "type",
    "seed",  "speed", "maxiter",  "level", "depth",    "max_frames", "m"};

template <typename Words>
bool IsOneOf(std::string_view word, const Words& words) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// "size=1280x720", "rate=30000/1001", "color=red@0.5".
bool IsListedOption(std::string_view option) {
  constexpr std::string_view kOfValues =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-/#@_";
  const std::size_t equals = option.find('=');
  return equals != std::string_view::npos && IsOneOf(option.substr(0, equals), kOptions) &&
         option.find_first_not_of(kOfValues, equals + 1) == std::string_view::npos;
}

}  // namespace

bool IsGenerated(const v1::suites::MediaInput& input) {
  return input.path().starts_with(kGenerated);
}

std::string_view GraphOf(const v1::suites::MediaInput& input) {
  return std::string_view(input.path()).substr(kGenerated.size());
}

bool IsListedGraph(std::string_view graph) {
  const std::size_t equals = graph.find('=');
  if (!IsOneOf(graph.substr(0, equals), kSources)) return false;
  if (equals == std::string_view::npos) return true;
  const std::vector<std::string> options =
      absl::StrSplit(std::string(graph.substr(equals + 1)), ':');
  return std::all_of(options.begin(), options.end(), IsListedOption);
}

bool IsRenderNode(std::string_view device) {
  if (!device.starts_with(kRenderNode)) return false;
  device.remove_prefix(kRenderNode.size());
  return !device.empty() && device.find_first_not_of(kDigits) == std::string_view::npos;
}

}  // namespace twofold::suite::media
