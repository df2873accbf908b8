#include <absl/strings/str_cat.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/json_util.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "lib/suite/json.h"
#include "lib/suite/spec.h"
#include "suites/pytorch/pytorch.h"
#include "twofold/v1/spec/rules.pb.h"

namespace twofold::suite::pytorch {
namespace {

using google::protobuf::FieldDescriptor;
using Spec = v1::suites::PyTorchSpec;

// The fields that pytorch/benchmark has options for, and the choice between the two.
constexpr std::string_view kOfBoth[] = {"model", "device", "benchmarkType", "inputBatchSize",
                                        "runner"};

// The first field that only our own runner knows; empty: none is given.
std::string OurField(const Spec& spec) {
  const auto& message = *Spec::descriptor();
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    const bool of_both =
        std::find(std::begin(kOfBoth), std::end(kOfBoth), field.json_name()) != std::end(kOfBoth);
    if (!of_both && spec.GetReflection()->HasField(spec, &field)) return field.json_name();
  }
  return {};
}

// What pytorch/benchmark cannot do; OK: it can.
Status CheckTorchbench(const Spec& spec) {
  const std::string field = OurField(spec);
  if (!field.empty()) return Wrong(field, "pytorch/benchmark has no such option: runner: twofold");
  if (spec.model() == "llama" && spec.benchmark_type() == "train") {
    return Wrong("model", "pytorch/benchmark does not train llama: runner: twofold");
  }
  return absl::OkStatus();
}

Status CheckModel(const Spec& spec) {
  constexpr char kOfNames[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  constexpr std::size_t kLongest = 100;
  const std::string& model = spec.model();
  const bool name = !model.empty() && model.size() <= kLongest && model[0] != '_' &&
                    model.find_first_not_of(kOfNames) == std::string::npos;
  if (name) return absl::OkStatus();
  return Wrong("model", "a name has letters, digits and _, 100 at most");
}

Status CheckShape(const Spec& spec) {
  if (spec.model() == "llama" && spec.width() % (2 * spec.heads()) != 0) {
    return Wrong("width",
                 absl::StrCat(spec.width(), " is no multiple of 2 x heads, ", 2 * spec.heads()));
  }
  if (spec.dtype() != "float16") return absl::OkStatus();
  if (spec.device() == "cpu") return Wrong("dtype", "float16 is for devices; on a CPU: bfloat16");
  if (spec.benchmark_type() == "train") {
    return Wrong("dtype", "float16 is for eval, as losses overflow in it; train: bfloat16");
  }
  return absl::OkStatus();
}

std::uint32_t Most(const char* field) {
  const auto& rule = Spec::descriptor()->FindFieldByName(field)->options().GetExtension(v1::rule);
  return static_cast<std::uint32_t>(rule.most());
}

Status Complete(Spec& spec) {
  Status status = CheckModel(spec);
  if (status.ok()) status = CheckShape(spec);
  if (!status.ok() || spec.runner() == "twofold") return status;
  status = CheckTorchbench(spec);
  if (spec.runner() == "torchbench") return status;
  if (!status.ok()) spec.set_runner("twofold");
  return absl::OkStatus();
}

// All fields with their values: so the program knows no default.
std::string WholeJson(Spec spec) {
  if (spec.seconds() > 0 && !spec.has_batches()) spec.set_batches(Most("batches"));
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  std::string json;
  (void)google::protobuf::util::MessageToJsonString(spec, &json, options);
  return json;
}

// A port that another gang on the same host is unlikely to have; the next attempt has another one.
std::uint32_t PortOf(const Spec& spec, const std::string& gang) {
  if (spec.port() != 0) return spec.port();
  std::uint32_t hash = 2166136261;  // FNV-1a: all members have to come to the same
  for (const char c : gang) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
  return 20000 + hash % 10000;
}

std::string Place(const Spec& spec, const Gang& gang, std::size_t rank) {
  return Json{{"rank", rank},
              {"own", gang.members[rank].address},
              {"first", gang.members[0].address},
              {"port", PortOf(spec, gang.name)}}
      .dump();
}

}  // namespace

Result<Spec> ReadSpec(std::string_view json) { return ReadByRules<Spec>(json, Complete); }

GangPlan Plan(const Spec& spec, const Gang& gang) {
  GangPlan plan;
  plan.ending = Ending::kEveryRank;
  const std::string json = WholeJson(spec);
  for (std::size_t rank = 0; rank < gang.members.size(); ++rank) {
    Stage stage{.name = "pytorch", .argv = {"twofold-pytorch", json}};
    if (gang.members.size() > 1) stage.argv.push_back(Place(spec, gang, rank));
    plan.ranks.push_back({.stages = {std::move(stage)}});
  }
  return plan;
}

}  // namespace twofold::suite::pytorch
