#pragma once

#include <functional>
#include <string>

#include "lib/common/address.h"

/// When a program that was told of an HTTP proxy goes without it.
namespace twofold {

/// The value of an environment variable; empty: it is not set.
using Variables = std::function<std::string(const std::string& name)>;

/// The variable `name`, which is in upper case; if it is empty, the one in lower case.
std::string InEitherCase(const Variables& variable, const std::string& name);

/// Whether a host, by name or address, is this machine: nobody else hears what is said to it.
bool IsThisMachine(const std::string& host);

/// Whether `server` is reached directly: it is this machine, or `no_proxy` has it, the value of
/// NO_PROXY, which lists names with all below them, addresses, networks (10.0.0.0/8), or `*`.
///
/// Source   golang.org/x/net/http/httpproxy, which kubectl uses.
bool GoesDirect(const HostPort& server, const std::string& no_proxy);

}  // namespace twofold
