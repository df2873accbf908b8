#include "kubernetes/operator/options.h"

#include <absl/strings/str_cat.h>

#include <CLI/App.hpp>
#include <CLI/Validators.hpp>

#include "kubernetes/operator/group.h"
#include "kubernetes/operator/perftest_crds.h"
#include "lib/common/contacts.h"
#include "lib/common/options.h"
#include "lib/common/program.h"
#include "lib/security/client.h"

namespace twofold::benchmarks {
namespace {

constexpr const char* kFooter = R"(Examples:
  The definitions of the kinds, then the operator for one namespace:
    twofold-operator --print-crds twofold.dev | kubectl apply --server-side -f -
    twofold-operator --frontend frontend:9997 --namespace team-a
  A benchmark, and its end:
    kubectl create -f examples/operator/fio-quick.yaml
    kubectl wait -n validation benchmark/NAME --for=condition=Succeeded --timeout=10m

Exit codes: 0 stopped by SIGTERM or SIGINT, 1 another operator leads now, 2 the command line, an
address, a file or the cluster's access cannot be used.)";

void DeclareMeasurements(CLI::App& app, Options& options) {
  app.add_flag("--measurements", options.measurements,
               "Run Validations, LoadTests and LifecycleTests, too, each as a Job");
  options.job_image = absl::StrCat("scalability-tester:", std::string(GetBuildInfo().version));
  app.add_option("--job-image", options.job_image,
                 "Of these Jobs: one that has the program twofold")
      ->capture_default_str();
  app.add_option("--job-frontend", options.job_frontend,
                 "The frontend, as pods of these Jobs reach it; else --frontend, with the "
                 "namespace of this pod where that is the name of a Service alone")
      ->check(Contacts());
  app.add_option("--job-tls-secret", options.job_tls_secret,
                 "Secret in the namespaces of these Jobs with ca.crt, tls.crt and tls.key for the "
                 "frontend");
  app.add_option("--job-token-secret", options.job_token_secret,
                 "The same with its token for the frontend");
}

}  // namespace

void Bind(CLI::App& app, Options& options) {
  app.footer(kFooter);
  options.frontend.frontend = "localhost:9997";
  AddOption(app, "--frontend", options.frontend.frontend, Contacts(),
            "Where the frontend serves clients; or several that share their queues, as IPv4 "
            "addresses with commas between them");
  security::Declare(app, options.frontend.security);
  app.add_option("--frontends", options.frontends,
                 "Run objects at the Frontends of the cluster, each with the token of its "
                 "namespace in this folder: FRONTEND.NAMESPACE.token. --frontend is of those that "
                 "have no address")
      ->check(CLI::ExistingDirectory);
  Declare(app, options.cluster);
  app.add_option("--namespace", options.space, "Whose Benchmarks are run; else those of all");
  AddOption(app, "--lease", options.lease, CLI::Validator(),
            "Name of the Lease by which one of several operators leads");
  app.add_option("--lease-namespace", options.lease_space,
                 "Where that is; else the namespace of this pod, or of the kubeconfig");
  AddOption(app, "--lease-duration", options.lease_seconds, Seconds(1, 3600),
            "How long the others wait for a leader that has died");
  app.add_flag("--perftest", options.perftest,
               "Run objects of kube-perftest, too (perftest.stackhpc.com/v1alpha1)");
  DeclareMeasurements(app, options);
  app.add_option("--worker-pools", options.worker_pools,
                 "Look after the WorkerPools of this namespace, too, or of all ('*'): make their "
                 "pods, and let their workers end what they have before they go");
  app.add_flag("--own-workers", options.own_workers,
               "Make pods for Benchmarks with spec.workers, where these are: a WorkerPool each, "
               "for its run alone");
  app.add_option(
      "--perftest-workers", options.perftest_workers,
      "With --perftest and --own-workers: make pods for objects of kube-perftest, too, "
      "by the WorkerPools of this namespace with the label twofold.dev/workers-for. Who may "
      "create objects gets pods then: bind the policy of pods to these kinds (docs)");
  AddOption(app, "--workers", options.workers, WholeNumber(1, 64),
            "Benchmarks that are looked at at the same time");
  AddOption(app, "--poll", options.poll_seconds, Seconds(0.01, 60),
            "Between two looks at a run that goes on");
  AddOption(app, "--http-address", options.http_address, ListenAddress(),
            "Where to serve /metrics, /healthz and /readyz; :PORT = all interfaces, port 0 = any "
            "free one");
  security::DeclareCertificate(app, options.http_security, "http-");
  app.add_option("--ready-file", options.ready_file,
                 "Write {\"pid\", \"http\"} there once that is served");
  app.add_option("--print-crds", options.print_crds,
                 "Print the definitions of the kinds (CustomResourceDefinitions) of this group: "
                 "twofold.dev, perftest.stackhpc.com; then exit")
      ->check(CLI::IsMember({kGroup, kPerftestGroup}));
  app.add_flag("--check-config", options.check_config, "Only check the command line, then exit");
  app.add_flag("--verbose", options.verbose, "Log more");
}

Status Check(Options& options) {
  options.http = *ParseAddress(options.http_address);  // parsing has checked it
  if (!options.perftest_workers.empty() && !(options.perftest && options.own_workers)) {
    return absl::InvalidArgumentError("--perftest-workers needs --perftest and --own-workers");
  }
  return security::Client::Open(options.frontend.security).status();
}

std::set<std::string> PoolSpaces(const Options& options) {
  std::set<std::string> spaces;
  if (!options.worker_pools.empty()) spaces.insert(options.worker_pools);
  if (options.own_workers) spaces.insert(options.space.empty() ? kAllNamespaces : options.space);
  return spaces.contains(kAllNamespaces) ? std::set<std::string>{""} : spaces;
}

std::string JobFrontend(const Options& options, const std::string& space) {
  if (!options.job_frontend.empty()) return options.job_frontend;
  const std::string& own = options.frontend.frontend;
  const std::size_t colon = own.rfind(':');
  const bool is_service = colon != std::string::npos && !space.empty() &&
                          own.find_first_of(".,[") == std::string::npos &&
                          !own.starts_with("localhost:");
  if (!is_service) return own;
  return absl::StrCat(own.substr(0, colon), ".", space, own.substr(colon));
}

}  // namespace twofold::benchmarks
