#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace twofold::budgets {

/// Workers without a job, each with a connection of its own, made again as worker programs do it.
/// All are in this process, on one thread beside gRPC's.
class IdleWorkers {
 public:
  /// `contacts`: where they look for their queue first.
  IdleWorkers(int workers, const std::string& contacts);
  ~IdleWorkers();

 private:
  class Worker;

  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::thread thread_;
};

}  // namespace twofold::budgets
