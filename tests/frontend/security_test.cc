#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frontend/access.h"
#include "frontend/frontend.h"
#include "lib/common/address.h"
#include "lib/h2/limits.h"
#include "lib/http/client.h"
#include "tests/fakes/caller.h"
#include "tests/support/certificates.h"
#include "tests/support/http2_peer.h"
#include "tests/support/program.h"
#include "twofold/v1/frontends.pb.h"
#include "twofold/v1/queue.pb.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::frontend {
namespace {

using absl::IsPermissionDenied;
using absl::IsUnauthenticated;
using absl::IsUnavailable;
using security::Role;
using testing::Authority;
using ::testing::HasSubstr;
using testing::KeyPair;
using testing::WriteFile;

constexpr const char* kTokens =
    "client load client-client-client\n"
    "worker pool worker-worker-worker\n"
    "admin root admin-admin-admin-admin\n"
    "read-only eye read-only-read-only\n";
const std::map<Role, std::string> kTokenOf = {{Role::kClient, "client-client-client"},
                                              {Role::kWorker, "worker-worker-worker"},
                                              {Role::kAdmin, "admin-admin-admin-admin"},
                                              {Role::kReadOnly, "read-only-read-only"}};

class SecurityTest : public ::testing::Test {
 protected:
  void Install(const KeyPair& pair) {
    // The key first: a certificate without its key is not taken, whichever comes first.
    WriteFile(folder_ / "tls.key", pair.key);
    WriteFile(folder_ / "tls.crt", pair.cert);
  }

  void Serve(bool tls, bool certificates, bool tokens, std::uint32_t peer_calls = 0) {
    Options options;
    options.queues = {"sleep"};
    options.client_address = options.worker_address = options.http_address = "127.0.0.1:0";
    options.peer_calls = peer_calls;
    if (tls) {
      Install(authority_.Issue("first"));
      options.security.cert = folder_ / "tls.crt";
      options.security.key = folder_ / "tls.key";
    }
    WriteFile(folder_ / "ca.crt", authority_.cert());
    if (certificates) options.security.ca = folder_ / "ca.crt";
    WriteFile(folder_ / "tokens", kTokens);
    if (tokens) options.security.token_file = folder_ / "tokens";
    auto started = Frontend::Start(options);
    ASSERT_TRUE(started.ok()) << started.status();
    frontend_ = *std::move(started);
  }

  /// Trusts `authority`, if there is one, and shows `pair` and `token`, if there are some.
  security::Client Peer(const Authority* authority, const std::string& token = "",
                        const KeyPair* pair = nullptr) {
    security::ClientOptions options;
    const std::string base = folder_ / ("peer" + std::to_string(++peers_));
    const auto file = [&](const char* suffix, const std::string& text) {
      WriteFile(base + suffix, text);
      return base + suffix;
    };
    if (authority != nullptr) options.ca = file(".ca", authority->cert());
    if (pair != nullptr) {
      options.cert = file(".crt", pair->cert);
      options.key = file(".key", pair->key);
    }
    if (!token.empty()) options.token_file = file(".token", token);
    auto peer = security::Client::Open(options);
    EXPECT_TRUE(peer.ok()) << peer.status();
    return *peer;
  }

  /// ListQueues on a connection of its own.
  Status Look(const security::Client& peer) {
    return testing::Caller(frontend_->client_address(), peer)
        .Call<v1::ListQueuesReply>("Admin/ListQueues", v1::ListQueuesRequest())
        .status();
  }

  /// The name in the certificate that callers are shown.
  std::string ShownName() {
    const testing::Http2Peer::Tls nothing;
    return testing::Http2Peer(ParseAddress(frontend_->client_address())->port, &nothing)
        .ServerName();
  }

  Status Submit(const security::Client& peer) {
    v1::SubmitJobRequest request;
    request.mutable_options()->set_queue("sleep");
    return testing::Caller(frontend_->client_address(), peer)
        .Call<v1::Job>("Clients/SubmitJob", request)
        .status();
  }

  double Denied(const std::string& door, const std::string& reason, const security::Client& peer,
                const std::string& scheme = "http") {
    const auto page = http::Get(scheme + "://" + frontend_->http_address() + "/metrics",
                                std::chrono::seconds(10), peer);
    EXPECT_TRUE(page.ok()) << page.status();
    return testing::SeriesIn(page.ok() ? page->body : "", "twofold_denied_total{door=\"" + door +
                                                              "\",reason=\"" + reason + "\"}")
        .value_or(-1);
  }

  testing::TempDir folder_;
  const Authority authority_;
  std::unique_ptr<Frontend> frontend_;
  int peers_ = 0;
};

/// A worker's stream, message by message.
class Worker {
 public:
  Worker(const std::string& address, const security::Client& peer)
      : call_(testing::Caller(address, peer)
                  .Open<v1::WorkerMessage, v1::FrontendMessage>("Workers/Work")) {}

  bool Join(std::uint64_t key) {
    v1::WorkerMessage message;
    message.mutable_hello()->set_queue("sleep");
    message.mutable_hello()->set_process_key(key);
    message.mutable_hello()->set_slots(1);
    call_->Say(message);
    const auto welcome = call_->Next();
    return welcome && welcome->has_welcome();
  }

  /// One job through the stream.
  bool Works() {
    const auto assigned = call_->Next();
    if (!assigned || assigned->assigns().jobs_size() != 1) return false;
    v1::WorkerMessage message;
    message.mutable_results()->add_jobs(assigned->assigns().jobs(0));
    message.mutable_results()->add_attempts(1);
    call_->Say(message);
    return true;
  }

  Status Leave() {
    call_->HalfClose();
    return call_->End();
  }

 private:
  const std::unique_ptr<testing::OpenCall<v1::WorkerMessage, v1::FrontendMessage>> call_;
};

// ---- TLS

TEST_F(SecurityTest, TlsServesThoseWhoTrustIt) {
  Serve(true, false, false);
  const Authority stranger("Stranger");
  EXPECT_TRUE(Look(Peer(&authority_)).ok());
  EXPECT_TRUE(IsUnavailable(Look(Peer(&stranger))));
  EXPECT_TRUE(IsUnavailable(Look(Peer(nullptr))));
}

TEST_F(SecurityTest, MutualTlsRefusesPeersWithoutOurCertificate) {
  Serve(true, true, false);
  const Authority stranger("Stranger");
  const KeyPair ours = authority_.Issue("client", false);
  const KeyPair theirs = stranger.Issue("client", false);
  EXPECT_TRUE(Look(Peer(&authority_, "", &ours)).ok());
  EXPECT_TRUE(IsUnavailable(Look(Peer(&authority_))));
  EXPECT_TRUE(IsUnavailable(Look(Peer(&authority_, "", &theirs))));
}

TEST_F(SecurityTest, NewCertificateServesNewConnectionsAndDropsNoStream) {
  Serve(true, false, false);
  const security::Client peer = Peer(&authority_);
  Worker worker(frontend_->worker_address(), peer);
  ASSERT_TRUE(worker.Join(1));
  ASSERT_TRUE(Look(peer).ok());
  EXPECT_EQ(ShownName(), "first");

  Install(authority_.Issue("second"));
  ASSERT_TRUE(Look(peer).ok());
  EXPECT_EQ(ShownName(), "second");

  const Authority next("Next CA");
  Install(next.Issue("third"));
  EXPECT_TRUE(IsUnavailable(Look(peer)));
  ASSERT_TRUE(Look(Peer(&next)).ok());
  EXPECT_EQ(ShownName(), "third");

  WriteFile(folder_ / "tls.crt", "broken");
  ASSERT_TRUE(Look(Peer(&next)).ok());
  EXPECT_EQ(ShownName(), "third");

  ASSERT_TRUE(Submit(Peer(&next)).ok());
  EXPECT_TRUE(worker.Works());
  EXPECT_TRUE(worker.Leave().ok());
}

// ---- tokens

TEST_F(SecurityTest, TokensAreAskedForWithTlsAndWithout) {
  for (const bool tls : {false, true}) {
    Serve(tls, false, true);
    const Authority* trusted = tls ? &authority_ : nullptr;
    const Status none = Look(Peer(trusted));
    EXPECT_TRUE(IsUnauthenticated(none)) << none;
    EXPECT_THAT(none.message(), HasSubstr("--token-file"));
    EXPECT_TRUE(IsUnauthenticated(Look(Peer(trusted, "nobody-has-this-token"))));
    const Status role = Look(Peer(trusted, kTokenOf.at(Role::kWorker)));
    EXPECT_TRUE(IsPermissionDenied(role)) << role;
    EXPECT_EQ(role.message(),
              "pool is worker, but /twofold.v1.Admin/ListQueues needs admin or read-only");
    const security::Client eye = Peer(trusted, kTokenOf.at(Role::kReadOnly));
    EXPECT_TRUE(Look(eye).ok());
    const std::string scheme = tls ? "https" : "http";
    EXPECT_EQ(Denied("client", "no_token", eye, scheme), 1);
    EXPECT_EQ(Denied("client", "unknown_token", eye, scheme), 1);
    EXPECT_EQ(Denied("client", "role", eye, scheme), 1);
    EXPECT_EQ(Denied("worker", "role", eye, scheme), 0);
  }
}

TEST_F(SecurityTest, StreamsAreCheckedOnceWhenTheyOpen) {
  Serve(false, false, true);
  const security::Client pool = Peer(nullptr, kTokenOf.at(Role::kWorker));
  const security::Client root = Peer(nullptr, "other-other-other-other");
  Worker worker(frontend_->worker_address(), pool);
  ASSERT_TRUE(worker.Join(1));
  WriteFile(folder_ / "tokens", "admin root other-other-other-other\n");
  EXPECT_TRUE(Look(root).ok());
  Worker late(frontend_->worker_address(), pool);
  EXPECT_FALSE(late.Join(2));
  EXPECT_TRUE(IsUnauthenticated(late.Leave()));

  ASSERT_TRUE(Submit(root).ok());
  EXPECT_TRUE(worker.Works());
  EXPECT_TRUE(worker.Leave().ok());
}

std::vector<std::string> AllMethods() {
  std::vector<std::string> methods;
  for (const auto* file : {v1::Job::descriptor()->file(), v1::Run::descriptor()->file(),
                           v1::Frontend::descriptor()->file()}) {
    for (int i = 0; i < file->service_count(); ++i) {
      for (int j = 0; j < file->service(i)->method_count(); ++j) {
        methods.push_back("/" + file->service(i)->full_name() + "/" +
                          file->service(i)->method(j)->name());
      }
    }
  }
  return methods;
}

/// How an empty call ends. Calls that are streams end somehow, too.
Status CallEmpty(testing::Caller& caller, const std::string& method, const std::string& token) {
  testing::Headers headers;
  if (!token.empty()) headers["authorization"] = "Bearer " + token;
  return caller.CallWithBytes(method, "", {.headers = headers}).status();
}

TEST_F(SecurityTest, EveryMethodHasARowInTheTableAndKeepsIt) {
  Serve(false, false, true);
  testing::Caller clients(frontend_->client_address());
  testing::Caller workers(frontend_->worker_address());
  ASSERT_EQ(AllMethods().size(), 32U);
  for (const std::string& method : AllMethods()) {
    EXPECT_TRUE(HasAccessRule(method)) << method << " has no row in frontend/access.cc";
    EXPECT_FALSE(RolesOfMethod(method).open()) << method;
    testing::Caller& caller = method.find("Workers/Work") == std::string::npos ? clients : workers;
    EXPECT_TRUE(IsUnauthenticated(CallEmpty(caller, method, ""))) << method;
    for (const auto& [role, token] : kTokenOf) {
      const bool denied = IsPermissionDenied(CallEmpty(caller, method, token));
      EXPECT_EQ(denied, !RolesOfMethod(method).Has(role)) << method << " by " << Name(role);
    }
  }
}

TEST_F(SecurityTest, RolesAreKeptApart) {
  const auto may = [](Role role, const char* method) {
    return RolesOfMethod(std::string("/twofold.v1.") + method).Has(role);
  };
  for (const char* method : {"Clients/Submit", "Clients/SubmitJob", "Clients/CancelJob"}) {
    EXPECT_TRUE(may(Role::kClient, method) && may(Role::kAdmin, method)) << method;
    EXPECT_FALSE(may(Role::kWorker, method) || may(Role::kReadOnly, method)) << method;
  }
  for (const char* method : {"Clients/GetJob", "Clients/FollowJob", "Admin/ListWorkers"}) {
    EXPECT_TRUE(may(Role::kReadOnly, method)) << method;
    EXPECT_FALSE(may(Role::kWorker, method)) << method;
  }
  EXPECT_TRUE(may(Role::kWorker, "Workers/Work"));
  EXPECT_FALSE(may(Role::kClient, "Workers/Work"));
  for (const char* method :
       {"Admin/PauseQueue", "Admin/DrainWorkers", "Frontends/MoveQueue", "Admin/NotThereYet"}) {
    EXPECT_TRUE(may(Role::kAdmin, method)) << method;
    EXPECT_FALSE(may(Role::kClient, method) || may(Role::kReadOnly, method)) << method;
  }
}

// The processor of metadata that gRPC 1.51 offers for checks makes text of all headers, and aborts
// the program at this one.
TEST_F(SecurityTest, HeadersThatGrpcCannotShowDoNotEndTheProgram) {
  for (const bool tls : {false, true}) {
    for (const bool certificates : {false, true}) {
      for (const bool tokens : {false, true}) {
        if (certificates && !tls) continue;
        Serve(tls, certificates, tokens);
        const KeyPair pair = authority_.Issue("peer", false);
        const testing::Http2Peer::Tls shown{pair.cert, pair.key};
        for (const std::string& address :
             {frontend_->client_address(), frontend_->worker_address()}) {
          const std::uint16_t port = ParseAddress(address)->port;
          for (const std::string& method : AllMethods()) {
            testing::Http2Peer peer(port, tls ? &shown : nullptr);
            ASSERT_TRUE(peer.Greet());
            ASSERT_TRUE(
                peer.Call(method, testing::Http2Peer::Literal("grpclb_client_stats", "abc")));
          }
          EXPECT_EQ(testing::HealthStatus(port, tls ? &shown : nullptr), 0);
        }
      }
    }
  }
}

TEST_F(SecurityTest, HealthAndReflectionAreOpen) {
  Serve(false, false, true);
  testing::Caller caller(frontend_->client_address());
  EXPECT_TRUE(CallEmpty(caller, "/grpc.health.v1.Health/Check", "").ok());
  EXPECT_FALSE(IsUnauthenticated(
      CallEmpty(caller, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", "")));
}

// ---- HTTP

TEST_F(SecurityTest, HttpKeepsTheSameRules) {
  Serve(true, true, true);
  const std::string base = "https://" + frontend_->http_address();
  const KeyPair ours = authority_.Issue("client", false);
  const auto status = [&](const std::string& path, const security::Client& peer) {
    const auto response = http::Get(base + path, std::chrono::seconds(10), peer);
    EXPECT_TRUE(response.ok()) << response.status();
    return response.ok() ? response->status : 0;
  };
  EXPECT_EQ(status("/healthz", Peer(&authority_)), 200);
  EXPECT_EQ(status("/readyz", Peer(&authority_)), 200);
  EXPECT_EQ(status("/metrics", Peer(&authority_, kTokenOf.at(Role::kAdmin))), 403);
  EXPECT_EQ(status("/metrics", Peer(&authority_, "", &ours)), 401);
  EXPECT_EQ(status("/metrics", Peer(&authority_, kTokenOf.at(Role::kWorker), &ours)), 403);
  EXPECT_EQ(status("/metrics", Peer(&authority_, kTokenOf.at(Role::kReadOnly), &ours)), 200);
  const security::Client eye = Peer(&authority_, kTokenOf.at(Role::kReadOnly), &ours);
  EXPECT_EQ(Denied("http", "no_certificate", eye, "https"), 1);
}

// ---- limits

TEST_F(SecurityTest, OneHostHasSoManyCallsOpenAndNoMore) {
  Serve(false, false, false, /*peer_calls=*/2);
  const security::Client peer;
  auto first = std::make_unique<Worker>(frontend_->worker_address(), peer);
  Worker second(frontend_->worker_address(), peer);
  ASSERT_TRUE(first->Join(1));
  ASSERT_TRUE(second.Join(2));
  Worker third(frontend_->worker_address(), peer);
  EXPECT_FALSE(third.Join(3));
  const Status refused = third.Leave();
  EXPECT_TRUE(absl::IsResourceExhausted(refused)) << refused;
  EXPECT_THAT(refused.message(), HasSubstr("--peer-calls"));
  EXPECT_EQ(Denied("worker", "too_many", peer), 1);
  ASSERT_TRUE(first->Leave().ok());
  EXPECT_TRUE(testing::Await([&] {
    Worker again(frontend_->worker_address(), peer);
    const bool joined = again.Join(4);
    (void)again.Leave();
    return joined;
  }));
}

TEST_F(SecurityTest, OneConnectionHasSoManyCallsOpenAndNoMore) {
  Serve(false, false, false);
  const auto look = [](testing::Caller& by, Duration patience) {
    return by
        .Call<v1::ListQueuesReply>("Admin/ListQueues", v1::ListQueuesRequest(),
                                   {.patience = patience})
        .status();
  };
  testing::Caller caller(frontend_->client_address());
  EXPECT_EQ(look(caller, std::chrono::seconds(20)), absl::OkStatus());
  std::vector<std::unique_ptr<testing::OpenCall<v1::SubmitRequest, v1::SubmitReply>>> calls;
  for (std::uint32_t i = 0; i < h2::Limits().streams; ++i) {
    calls.push_back(caller.Open<v1::SubmitRequest, v1::SubmitReply>("Clients/Submit"));
    calls.back()->Say({});
  }
  EXPECT_TRUE(absl::IsDeadlineExceeded(look(caller, std::chrono::milliseconds(200))));
  testing::Caller other(frontend_->client_address());
  EXPECT_EQ(look(other, std::chrono::seconds(20)), absl::OkStatus());
  EXPECT_TRUE(absl::IsCancelled(calls.back()->Break()));
  EXPECT_EQ(look(caller, std::chrono::seconds(20)), absl::OkStatus()) << "there is room for one";
}

}  // namespace
}  // namespace twofold::frontend
