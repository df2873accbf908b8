#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "frontend/cluster/balancer.h"
#include "frontend/cluster/membership.h"
#include "frontend/options.h"
#include "frontend/queues/queue_set.h"
#include "frontend/queues/storage.h"
#include "frontend/queues/ticker.h"
#include "frontend/scalers/cost_writer.h"
#include "frontend/scalers/metrics_api.h"
#include "frontend/scalers/observer.h"
#include "frontend/scalers/port.h"
#include "frontend/services/claims.h"
#include "frontend/services/reader_pool.h"
#include "frontend/services/services.h"
#include "lib/common/address.h"
#include "lib/common/result.h"
#include "lib/http/server.h"
#include "lib/rpc/listen.h"
#include "lib/security/gate.h"
#include "lib/security/server.h"

namespace twofold::frontend {

/// A whole frontend: queues, the gRPC servers, HTTP, and their time.
///
/// Serves from Start to destruction. When it ends, streams are broken off: clients and workers
/// connect again to the next one, and volatile jobs that still run are run again. One of several
/// hands its queues over before.
class Frontend {
 public:
  /// kUnavailable: an address cannot be used, and why. kInvalidArgument: a queue named twice, or
  /// durable without being there, or what is wrong with a file of certificates or tokens. Those of
  /// the store.
  static Result<std::unique_ptr<Frontend>> Start(const Options& options);

  /// What Start would refuse whatever store, addresses and other frontends say: names, shards, what
  /// does not go together, files of certificates, tokens and the store's address.
  static Status Check(const Options& options);

  ~Frontend();

  /// Hands out no more jobs, or hands its queues over, and waits until those have ended that run
  /// and would be run again: at most for `grace`, or until `Hurry` is called. Their results reach
  /// their clients. Durable jobs are not waited for: their workers keep the results.
  void Finish(Duration grace);
  /// From any thread, also before Finish.
  void Hurry() { hurries_ = true; }

  /// host:port as it is in use, also when port 0 was asked for.
  std::string client_address() const { return ToString(client_server_->address()); }
  std::string worker_address() const { return ToString(worker_server_->address()); }
  std::string http_address() const { return ToString({http_host_, http_server_->port()}); }
  /// Empty: autoscalers are not served.
  std::string scaler_address() const { return scalers_ ? ToString(scalers_->address()) : ""; }
  std::string metrics_api_address() const { return metrics_api_ ? metrics_api_->address() : ""; }

 private:
  /// What is opened before anything is served.
  struct Parts {
    std::vector<QueuePlan> plans;
    std::unique_ptr<queue::trace::TraceWriter> trace;
    std::unique_ptr<Storage> storage;
    security::Client peers;  ///< how other frontends are called
  };
  static Status Open(const Options& options, Parts& parts);

  Frontend(const Options& options, security::Server security, Parts parts);
  Status Restore();
  [[nodiscard]] rpc::Door DoorOf(const Options& options,
                                 std::shared_ptr<security::Gate> gate) const;
  Status Serve(const Options& options);
  void Join(const Options& options);
  void Leave();
  Status ServeScalers(const Options& options);
  Status ServeMetricsApi(const Options& options);
  Status WriteCosts(const Options& options);
  [[nodiscard]] std::vector<prometheus::MetricFamily> FurtherMetrics() const;
  bool RunsVolatile();
  Status ServeHttp(const Options& options);
  /// Why nobody can connect at this moment; empty: they can.
  [[nodiscard]] std::string Stalled() const;
  void SettleAttempts();

  const security::Server security_;

  std::shared_ptr<security::Gate> client_gate_;
  std::shared_ptr<security::Gate> worker_gate_;
  std::shared_ptr<security::Gate> http_gate_;
  std::shared_ptr<security::Gate> scaler_gate_;
  OpenCalls client_calls_;
  OpenCalls worker_calls_;
  const rpc::Loops loops_;  ///< of all gRPC that is served; the first one also of what is called
  Alarm alarm_;
  Alarm changes_;                                           ///< for autoscalers
  const std::unique_ptr<queue::trace::TraceWriter> trace_;  ///< nullptr: nothing is recorded
  QueueSet queues_;
  std::unique_ptr<Storage> storage_;      ///< nullptr: durable jobs are refused
  std::unique_ptr<Directory> directory_;  ///< nullptr: it serves all queues, as there are no others
  std::unique_ptr<Peers> peers_;          ///< nullptr: as directory_
  std::atomic<Membership*> joined_ = nullptr;  ///< membership_, once it is there
  ReaderPool readers_;
  ClientsService clients_;
  AdminService admin_;
  FrontendsService frontends_;
  ResultsService results_;
  WorkersService workers_;
  std::unique_ptr<rpc::Server> client_server_;
  std::unique_ptr<rpc::Server> worker_server_;
  std::unique_ptr<scalers::Observer> observer_;       ///< nullptr: autoscalers are not served
  std::unique_ptr<scalers::Port> scalers_;            ///< nullptr: not by gRPC
  std::unique_ptr<scalers::MetricsApi> metrics_api_;  ///< nullptr: not by the API server
  std::unique_ptr<scalers::CostWriter> costs_;        ///< nullptr: pods get no deletion cost
  std::unique_ptr<Ticker> ticker_;
  std::unique_ptr<http::Server> http_server_;
  std::string http_host_;
  std::unique_ptr<Membership> membership_;  ///< nullptr: as directory_
  std::unique_ptr<Balancer> balancer_;      ///< nullptr: no queue has several shards
  std::atomic<bool> hurries_ = false;
  bool has_left_ = false;
};

}  // namespace twofold::frontend
