#pragma once

namespace twofold::benchmarks {

/// The whole of twofold-operator, from its command line to its exit code.
int Main(int argc, char** argv);

}  // namespace twofold::benchmarks
