#include "suites/object_storage/object_storage.h"

namespace twofold::suite::object_storage {
namespace {

constexpr std::string_view kGateways =
    "requests go to one endpoint; a Service or a load balancer spreads them over gateways";
constexpr std::string_view kArchives =
    "archives are not made; sizes and names of any distribution are";
constexpr std::string_view kBatches = "objects are read one a request, so that each has a latency";
constexpr std::string_view kStreams =
    "one request reads one range: take readoff, readlen and numworkers";
constexpr std::string_view kListing =
    "a listing has the names of the bucket as they are, nothing of where they are kept";
constexpr std::string_view kStatsD = "numbers are in the report, with histograms; nothing is sent";
constexpr std::string_view kTransform = "objects are read as they are, without transformation";

// All of aisloader's options that a spec does not have, those of its past versions too.
constexpr Refusal kRefusals[] = {
    {"randomproxy", kGateways},
    {"bprops", "a bucket's properties belong to its owner: set them before the run"},
    {"tmpdir", "content is made while it is sent, in no file"},
    {"arch.pct", kArchives},
    {"arch.format", kArchives},
    {"arch.num-files", kArchives},
    {"arch.minsize", kArchives},
    {"arch.maxsize", kArchives},
    {"arch.prefix", kArchives},
    {"arch.list", kArchives},
    {"get-batchsize", kBatches},
    {"batchsize", kBatches},
    {"cont-on-err", kBatches},
    {"latest", "whether AIStore looks at the remote copy is its bucket's setting"},
    {"cached", kListing},
    {"list-dirs", kListing},
    {"nbi", kListing},
    {"evict-batchsize", "cleanup deletes object by object, as any S3 server can"},
    {"pctmpdstream", kStreams},
    {"mpdstream-workers", kStreams},
    {"mpdstream-chunk-size", kStreams},
    {"etl", kTransform},
    {"etl-spec", kTransform},
    {"getloaderid", "the report has the loader's number"},
    {"stats-output", "the report goes to stdout, progress to stderr"},
    {"statsdip", kStatsD},
    {"statsdport", kStatsD},
    {"statsdprobe", kStatsD},
    {"check-statsd", kStatsD},
    {"dry-run", "`twofold-objects --check` reads a spec and does nothing else"},
    {"use-https", "write https:// into endpoint"},
    {"getconfig", "objects are read, not the gateway's configuration"},
    {"usage", "write --help"},
};

}  // namespace

std::span<const Refusal> Refusals() { return kRefusals; }

}  // namespace twofold::suite::object_storage
