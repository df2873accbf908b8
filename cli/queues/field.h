#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>
#include <type_traits>

#include "lib/common/instant.h"
#include "lib/common/options.h"

/// Options that set a field of a request as they are read. The request must outlive the parsing.
///
///   AddField(app, "--queue", *request, &v1::ListJobsRequest::set_queue, "Only of this queue");
namespace twofold::cli {

template <typename Request>
CLI::Option* AddField(CLI::App& app, const std::string& name, Request& request,
                      void (Request::*set)(const std::string&), const std::string& help) {
  return app.add_option_function<std::string>(
      name, [&request, set](const std::string& text) { (request.*set)(text); }, help);
}

/// A number; what is true or false is a flag.
template <typename Request, typename Value>
CLI::Option* AddField(CLI::App& app, const std::string& name, Request& request,
                      void (Request::*set)(Value), const std::string& help) {
  const auto take = [&request, set](Value value) { (request.*set)(value); };
  if constexpr (std::is_same_v<Value, bool>) {
    return app.add_flag_function(
        name, [take](std::int64_t) { take(true); }, help);
  } else {
    return app.add_option_function<Value>(name, take, help);
  }
}

/// Seconds, for a field of nanoseconds.
template <typename Request>
CLI::Option* AddSeconds(CLI::App& app, const std::string& name, Request& request,
                        void (Request::*set)(std::uint64_t), double most, const std::string& help) {
  const auto take = [&request, set](double seconds) {
    (request.*set)(static_cast<std::uint64_t>(FromSeconds(seconds).count()));
  };
  return app.add_option_function<double>(name, take, help)->transform(Seconds(0, most));
}

}  // namespace twofold::cli
