#pragma once

namespace twofold::client {

/// The whole of twofold-client, from its command line to its exit code. In the library and not in
/// main.cc, as its headers, compiled for one file alone, would cost ten seconds.
int Main(int argc, char** argv);

}  // namespace twofold::client
