#include "lib/security/options.h"

#include <CLI/App.hpp>

namespace twofold::security {
namespace {

void AddPath(CLI::App& app, const std::string& name, std::string& value, const std::string& help) {
  app.add_option(name, value, help)->type_name("PATH");
}

}  // namespace

void DeclareCertificate(CLI::App& app, ServerOptions& options, const std::string& prefix) {
  options.prefix = prefix;
  AddPath(app, "--" + prefix + "tls-cert", options.cert,
          "Serve with TLS: the certificate, then intermediate ones");
  AddPath(app, "--" + prefix + "tls-key", options.key, "The private key of that certificate");
}

void Declare(CLI::App& app, ServerOptions& options, const std::string& prefix) {
  DeclareCertificate(app, options, prefix);
  AddPath(app, "--" + prefix + "tls-ca", options.ca,
          "Serve only peers that show a certificate signed by one of these");
  AddPath(app, "--" + prefix + "token-file", options.token_file,
          "Who may call what: lines of ROLE NAME TOKEN");
}

void Declare(CLI::App& app, ClientOptions& options) {
  AddPath(app, "--tls-ca", options.ca,
          "Connect with TLS: trust servers with a certificate signed by one of these");
  AddPath(app, "--tls-cert", options.cert, "The certificate to show the server");
  AddPath(app, "--tls-key", options.key, "The private key of that certificate");
  app.add_option("--tls-server-name", options.server_name,
                 "The server's name in its certificate, if it is not the host of its address")
      ->type_name("NAME");
  AddPath(app, "--token-file", options.token_file,
          "A file with the token to show; else $TWOFOLD_TOKEN");
  app.add_option("--proxy", options.proxy,
                 "Connect through this HTTP proxy, by CONNECT, except to this machine and those "
                 "that $NO_PROXY lists; without it no proxy is asked, whatever $http_proxy says")
      ->type_name("URL");
}

}  // namespace twofold::security
