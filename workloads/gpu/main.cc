#include <absl/strings/str_cat.h>
#include <google/protobuf/util/json_util.h>

#include <CLI/App.hpp>
#include <iostream>
#include <new>
#include <string>

#include "lib/common/options.h"
#include "lib/common/program.h"
#include "lib/suite/flags.h"
#include "suites/gpu/gpu.h"
#include "workloads/gpu/inventory.h"
#include "workloads/gpu/nvml.h"
#include "workloads/gpu/run.h"

namespace twofold::gpu {
namespace {

using v1::suites::GpuReport;
using v1::suites::GpuSpec;

constexpr char kProgram[] = "twofold-gpu";
constexpr int kExitFailed = 1;
constexpr int kExitNoDevice = 3;

constexpr char kAbout[] =
    "Work for a GPU, checked, and timed by the device's own events. Prints JSON.";
constexpr char kFooter[] = R"(
Examples:
  twofold-gpu --list
  twofold-gpu --work memory --pattern triad --size 1G --seconds 5
  twofold-gpu '{"work": "compute", "precision": "fp16", "gflop": 100, "iterations": 200}'
  twofold-gpu --work mixed --iterations 1000 --device GPU-4d9f2f3c-0d0a-3a7c-9d0e-1f2a3b4c5d6e

Exit codes: 0 done; 1 failed: a wrong result, out of memory, device lost; 2 bad usage; 3 no device.
)";

int Complain(const Status& status) {
  std::cerr << kProgram << ": " << std::string(status.message()) << std::endl;
  if (status.code() == absl::StatusCode::kInvalidArgument) return kExitUsage;
  return status.code() == absl::StatusCode::kNotFound ? kExitNoDevice : kExitFailed;
}

void Print(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = false;
  std::string json;
  static_cast<void>(google::protobuf::util::MessageToJsonString(message, &json, options));
  std::cout << json << std::flush;
}

int List(const std::string& api) {
  const v1::suites::GpuList list = Inventory(api, "").ListWithSlices();
  Print(list);
  return list.devices().empty() ? kExitNoDevice : 0;
}

Result<GpuReport> Run(const GpuSpec& spec) {
  Inventory inventory(spec.api(), spec.device());
  const auto index = Pick(inventory.list(), spec.device());
  if (!index.ok()) return index.status();
  const auto waiting = spec.work() == "launch" ? Waiting::kBusy : Waiting::kAsleep;
  const auto device = inventory.Open(*index, waiting);
  if (!device.ok()) return device.status();
  const auto monitor = HealthMonitor::Start((*device)->info().uuid());
  Result<GpuReport> report = RunSpec(spec, **device, &Now, [&](bool on) { monitor->Watch(on); });
  if (!report.ok()) return report;
  report->set_tool(absl::StrCat(kProgram, " ", std::string(GetBuildInfo().version)));
  report->mutable_device()->set_index(*index);
  *report->mutable_health() = monitor->Stop();
  return report;
}

int Main(int argc, char** argv) {
  CLI::App app(kAbout, kProgram);
  app.footer(kFooter);
  bool list = false;
  app.add_flag("--list", list, "prints the devices and ends");
  const suite::SpecFlags flags(app, *GpuSpec::descriptor());
  if (const auto code = ParseCommandLine(app, argc, argv)) return *code;
  const Result<std::string> json = flags.Json();
  if (!json.ok()) return Complain(json.status());
  const Result<GpuSpec> spec = suite::gpu::ReadSpec(*json);
  if (!spec.ok()) return Complain(spec.status());
  if (list) return List(spec->api());
  const Result<GpuReport> report = Run(*spec);
  if (!report.ok()) return Complain(report.status());
  Print(*report);
  return 0;
}

}  // namespace
}  // namespace twofold::gpu

int main(int argc, char** argv) {
  try {
    return twofold::gpu::Main(argc, argv);
  } catch (const std::bad_alloc&) {
    std::cerr << "twofold-gpu: out of memory of the host\n";
    return 1;
  }
}
