#include "client/control.h"

#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/limits.h"
#include "client/options.h"
#include "client/pages.h"
#include "client/parameters.h"
#include "lib/http/app.h"
#include "lib/http/events.h"
#include "lib/http/guard.h"
#include "lib/http/router.h"
#include "lib/metrics/family.h"
#include "lib/process/cpu_use.h"
#include "web/assets.h"

namespace twofold::client {
namespace {

constexpr Duration kFresh = std::chrono::milliseconds(50);

/// What the pages are made from and act on.
struct Context {
  /// What the generator does, not looked at again soon.
  const load::Snapshot& Look() {
    const Instant now = Now();
    if (!seen || now - seen_at > kFresh) {
      ObserveCpu();
      seen = generator.Look();
      seen_at = now;
    }
    return *seen;
  }

  void ObserveCpu() {
    if (const std::optional<Duration> time = cpu.Throttled()) generator.Observe(*time);
  }

  /// Begins a load in place of the present one.
  Status Begin(load::Profile profile) {
    seen.reset();
    return generator.SetProfile(std::make_shared<const load::Profile>(std::move(profile)));
  }

  load::Generator& generator;
  std::uint32_t max_parallelism;
  LoadDefaults defaults;
  process::CpuUseReader cpu{process::RealHostFiles(), getpid()};
  std::optional<load::Snapshot> seen{};  // none: what was seen is no longer true
  Instant seen_at{};
};

Result<Page> Parallel(Context& context, const http::Params& query) {
  if (http::Find(query, "value") != nullptr) {
    Parameters parameters(query);
    const std::uint32_t value = parameters.Parallelism(context.max_parallelism);
    if (!parameters.status().ok()) return parameters.status();
    context.generator.SetParallelism(value);
    context.seen.reset();
  }
  return SinglePage("Parallelism", std::uint64_t{context.generator.parallelism()},
                    fmt::format("jobs kept outstanding, at most {}", context.max_parallelism));
}

Result<Page> Rate(Context& context, const http::Params& query) {
  if (http::Find(query, "value") != nullptr) {
    Parameters parameters(query);
    const double rate = parameters.Rate();
    const load::Arrivals arrivals = parameters.Arrivals(context.defaults.arrivals);
    if (!parameters.status().ok()) return parameters.status();
    const Status set =
        context.Begin(load::RateProfile(rate, arrivals, load::kForever, context.defaults.seed));
    if (!set.ok()) return set;
  }
  return SinglePage("Rate", context.Look().rate.value_or(0),
                    "jobs that are due each second; 0 in a closed loop");
}

Result<Page> SetProfile(Context& context, const std::string& text) {
  Result<load::Profile> profile = load::ParseProfile("profile", text, context.defaults.job);
  if (!profile.ok()) return profile.status();
  Status status = CheckParallelism(*profile, context.max_parallelism);
  if (status.ok()) status = context.Begin(*std::move(profile));
  if (!status.ok()) return status;
  return ProfilePage(context.Look());
}

Result<Page> Reset(Context& context, const http::Params&) {
  context.ObserveCpu();  // what was before is not the new window's
  context.generator.Reset();
  context.seen.reset();
  return SinglePage("Reset", "Reseted", "a new measuring window began");
}

Result<Page> RequestsPerSecond(Context& context, const http::Params&) {
  return SinglePage("Requests per second", context.Look().estimate.throughput,
                    "successful jobs per second in the window, the fluid estimate");
}

Result<Page> Fails(Context& context, const http::Params&) {
  return SinglePage("Fails", context.Look().estimate.failed,
                    "jobs that failed in the window; rejected ones are not among them");
}

/// A page that shows the generator as it is.
template <auto page, auto... which>
Result<Page> Show(Context& context, const http::Params&) {
  return page(context.Look(), which...);
}

Result<Page> Compare(Context& context, const http::Params& query) {
  Parameters parameters(query);
  const stats::Rate base = parameters.Base();
  const double limit = parameters.Number(kRatioLimit);
  if (!parameters.status().ok()) return parameters.status();
  const stats::ThroughputEstimate& estimate = context.Look().estimate;
  const stats::Rate now = {estimate.throughput, estimate.log_error, estimate.degrees,
                           estimate.seconds};
  return ComparisonPage(stats::Compare(base, now, limit));
}

Result<Page> Look(Context& context, const http::Params& query) {
  Parameters parameters(query);
  const stats::StepPlan plan = parameters.Plan();
  const std::vector<stats::StepRecord> earlier = parameters.Records();
  if (!parameters.status().ok()) return parameters.status();
  const load::Snapshot& seen = context.Look();
  return LookPage(seen, stats::LookAtStep(earlier, seen.estimate, seen.measured, plan), plan.pods);
}

Result<Page> Verdict(Context&, const http::Params& query) {
  Parameters parameters(query);
  const std::vector<stats::StepRecord> records = parameters.Records();
  const Judging judging = parameters.HowJudged();
  if (!parameters.status().ok()) return parameters.status();
  return ScalingPage(records, judging);
}

Result<Page> Why(Context&, const http::Params& query) {
  Parameters parameters(query);
  const std::vector<stats::StepEvidence> evidence = parameters.Evidence();
  if (!parameters.status().ok()) return parameters.status();
  return ExplanationPage(stats::Explain(evidence));
}

// ---- how they are asked for

enum class Changes : std::uint8_t { kNever, kWithValue, kAlways };

struct Row {
  std::string_view path;
  Result<Page> (*make)(Context&, const http::Params&);
  std::string_view default_type = "html";  // also for a type that is none
  Changes changes = Changes::kNever;
};

constexpr Row kRows[] = {
    {"/parallel", Parallel, "html", Changes::kWithValue},
    {"/rate", Rate, "html", Changes::kWithValue},
    {"/profile", Show<ProfilePage>, "json"},
    {"/reset", Reset, "html", Changes::kAlways},
    {"/reqs-per-sec", RequestsPerSecond},
    {"/fails", Fails},
    {"/stats", Show<StatsPage>},
    {"/nodes", Show<PlacesPage, load::By::kNode>},
    {"/pods", Show<PlacesPage, load::By::kPod>},
    {"/window", Show<WindowPage>, "json"},
    {"/compare", Compare, "json"},
    {"/look", Look, "json"},
    {"/verdict", Verdict, "json"},
    {"/why", Why, "json"},
};

// Those that are not rows.
constexpr std::string_view kPages[] = {"/", "/plain", "/events", "/metrics", "/me"};

// As it is written in a request. A page that is spelled otherwise ("/%72eset" is /reset to the
// router) is none of the rows, and so is not for readers.
bool ChangesNothing(const http::Request& request) {
  if (request.method != "GET" && request.method != "HEAD") return false;
  if (std::ranges::find(kPages, request.path) != std::end(kPages)) return true;
  const bool has_value = http::Find(request.query, "value") != nullptr;
  return std::any_of(std::begin(kRows), std::end(kRows), [&](const Row& row) {
    const bool quiet =
        row.changes == Changes::kNever || (row.changes == Changes::kWithValue && !has_value);
    return row.path == request.path && quiet;
  });
}

std::string_view TypeOf(const Row& row, const http::Params& query) {
  const std::string* asked = http::Find(query, "type");
  const bool known =
      asked != nullptr && (*asked == "plain" || *asked == "json" || *asked == "html");
  return known ? std::string_view(*asked) : row.default_type;
}

http::Response Respond(std::string_view type, Result<Page> page) {
  if (!page.ok()) return http::PlainText(400, std::string(page.status().message()) + "\n");
  if (type == "plain") return http::PlainText(200, std::move(page->plain));
  if (type == "json") return http::Json(200, std::move(page->json));
  return http::Html(200, Html(*page));
}

// HEAD must not change anything, and these pages may: only GET will do.
http::Response RefuseHead() {
  http::Response response = http::PlainText(405, "only GET is allowed\n");
  response.headers["Allow"] = "GET";
  return response;
}

/// Pages of other sites could not read the stream, only hold a place.
http::Response Events(const std::shared_ptr<http::Topic>& topic, const http::Request& request) {
  if (!http::IsFromOtherSite(request)) return http::Events({topic});
  return http::PlainText(403, "pages of other sites get no streams\n");
}

const std::vector<http::AppFile>& AppFiles() {
  static const std::vector<http::AppFile> files = http::FilesOf(web::ClientAssets());
  return files;
}

}  // namespace

security::Roles RolesOfPage(const http::Request& request) {
  using enum security::Role;
  if (request.path == "/healthz") return security::Roles::Open();
  if (http::IsForApp(AppFiles(), request)) return security::Roles::Open();
  if (ChangesNothing(request)) return {kClient, kAdmin, kReadOnly};
  return {kClient, kAdmin};
}

http::Handler MakeControl(load::Generator& generator, std::uint32_t max_parallelism,
                          std::shared_ptr<const security::Gate> gate, LoadDefaults defaults) {
  const auto context =
      std::make_shared<Context>(Context{generator, max_parallelism, std::move(defaults)});
  std::vector<http::Route> routes;
  for (const Row& row : kRows) {
    routes.push_back({"GET", std::string(row.path), [context, &row](const http::Request& request) {
                        if (request.method == "HEAD") return RefuseHead();
                        return Respond(TypeOf(row, request.query),
                                       row.make(*context, request.query));
                      }});
  }
  for (const char* method : {"PUT", "POST"}) {
    routes.push_back({method, "/profile", [context](const http::Request& request) {
                        const std::string* type = http::Find(request.query, "type");
                        return Respond(type == nullptr ? "json" : *type,
                                       SetProfile(*context, request.body));
                      }});
  }
  routes.push_back(
      {"GET", "/metrics", [context, gate](const http::Request&) {
         auto families = CollectMetrics(context->Look());
         if (gate) {
           families.push_back(
               metrics::DeniedFamily("twofold_client_denied_total", {gate.get()}).Take());
         }
         return metrics::Page(families);
       }});
  routes.push_back({"GET", "/me", [gate](const http::Request& request) {
                      return http::WhoAsks(gate.get(), security::Role::kClient, request);
                    }});
  routes.push_back(
      {"GET", "/healthz", [](const http::Request&) { return http::PlainText(200, "ok\n"); }});
  const auto overview = [context](const http::Request&) {
    return http::Html(200, Overview(context->Look()));
  };
  routes.push_back({"GET", "/plain", overview});
  std::ranges::move(http::AppRoutes(AppFiles(), overview), std::back_inserter(routes));
  const auto events = std::make_shared<http::Topic>(
      "window", [context](Instant now) { return std::optional(EventData(context->Look(), now)); });
  routes.push_back({"GET", "/events",
                    [events](const http::Request& request) { return Events(events, request); }});
  return http::Router(std::move(routes));
}

}  // namespace twofold::client
