#pragma once

#include <CLI/App.hpp>
#include <string>

/// Where a frontend is: HOST:PORT, or several frontends that share their queues, as IPv4 addresses
/// with commas between them: "10.0.0.1:9997,10.0.0.2:9997". Whoever connects takes the first that
/// lets it. Names with several addresses need no list: they are tried like one.
namespace twofold {

/// One address, or a list of 16 at most.
CLI::Validator Contacts();

/// The first one. REQUIRES: Contacts() accepts them.
std::string FirstContact(const std::string& contacts);

}  // namespace twofold
