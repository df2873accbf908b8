#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frontend/queues/directory.h"
#include "lib/cluster/effects.h"
#include "lib/cluster/inputs.h"
#include "lib/cluster/view.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/postgres/connection.h"
#include "lib/postgres/target.h"

namespace twofold::frontend {

/// What a look at the tables shows: what decides, and where the members are reached.
struct Look {
  cluster::View view;
  std::map<std::string, Peer> peers;                       ///< by name
  std::map<cluster::PartitionNumber, std::string> queues;  ///< by number
};

/// The tables `frontend` and `partition`, as one frontend reads and writes them: what the effects
/// of cluster::Ownership ask of the database, each as one transaction. See lib/cluster/effects.h.
///
/// Threads  Not safe. Blocks, for `patience` at most, and as long again to connect.
/// Errors   Look: those of postgres::Connection. Writes never fail: what is not known to be done or
///          refused is in doubt. The connection is made anew when it has broken.
class OwnershipTables {
 public:
  /// `me` and `incarnation`: the row that this frontend writes. The database has the tables
  /// (results::PostgresStore::Open makes them).
  OwnershipTables(postgres::Target target, Peer me, cluster::Incarnation incarnation,
                  Duration patience);

  /// Sees to it that there is a partition for each of these queues. A queue that has had jobs keeps
  /// the number that is in their ids. Several frontends may do this at the same time.
  /// Errors   also kResourceExhausted: no number is left.
  Status AddQueues(const std::vector<std::string>& queues);

  Result<Look> Read();

  cluster::Verdict Write(const cluster::effect::Beat& beat);
  cluster::input::Claimed Write(const cluster::effect::Claim& claim);
  cluster::Verdict Write(const cluster::effect::Release& release);
  cluster::Verdict Write(const cluster::effect::Mark& mark);

 private:
  Status Connect();
  Status AddQueue(const std::string& queue);
  Result<postgres::Rows> Run(const std::string& sql, std::vector<postgres::Parameter> parameters);
  cluster::Verdict Change(const std::string& sql, std::vector<postgres::Parameter> parameters);
  cluster::Verdict VerdictOf(const Result<postgres::Rows>& rows) const;

  const postgres::Target target_;
  const Peer me_;
  const cluster::Incarnation incarnation_;
  const Duration patience_;
  std::unique_ptr<postgres::Connection> connection_;  // nullptr: not connected
};

}  // namespace twofold::frontend
