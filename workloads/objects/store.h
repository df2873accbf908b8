#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>
#include <vector>

#include "lib/common/instant.h"
#include "workloads/objects/load/load.h"
#include "workloads/objects/wire/dialect.h"
#include "workloads/objects/wire/signature.h"

namespace twofold::objects {

/// The store under load, and how it is talked to: all that a spec and the environment say of it.
/// Immutable once open; outlives whoever uses it.
struct Store {
  Endpoint endpoint;
  std::vector<boost::asio::ip::tcp::endpoint> addresses;  ///< connections take turns
  std::shared_ptr<boost::asio::ssl::context> tls;         ///< null: plain text
  std::unique_ptr<Dialect> dialect;
  Credentials credentials;
  std::string region;
  bool bucket_in_host = false;  ///< of S3: http://bucket.host/name
  std::string authorization;    ///< of AIStore: "Bearer ..."; empty: none
};

/// Reads credentials and CAs, and looks up the endpoint's name.
///
/// Keys of S3 come from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, else from
/// the profile in AWS_SHARED_CREDENTIALS_FILE, else in ~/.aws/credentials; without any, requests
/// are not signed. AIStore's token comes from `tokenfile`, AIS_AUTHN_TOKEN_FILE or AIS_AUTHN_TOKEN.
///
/// Threads  Blocks while a name is looked up.
/// Errors   kInvalidArgument "FIELD: ..."; kUnavailable: the name is not known.
Result<Store> OpenStore(const Spec& spec);

/// The value of `key` in section `section` of a file like ~/.aws/credentials; empty: not there.
std::string ProfileValue(std::string_view text, std::string_view section, std::string_view key);

}  // namespace twofold::objects
