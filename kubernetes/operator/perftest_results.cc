#include "kubernetes/operator/perftest_results.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>
#include <arpa/inet.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

#include "cli/jobs/job_commands.h"
#include "kubernetes/operator/log_tail.h"
#include "kubernetes/operator/measured_job.h"
#include "kubernetes/operator/perftest_crds.h"
#include "kubernetes/operator/perftest_places.h"
#include "lib/common/printable.h"
#include "lib/suite/text.h"

namespace twofold::benchmarks {
namespace {

using kube::Json;

constexpr std::size_t kMostText = 1024;       // bytes of a name or a command
constexpr std::size_t kMostOutput = 8 << 20;  // bytes that one look takes of memory for a log
constexpr double kMostWhole = 9e15;           // a double tells it from the next one

/// Puts it where the path says; '*' in it is `name`.
void Put(std::string_view path, const std::string& name, Json value, Json& status) {
  Json* at = &status;
  for (const std::string_view part : suite::SplitAt('/', path)) {
    at = &(*at)[part == "*" ? name : std::string(part)];
  }
  *at = std::move(value);
}

/// Without digits that a factor has made up.
Json NumberOf(double value, Type type) {
  if (type == Type::kInteger) {
    return static_cast<std::int64_t>(std::llround(std::clamp(value, -kMostWhole, kMostWhole)));
  }
  double tidy = value;
  (void)absl::SimpleAtod(absl::StrFormat("%.12g", value), &tidy);
  return tidy;
}

const std::string* Find(const v1::Measurement& one, std::string_view dimension) {
  for (const v1::Dimension& each : one.dimensions()) {
    if (each.name() == dimension) return &each.value();
  }
  return nullptr;
}

bool HasAll(const v1::Measurement& one, std::string_view dimensions) {
  const auto wanted = suite::Words(dimensions);
  return std::all_of(wanted.begin(), wanted.end(), [&](std::string_view each) {
    const std::size_t equals = each.find('=');
    const std::string* value = Find(one, each.substr(0, equals));
    return value != nullptr && *value == each.substr(equals + 1);
  });
}

void AddEachStream(const NumberPlace& place, const v1::BenchmarkResult& result, Json& status) {
  int streams = 0;
  for (const v1::Measurement& one : result.measurements()) {
    const std::string* stream = Find(one, "stream");
    if (one.name() != place.name || one.unit() != place.unit || stream == nullptr) continue;
    if (++streams > kMostEntries) return;
    Put(place.path, *stream, NumberOf(one.value() * place.factor, place.type), status);
  }
}

void AddNumber(const NumberPlace& place, const v1::BenchmarkResult& result, Json& status) {
  if (place.path.find('*') != std::string_view::npos) return AddEachStream(place, result, status);
  double value = 0;
  int found = 0;
  for (const v1::Measurement& one : result.measurements()) {
    if (one.name() != place.name || one.unit() != place.unit) continue;
    if (!HasAll(one, place.dimensions)) continue;
    value += one.value();
    ++found;
  }
  if (found == 0 || (found > 1 && !place.is_sum)) return;
  Put(place.path, "", NumberOf(value * place.factor, place.type), status);
}

/// -1: there is none.
int ColumnIn(const v1::Series& table, std::string_view name, std::string_view unit) {
  for (int i = 0; i < table.columns_size(); ++i) {
    const v1::Column& column = table.columns(i);
    if (column.name() == name && (unit.empty() || column.unit() == unit)) return i;
  }
  return -1;
}

void AddTable(std::string_view kind, const v1::Series& table, Json& status) {
  const int columns = table.columns_size();
  if (columns == 0) return;
  Json rows = Json::array();
  for (const ColumnPlace& place : kColumns) {
    const int column = place.kind == kind ? ColumnIn(table, place.column, place.unit) : -1;
    if (column < 0) continue;
    for (int row = 0; row < std::min(table.values_size() / columns, kMostRows); ++row) {
      const double value = table.values(row * columns + column) * place.factor;
      rows[static_cast<std::size_t>(row)][std::string(place.field)] = NumberOf(value, place.type);
    }
  }
  if (!rows.empty()) status["results"] = std::move(rows);
  for (const UnitPlace& place : kUnits) {
    const int column = place.kind == kind ? ColumnIn(table, place.column, "") : -1;
    if (column >= 0) Put(place.path, "", table.columns(column).unit(), status);
  }
}

/// The kind is one of kube-perftest's that have a job.
const StagePlace* StageOf(std::string_view kind) {
  const auto* found = std::find_if(std::begin(kStages), std::end(kStages),
                                   [&](const StagePlace& each) { return each.kind == kind; });
  return found == std::end(kStages) ? nullptr : found;
}

void AddLog(const StagePlace& place, const MeasuredJob& job, const v1::StageRecord& stage,
            Json& status) {
  const bool is_silent = stage.out().bytes() == 0;
  const v1::Artifact& output = is_silent ? stage.err() : stage.out();
  const auto text = cli::Decompress(output.zstd(), kMostOutput);
  if (place.log.empty() || output.bytes() == 0 || !text.ok()) return;
  const std::string command = absl::StrCat("twofold job output ", job.id, " --stage ", stage.name(),
                                           is_silent ? " --name stderr" : "");
  Put(place.log, "", LogTail(*text, output.bytes(), command), status);
}

/// GNU time's words for what a worker knows of its program.
void AddProcess(const v1::StageRecord& stage, Json& status) {
  Json& time = status["result"]["gnuTime"];
  time["command"] = Printable(absl::StrJoin(stage.argv(), " "), kMostText);
  time["wallTimeSecs"] = NumberOf(static_cast<double>(stage.wall_ns()) / 1e9, Type::kNumber);
}

/// As many as it asks for.
void AddGpus(const Json& object, Json& status) {
  const Json* limits = kube::At(object, "/spec/resources/limits");
  if (limits == nullptr || !limits->is_object() || !limits->contains("nvidia.com/gpu")) return;
  const Json& gpus = (*limits)["nvidia.com/gpu"];
  std::int64_t count = 0;
  const std::string text = gpus.is_string() ? gpus.get<std::string>() : gpus.dump();
  if (absl::SimpleAtoi(text, &count)) status["gpuCount"] = count;
}

bool IsIp(const std::string& address) {
  in6_addr any{};
  return inet_pton(AF_INET, address.c_str(), &any) == 1 ||
         inet_pton(AF_INET6, address.c_str(), &any) == 1;
}

/// Its address is that of its node where it has the network of that.
Json PodOf(const v1::RankRecord& rank, bool is_host_network) {
  Json pod = Json::object();
  if (!rank.node().empty()) pod["nodeName"] = Printable(rank.node(), kMostText);
  if (!IsIp(rank.address())) return pod;
  pod["podIp"] = rank.address();
  if (is_host_network) pod["nodeIp"] = rank.address();
  return pod;
}

void AddPods(const Json& object, std::string_view kind, const v1::BenchmarkResult& result,
             Json& status) {
  const Json* network = kube::At(object, "/spec/hostNetwork");
  const bool is_host_network = network != nullptr && *network == true;
  const int ranks = std::min(result.ranks_size(), kMostEntries);
  for (const PodPlace& place : kPods) {
    if (place.kind != kind) continue;
    for (int i = 0; i < ranks; ++i) {
      const v1::RankRecord& rank = result.ranks(i);
      if (place.rank != kEachRank && place.rank != i) continue;
      if (place.rank == kEachRank && rank.pod().empty()) continue;
      const std::string name = Printable(rank.pod(), kMostText);
      if (Json pod = PodOf(rank, is_host_network); !pod.empty()) {
        Put(place.path, name, std::move(pod), status);
      }
    }
  }
}

void AddJob(const Json& object, const StagePlace& place, const MeasuredJob& job, Json& status) {
  for (const NumberPlace& each : kNumbers) {
    if (each.kind == place.kind) AddNumber(each, job.result, status);
  }
  if (job.result.series_size() > 0) AddTable(place.kind, job.result.series(0), status);
  AddPods(object, place.kind, job.result, status);
  if (job.result.ranks_size() == 0) return;
  for (const v1::StageRecord& stage : job.result.ranks(0).stages()) {
    if (stage.name() != place.stage) continue;
    AddLog(place, job, stage, status);
    if (place.kind == "PyTorch") AddProcess(stage, status);
  }
}

const Headline* Find(const Results& results, const HeadlinePlace& place) {
  for (const Headline& each : results.headlines) {
    const std::string dimensions = absl::StrCat(" ", each.dimensions, " ");
    const std::string wanted = absl::StrCat(" ", std::string(place.dimension), " ");
    const bool fits = place.dimension.empty() || dimensions.find(wanted) != std::string::npos;
    if (each.name == place.headline && fits) return &each;
  }
  return nullptr;
}

void AddHeadlines(std::string_view kind, const Results& results, Json& status) {
  for (const HeadlinePlace& place : kHeadlines) {
    const Headline* headline = place.kind == kind ? Find(results, place) : nullptr;
    if (headline == nullptr) continue;
    Json value = headline->mean;
    if (std::string_view(place.type) != "number") {
      value = absl::StrFormat("%.4g %s", headline->mean, headline->unit);
    }
    Put(place.path, "", std::move(value), status);
  }
}

const char* NameOf(Type type) { return type == Type::kInteger ? "integer" : "number"; }

}  // namespace

bool TellsOfItsJob(const Json& object) {
  return kube::TextAt(object, "/apiVersion").starts_with(absl::StrCat(kPerftestGroup, "/")) &&
         StageOf(kube::TextAt(object, "/kind")) != nullptr;
}

Json PerftestResults(const Json& object, const Results& results) {
  const std::string kind = kube::TextAt(object, "/kind");
  Json status = Json::object();
  AddHeadlines(kind, results, status);
  const StagePlace* place = StageOf(kind);
  if (results.job && place != nullptr) AddJob(object, *place, *results.job, status);
  if (kind == "PyTorch") AddGpus(object, status);
  return status;
}

std::vector<FilledField> PerftestFilledFields() {
  std::vector<FilledField> fields;
  const auto add = [&](std::string_view kind, std::string path, const char* type) {
    fields.push_back({std::string(kind), std::move(path), type});
  };
  for (const auto& each : kHeadlines) add(each.kind, std::string(each.path), each.type);
  for (const auto& each : kNumbers) add(each.kind, std::string(each.path), NameOf(each.type));
  for (const auto& each : kColumns) {
    add(each.kind, "results[]/" + std::string(each.field), NameOf(each.type));
  }
  for (const auto& each : kUnits) add(each.kind, std::string(each.path), "string");
  for (const auto& each : kStages) {
    if (!each.log.empty()) add(each.kind, std::string(each.log), "string");
  }
  for (const auto& each : kPods) {
    for (const char* field : {"podIp", "nodeName", "nodeIp"}) {
      add(each.kind, absl::StrCat(std::string(each.path), "/", field), "string");
    }
  }
  add("PyTorch", "gpuCount", "integer");
  add("PyTorch", "result/gnuTime/command", "string");
  add("PyTorch", "result/gnuTime/wallTimeSecs", "number");
  return fields;
}

}  // namespace twofold::benchmarks
