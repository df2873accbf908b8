#pragma once

#include <memory>
#include <string>

#include "tests/support/googletest.h"
#include "tests/support/program.h"

namespace twofold::testing {

/// A name server on loopback that this thread and what it starts ask, and nobody else: network and
/// /etc/resolv.conf are of namespaces that go with them, however the test ends.
class NameServer {
 public:
  /// Makes the namespaces, where all addresses of 127.0.0.0/8 are this machine. Once a process,
  /// before it has threads. Empty: done; else why not.
  static std::string Isolate();

  NameServer();
  ~NameServer();
  NameServer(const NameServer&) = delete;
  NameServer& operator=(const NameServer&) = delete;

  /// From now on `name` has this address, and others have none.
  void Answer(const std::string& name, const std::string& address);

  /// Nobody listens at the port: lookups fail at once.
  void Refuse();

  /// Somebody listens, and never answers: lookups hang.
  void Ignore();

 private:
  TempDir folder_;
  std::unique_ptr<Program> server_;
  int silent_ = -1;  // the socket of one who ignores
};

}  // namespace twofold::testing
