#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

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

/// Where runs begin in a log (Suite::runs): at the report of a rank that has reported already, or
/// at the first line of run.py. Reports of other ranks are of the same gang.
std::vector<std::size_t> Runs(std::string_view text);

/// Versions and devices, by what the probe has printed: {"pytorch.cuda", "NVIDIA H200"}.
Result<Labels> Offer(const StageOutput& probe);

/// What run.py of pytorch/benchmark printed, by itself or under GNU time; also logs of
/// kube-perftest.
/// `spec`: what was asked for; null: not known.
/// Errors   as Parse.
Result<Measurements> ParseTorchbench(const StageOutput& output,
                                     const v1::suites::PyTorchSpec* spec);

/// "Running eval method from alexnet on cpu in eager mode with input batch size 2 ...", as run.py
/// begins.
bool IsRunning(std::string_view line);

/// The first line of `out` that is an object in JSON, as our program prints it; empty: none is.
std::string_view JsonLine(std::string_view out);

/// The last line of a traceback of Python in `text`: the exception. nullopt: there is none.
std::optional<std::string_view> Exception(std::string_view text);

}  // namespace twofold::suite::pytorch
