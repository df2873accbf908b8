#include <spdlog/fmt/fmt.h>

#include "client/pages.h"
#include "lib/http/message.h"

namespace twofold::client {
namespace {

constexpr const char* kRefresh = R"(<meta http-equiv="refresh" content="2">)";

constexpr const char* kPage = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8">{refresh}
<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; margin: 2em; color: #222 }}
pre {{ font: 14px/1.4 ui-monospace, monospace }}
a {{ margin-right: 1em }}
</style></head><body>
<h1>{title}</h1>
{body}
</body></html>
)";

constexpr const char* kLinks = R"(<p>
<a href="stats">/stats</a>
<a href="nodes">/nodes</a>
<a href="pods">/pods</a>
<a href="window">/window</a>
<a href="parallel">/parallel</a>
<a href="rate">/rate</a>
<a href="profile">/profile</a>
<a href="reqs-per-sec">/reqs-per-sec</a>
<a href="fails">/fails</a>
<a href="metrics">/metrics</a>
</p>
<p>Change something: /stats, or /parallel?value=N, /rate?value=R and /reset. Each page also as ?type=plain and ?type=json.</p>)";

constexpr const char* kForms = R"(<form action="parallel" method="get">
<label>Jobs in parallel: <input name="value" type="number" min="0" value="{}" required></label>
<button>Change</button></form>
<form action="reset" method="get"><button>Start a new window</button></form>
)";

constexpr const char* kBack =
    R"(<p><a href="./">overview</a><a href="stats">statistics and controls</a></p>)";

std::string Document(std::string_view refresh, std::string_view title, std::string_view body) {
  return fmt::format(kPage, fmt::arg("refresh", refresh), fmt::arg("title", http::Escape(title)),
                     fmt::arg("body", body));
}

std::string Preformatted(std::string_view text) {
  return fmt::format("<pre>{}</pre>", http::Escape(text));
}

}  // namespace

std::string Html(const Page& page) {
  return Document("", page.title, page.forms + Preformatted(page.plain) + "\n" + kBack);
}

std::string Forms(const load::Snapshot& snapshot) {
  return fmt::format(kForms, snapshot.parallelism);
}

std::string Overview(const load::Snapshot& snapshot) {
  return Document(kRefresh, fmt::format("Load for queue {}", snapshot.queue),
                  Preformatted(StatsPage(snapshot).plain) + "\n" + kLinks);
}

}  // namespace twofold::client
