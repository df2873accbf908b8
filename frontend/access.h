#pragma once

#include <string_view>

#include "lib/http/message.h"
#include "lib/security/tokens.h"

/// Who may do what: the one table of it. docs/security.md shows it to users.
namespace twofold::frontend {

/// Whether the table has a row for a gRPC method, named by its path "/twofold.v1.Clients/Submit".
bool HasAccessRule(std::string_view method);

/// What has no row is for admins only: what was forgotten is not open.
security::Roles RolesOfMethod(std::string_view method);

/// Of the frontend's HTTP. Health is open, and so are the files of the live page, which asks for a
/// token itself.
security::Roles RolesOfPage(const http::Request& request);

}  // namespace twofold::frontend
