#include "client/control.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/metrics.h"
#include "client/pages.h"
#include "client/parameters.h"
#include "lib/http/router.h"
#include "lib/metrics/family.h"

namespace twofold::client {
namespace {

constexpr Duration kFresh = std::chrono::milliseconds(50);

/// Looks at the generator, and not again soon.
class Observer {
 public:
  explicit Observer(const Generator& generator) : generator_(generator) {}

  const Snapshot& Look() {
    const Instant now = Now();
    if (!seen_ || now - seen_at_ > kFresh) {
      seen_ = generator_.Look();
      seen_at_ = now;
    }
    return *seen_;
  }

  /// What was seen is no longer true.
  void Forget() { seen_.reset(); }

 private:
  const Generator& generator_;
  std::optional<Snapshot> seen_;
  Instant seen_at_;
};

/// One answer in its forms; the HTML one is made of the plain one, with `forms` above it.
struct Page {
  std::string title;
  std::string plain;
  std::string json;
  std::string forms = {};
};

/// What the pages are made from and act on.
struct Context {
  Generator& generator;
  std::uint32_t max_parallelism;
  Observer observer{generator};
};

template <typename Value>
Page Single(std::string title, std::string plain, const Value& value, std::string_view info) {
  return {std::move(title), std::move(plain) + "\n", json::Single(value, info)};
}

// ---- the pages

Result<Page> Parallel(Context& context, const http::Params& query) {
  if (http::Find(query, "value") != nullptr) {
    Parameters parameters(query);
    const std::uint32_t value = parameters.Parallelism(context.max_parallelism);
    if (!parameters.status().ok()) return parameters.status();
    context.generator.SetParallelism(value);
    context.observer.Forget();
  }
  const std::uint64_t now = context.generator.parallelism();
  return Single("Parallelism", std::to_string(now), now,
                fmt::format("jobs kept outstanding, at most {}", context.max_parallelism));
}

Result<Page> Reset(Context& context, const http::Params&) {
  context.generator.Reset();
  context.observer.Forget();
  return Single("Reset", "Reseted", std::string_view("Reseted"), "a new measuring window began");
}

Result<Page> RequestsPerSecond(Context& context, const http::Params&) {
  const double throughput = context.observer.Look().estimate.throughput;
  return Single("Requests per second", fmt::format("{:f}", throughput), throughput,
                "successful jobs per second in the window, the fluid estimate");
}

Result<Page> Fails(Context& context, const http::Params&) {
  const std::uint64_t failed = context.observer.Look().estimate.failed;
  return Single("Fails", std::to_string(failed), failed,
                "jobs that failed in the window; rejected ones are not among them");
}

Result<Page> Stats(Context& context, const http::Params&) {
  const Snapshot& seen = context.observer.Look();
  return Page{"Statistics", text::Stats(seen), json::Stats(seen), html::Forms(seen)};
}

template <By by>
Result<Page> ByPlace(Context& context, const http::Params&) {
  const Snapshot& seen = context.observer.Look();
  return Page{by == By::kNode ? "Nodes" : "Pods", text::Places(seen, by), json::Places(seen, by)};
}

Result<Page> Window(Context& context, const http::Params&) {
  const Snapshot& seen = context.observer.Look();
  return Page{"Window", text::Window(seen), json::Window(seen)};
}

Result<Page> Compare(Context& context, const http::Params& query) {
  Parameters parameters(query);
  const stats::Rate base = parameters.Base();
  const double limit = parameters.Positive("limit");
  if (!parameters.status().ok()) return parameters.status();
  const stats::ThroughputEstimate& estimate = context.observer.Look().estimate;
  const stats::Rate now = {estimate.throughput, estimate.log_error, estimate.degrees,
                           estimate.seconds};
  const stats::Comparison comparison = stats::Compare(base, now, limit);
  return Page{"Comparison", text::Comparison(comparison), json::Comparison(comparison)};
}

Result<Page> Look(Context& context, const http::Params& query) {
  Parameters parameters(query);
  const stats::StepPlan plan = parameters.Plan();
  const std::vector<stats::StepRecord> earlier = parameters.Records();
  const Pods pods = parameters.WhichPods();
  if (!parameters.status().ok()) return parameters.status();
  const Snapshot& seen = context.observer.Look();
  const stats::StepLook look = stats::LookAtStep(earlier, seen.estimate, seen.spread, plan);
  return Page{"Look", text::Look(seen, look, pods), json::Look(seen, look, pods)};
}

Result<Page> Verdict(Context&, const http::Params& query) {
  Parameters parameters(query);
  const double scale = parameters.Positive("scale");
  const std::vector<stats::StepRecord> records = parameters.Records();
  const Pods pods = parameters.WhichPods();
  if (!parameters.status().ok()) return parameters.status();
  const stats::ScalingVerdict scaling = stats::JudgeScaling(records, scale);
  return Page{"Verdict", text::Scaling(scaling, pods), json::Scaling(scaling, pods)};
}

// ---- how they are asked for

struct Row {
  std::string_view path;
  Result<Page> (*make)(Context&, const http::Params&);
  std::string_view default_type = "html";  // also for a type that is none
  bool changes = false;
};

constexpr Row kRows[] = {
    {"/parallel", Parallel},  // changes something if it has a value
    {"/reset", Reset, "html", true},
    {"/reqs-per-sec", RequestsPerSecond},
    {"/fails", Fails},
    {"/stats", Stats},
    {"/nodes", ByPlace<By::kNode>},
    {"/pods", ByPlace<By::kPod>},
    {"/window", Window, "json"},
    {"/compare", Compare, "json"},
    {"/look", Look, "json"},
    {"/verdict", Verdict, "json"},
};

// As it is written in a request. A page that is spelled otherwise ("/%72eset" is /reset to the
// router) is none of the rows, and so is not for readers.
bool ChangesNothing(const http::Request& request) {
  if (request.path == "/" || request.path == "/metrics") return true;
  if (request.path == "/parallel") return http::Find(request.query, "value") == nullptr;
  return std::any_of(std::begin(kRows), std::end(kRows),
                     [&](const Row& row) { return row.path == request.path && !row.changes; });
}

std::string_view TypeOf(const Row& row, const http::Params& query) {
  const std::string* asked = http::Find(query, "type");
  const bool known =
      asked != nullptr && (*asked == "plain" || *asked == "json" || *asked == "html");
  return known ? std::string_view(*asked) : row.default_type;
}

http::Response BadRequest(const Status& status) {
  return http::PlainText(400, std::string(status.message()) + "\n");
}

http::Response Respond(Context& context, const Row& row, const http::Request& request) {
  const std::string_view type = TypeOf(row, request.query);
  Result<Page> page = row.make(context, request.query);
  if (!page.ok()) return BadRequest(page.status());
  if (type == "plain") return http::PlainText(200, std::move(page->plain));
  if (type == "json") return http::Json(200, std::move(page->json));
  return http::Html(200, html::Text(page->title, page->plain, page->forms));
}

// HEAD must not change anything, and these pages may: only GET will do.
http::Response RefuseHead() {
  http::Response response = http::PlainText(405, "only GET is allowed\n");
  response.headers["Allow"] = "GET";
  return response;
}

}  // namespace

security::Roles RolesOfPage(const http::Request& request) {
  using enum security::Role;
  if (request.path == "/healthz") return security::Roles::Open();
  if (ChangesNothing(request)) return {kClient, kAdmin, kReadOnly};
  return {kClient, kAdmin};
}

http::Handler MakeControl(Generator& generator, std::uint32_t max_parallelism,
                          std::shared_ptr<const security::Gate> gate) {
  const auto context = std::make_shared<Context>(Context{generator, max_parallelism});
  std::vector<http::Route> routes;
  for (const Row& row : kRows) {
    routes.push_back({"GET", std::string(row.path), [context, &row](const http::Request& request) {
                        if (request.method == "HEAD") return RefuseHead();
                        return Respond(*context, row, request);
                      }});
  }
  routes.push_back(
      {"GET", "/metrics", [context, gate](const http::Request&) {
         auto families = CollectMetrics(context->observer.Look());
         if (gate) {
           families.push_back(
               metrics::DeniedFamily("twofold_client_denied_total", {gate.get()}).Take());
         }
         return metrics::Page(families);
       }});
  routes.push_back(
      {"GET", "/healthz", [](const http::Request&) { return http::PlainText(200, "ok\n"); }});
  routes.push_back({"GET", "/", [context](const http::Request&) {
                      return http::Html(200, html::Overview(context->observer.Look()));
                    }});
  return http::Router(std::move(routes));
}

}  // namespace twofold::client
