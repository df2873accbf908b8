#pragma once

#include <optional>
#include <string_view>

#include "lib/common/result.h"
#include "lib/suite/suite.h"
#include "suites/pytorch/spec.pb.h"

/// Training and inference with PyTorch; see README.md.
namespace twofold::suite::pytorch {

/// The spec, checked and complete: what is left out has its default, and `runner` is auto only if
/// pytorch/benchmark would do just what is asked for.
Result<v1::suites::PyTorchSpec> ReadSpec(std::string_view json);

GangPlan Plan(const v1::suites::PyTorchSpec& spec, const Gang& gang);
Result<Measurements> Parse(const Outputs& outputs);

/// Versions and devices, by what the probe has printed: {"pytorch.cuda", "NVIDIA H200"}.
Result<Labels> Offer(const StageOutput& probe);

/// What run.py of pytorch/benchmark printed, by itself or under GNU time; also logs of
/// kube-perftest.
/// Errors   as Parse.
Result<Measurements> ParseTorchbench(const StageOutput& output);

/// The first line of `out` that is an object in JSON, as our program prints it; empty: none is.
std::string_view JsonLine(std::string_view out);

/// The last line of a traceback of Python in `text`: the exception. nullopt: there is none.
std::optional<std::string_view> Exception(std::string_view text);

}  // namespace twofold::suite::pytorch
