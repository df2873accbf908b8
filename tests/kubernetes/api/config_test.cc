#include "kubernetes/api/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace twofold::kube {
namespace {

using absl::StatusCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kCert = "Y2VydA==";  // "cert"
constexpr const char* kKey = "a2V5";       // "key"

/// Files and variables of a test.
struct World {
  std::map<std::string, std::string> files;
  std::map<std::string, std::string> variables;

  [[nodiscard]] ConfigSources Sources() const {
    ConfigSources sources;
    sources.variable = [this](const std::string& name) {
      const auto found = variables.find(name);
      return found == variables.end() ? "" : found->second;
    };
    sources.read = [this](const std::string& path) -> Result<std::string> {
      const auto found = files.find(path);
      if (found == files.end()) return absl::NotFoundError(path + ": no such file");
      return found->second;
    };
    return sources;
  }
};

std::string File(const std::string& cluster, const std::string& user) {
  return "current-context: x\n"
         "contexts: [{name: x, context: {cluster: c, user: u, namespace: team}}]\n"
         "clusters: [{name: c, cluster: {" +
         cluster +
         "}}]\n"
         "users: [{name: u, user: {" +
         user + "}}]\n";
}

constexpr const char* kServer = "server: 'https://k8s:6443'";

Result<Config> Parse(const std::string& cluster, const std::string& user, const World& world = {}) {
  return ParseConfig(File(cluster, user), "/etc/kube/config", world.Sources());
}

std::string ErrorFor(const std::string& cluster, const std::string& user) {
  const auto config = Parse(cluster, user);
  return config.ok() ? "no error" : std::string(config.status().message());
}

TEST(KubeConfig, ReadsWhereAndAsWhom) {
  const auto config =
      Parse(std::string(kServer) + ", certificate-authority-data: " + kCert +
                ", tls-server-name: kubernetes, proxy-url: 'http://proxy:3128', "
                "disable-compression: true",
            std::string("client-certificate-data: ") + kCert + ", client-key-data: " + kKey);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->cluster.server, "https://k8s:6443");
  EXPECT_EQ(config->cluster.ca, "cert");
  EXPECT_EQ(config->cluster.tls_server_name, "kubernetes");
  EXPECT_EQ(config->cluster.proxy, "http://proxy:3128");
  EXPECT_TRUE(config->cluster.disable_compression);
  EXPECT_FALSE(config->cluster.insecure);
  EXPECT_EQ(config->identity.cert, "cert");
  EXPECT_EQ(config->identity.key, "key");
  EXPECT_EQ(config->space, "team");
  EXPECT_EQ(config->source, "context x of /etc/kube/config");
}

TEST(KubeConfig, FilesAreRelativeToTheConfig) {
  World world;
  world.files = {{"/etc/kube/ca.crt", "ca"}, {"/pki/me.crt", "cert"}, {"/etc/me.key", "key"}};
  const auto config = Parse(std::string(kServer) + ", certificate-authority: ca.crt",
                            "client-certificate: /pki/me.crt, client-key: ../me.key, "
                            "tokenFile: token",
                            world);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->cluster.ca, "ca");
  EXPECT_EQ(config->identity.cert, "cert");
  EXPECT_EQ(config->identity.key, "key");
  EXPECT_EQ(config->identity.token_file, "/etc/kube/token");
}

TEST(KubeConfig, ActsForOthers) {
  const auto config = Parse(kServer,
                            "username: me, password: 'p:w', as: you, as-uid: '7', "
                            "as-groups: [g1, g2], as-user-extra: {scope: [a, b]}");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->identity.username, "me");
  EXPECT_EQ(config->identity.password, "p:w");
  EXPECT_EQ(config->identity.as, "you");
  EXPECT_THAT(config->identity.as_groups, ElementsAre("g1", "g2"));
  EXPECT_THAT(config->identity.as_extra.at("scope"), ElementsAre("a", "b"));
}

TEST(KubeConfig, ReadsExecPlugins) {
  const auto config = Parse(std::string(kServer) +
                                ", extensions: [{name: client.authentication.k8s.io/exec, "
                                "extension: {audience: a}}]",
                            "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./login, "
                            "args: [a, b], env: [{name: N, value: v}], installHint: get it, "
                            "provideClusterInfo: true, interactiveMode: IfAvailable}");
  ASSERT_TRUE(config.ok()) << config.status();
  const ExecPlugin& exec = *config->identity.exec;
  EXPECT_EQ(exec.command, "/etc/kube/login");
  EXPECT_THAT(exec.args, ElementsAre("a", "b"));
  EXPECT_THAT(exec.environment, ElementsAre("N=v"));
  EXPECT_EQ(exec.install_hint, "get it");
  EXPECT_TRUE(exec.wants_cluster);
  EXPECT_EQ(config->cluster.exec_config, R"({"audience":"a"})");
}

TEST(KubeConfig, ErrorsNamePlaceFieldAndRemedy) {
  const std::string server = kServer;
  EXPECT_THAT(ErrorFor("", ""), HasSubstr("/etc/kube/config:3:"));
  EXPECT_THAT(ErrorFor("", ""), HasSubstr("server: is missing"));
  EXPECT_THAT(ErrorFor("server: k8s", ""), HasSubstr("bad URL 'k8s'"));
  EXPECT_THAT(ErrorFor(server + ", certificate-authority-data: '*'", ""),
              HasSubstr("certificate-authority-data: is not base64"));
  EXPECT_THAT(ErrorFor(server + ", certificate-authority: gone", ""), HasSubstr("no such file"));
  EXPECT_THAT(ErrorFor(server + ", insecure-skip-tls-verify: 'yes'", ""),
              HasSubstr("takes true or false"));
  EXPECT_THAT(
      ErrorFor(server + ", insecure-skip-tls-verify: true, certificate-authority-data: eA==", ""),
      HasSubstr("remove one of the two"));
  EXPECT_THAT(ErrorFor(server + ", proxy-url: 'socks5://p:1'", ""),
              HasSubstr("'socks5' is a kind of proxy that is not supported"));
  EXPECT_THAT(ErrorFor(server, "token: 123"), HasSubstr("token: takes text; quote it"));
  EXPECT_THAT(ErrorFor(server, "client-key-data: a2V5"),
              HasSubstr("client-certificate: is missing"));
  EXPECT_THAT(ErrorFor(server, "as-groups: [g]"), HasSubstr("as: is missing"));
  EXPECT_THAT(ErrorFor(server, "auth-provider: {name: gcp}"), HasSubstr("'gcp'"));
  EXPECT_THAT(ErrorFor(server, "auth-provider: {name: gcp}"),
              HasSubstr("use the cloud's exec plugin"));
  EXPECT_THAT(ErrorFor(server,
                       "exec: {command: x, apiVersion: "
                       "client.authentication.k8s.io/v1alpha1}"),
              HasSubstr("v1 or v1beta1: update the plugin"));
  EXPECT_THAT(ErrorFor(server,
                       "exec: {command: x, interactiveMode: Always, apiVersion: "
                       "client.authentication.k8s.io/v1}"),
              HasSubstr("nobody is asked here"));
  EXPECT_THAT(ErrorFor(server, "exec: text"), HasSubstr("exec: takes a map"));
}

TEST(KubeConfig, WhatIsNoKubeconfigIsRefused) {
  const ConfigSources sources = World().Sources();
  for (const char* text : {"[", "text", "a: 1\na: 2", "\xff"}) {
    EXPECT_EQ(ParseConfig(text, "f", sources).status().code(), StatusCode::kInvalidArgument)
        << text;
  }
  EXPECT_THAT(std::string(ParseConfig("a: 1", "f", sources).status().message()),
              HasSubstr("there is no current-context: name one with --context"));
  const std::string bomb =
      "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
      "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\n"
      "e: &e [*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e]\n";
  EXPECT_THAT(std::string(ParseConfig(bomb, "f", sources).status().message()),
              HasSubstr("aliases written out"));
}

TEST(KubeConfig, OfSeveralFilesTheFirstEntryCounts) {
  World world;
  world.variables = {{"KUBECONFIG", "/one::/none:/two"}, {"HOME", "/home/u"}};
  world.files = {{"/one",
                  "users: [{name: u, user: {token: one}}]\n"
                  "contexts: [{name: y, context: {cluster: c, user: u}}]"},
                 {"/two", File(kServer, "token: two")},
                 {"/home/u/.kube/config", File(kServer, "token: home")}};
  const auto config = FindConfig(world.Sources());
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->identity.token, "one");
  EXPECT_EQ(config->space, "team");
  ConfigSources other = world.Sources();
  other.context = "y";
  EXPECT_EQ(FindConfig(other)->space, "default");
  other.context = "z";
  EXPECT_THAT(std::string(FindConfig(other).status().message()),
              HasSubstr("contexts has no entry with the name 'z'"));
  other.context.clear();
  other.kubeconfig = "/home/u/.kube/config";
  EXPECT_EQ(FindConfig(other)->identity.token, "home");
  other.kubeconfig = "/none";
  EXPECT_EQ(FindConfig(other).status().code(), StatusCode::kNotFound);
}

TEST(KubeConfig, APodHasItsServiceAccount) {
  const std::string folder = "/var/run/secrets/kubernetes.io/serviceaccount/";
  World world;
  world.variables = {{"KUBERNETES_SERVICE_HOST", "fd00::1"}, {"KUBERNETES_SERVICE_PORT", "443"}};
  world.files = {{folder + "ca.crt", "ca"}, {folder + "namespace", "validation\n"}};
  const auto config = FindConfig(world.Sources());
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->cluster.server, "https://[fd00::1]:443");
  EXPECT_EQ(config->cluster.ca, "ca");
  EXPECT_EQ(config->identity.token_file, folder + "token");
  EXPECT_EQ(config->space, "validation");
  world.variables["KUBERNETES_SERVICE_PORT"] = "x";
  EXPECT_FALSE(FindConfig(world.Sources()).ok());
}

TEST(KubeConfig, WithoutAnyTheRemedyIsTold) {
  World world;
  world.variables = {{"HOME", "/home/u"}};
  EXPECT_EQ(
      std::string(FindConfig(world.Sources()).status().message()),
      "no cluster is configured: /home/u/.kube/config does not exist or is empty; use --kubeconfig "
      "FILE or set KUBECONFIG");
}

TEST(KubeConfig, CredentialsAreNotSentInClear) {
  const char* remedy = "server: would get the user's credentials in clear text: use https";
  for (const char* user : {"token: t", "tokenFile: f", "username: u, password: p",
                           "exec: {command: x, apiVersion: client.authentication.k8s.io/v1}"}) {
    EXPECT_THAT(ErrorFor("server: 'http://k8s:6443'", user), HasSubstr(remedy)) << user;
    EXPECT_THAT(ErrorFor("server: 'http://localhost:1', proxy-url: 'http://proxy'", user),
                HasSubstr(remedy));
    for (const char* own : {"http://127.0.0.1:1", "http://localhost", "http://[::1]:1"}) {
      EXPECT_EQ(ErrorFor("server: '" + std::string(own) + "'", user), "no error");
    }
  }
  EXPECT_EQ(ErrorFor("server: 'http://k8s:6443'", ""), "no error");
}

TEST(KubeConfig, NoErrorTellsPasswordsOfUrls) {
  for (const char* cluster : {"server: 'https://u:secret@k8s'", "server: 'u:secret@k8s'",
                              "server: 'https://k8s', proxy-url: 'http://u:secret%zz@p'"}) {
    const std::string error = ErrorFor(cluster, "");
    EXPECT_NE(error, "no error") << cluster;
    EXPECT_EQ(error.find("secret"), std::string::npos) << error;
  }
}

TEST(KubeConfig, AWrongProxyIsBlamedOnWhereItStands) {
  EXPECT_THAT(ErrorFor("server: 'https://k8s', proxy-url: 'socks5://p'", ""),
              HasSubstr("proxy-url: 'socks5' is a kind of proxy"));
  World world;
  world.variables = {{"HTTPS_PROXY", "socks5://p"}};
  const std::string error(Parse(kServer, "", world).status().message());
  EXPECT_THAT(error, ::testing::StartsWith("HTTPS_PROXY: 'socks5' is a kind of proxy"));
}

TEST(KubeConfig, TheEnvironmentNamesAProxy) {
  World world;
  world.variables = {{"https_proxy", "proxy:3128"}, {"NO_PROXY", "other"}};
  EXPECT_EQ(Parse(kServer, "", world)->cluster.proxy, "http://proxy:3128");
  world.variables["NO_PROXY"] = "other, K8S";
  EXPECT_EQ(Parse(kServer, "", world)->cluster.proxy, "");
}

}  // namespace
}  // namespace twofold::kube
