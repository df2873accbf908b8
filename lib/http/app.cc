#include "lib/http/app.h"

#include <algorithm>
#include <string>
#include <utility>

#include "lib/http/gzip.h"

namespace twofold::http {
namespace {

constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

constexpr std::size_t kMostUnpacked = 16 << 20;  // bytes

/// Whether a header has `word`.
bool Says(const Request& request, std::string_view header, std::string_view word) {
  const std::string* value = Find(request.headers, header);
  return value != nullptr && value->find(word) != value->npos;
}

Response AnswerFile(const AppFile& file, const Request& request) {
  Response response{200, std::string(file.content_type), {}, {}};
  response.headers = {{"ETag", std::string(file.etag)},
                      {"Cache-Control", "no-cache"},
                      {"Vary", "Accept, Accept-Encoding"},
                      {"Content-Security-Policy", kPolicy},
                      {"Referrer-Policy", "no-referrer"}};
  if (Says(request, "if-none-match", file.etag)) {
    response.status = 304;
  } else if (Says(request, "accept-encoding", "gzip")) {
    response.headers["Content-Encoding"] = "gzip";
    response.body = file.body;
  } else {
    response.body = Gunzip(file.body, kMostUnpacked).value_or("");
  }
  return response;
}

}  // namespace

bool WantsHtml(const Request& request) { return Says(request, "accept", "text/html"); }

std::vector<Route> AppRoutes(const std::vector<AppFile>& files, const Handler& other) {
  std::vector<Route> routes;
  for (const AppFile& file : files) {
    routes.push_back({"GET", std::string(file.path), [file, other](Request request) {
                        const bool is_page = file.path == "/";
                        if (is_page && !WantsHtml(request)) return other(std::move(request));
                        return AnswerFile(file, request);
                      }});
  }
  return routes;
}

bool IsForApp(const std::vector<AppFile>& files, const Request& request) {
  const bool reads = request.method == "GET" || request.method == "HEAD";
  const bool has_file = std::any_of(files.begin(), files.end(),
                                    [&](const AppFile& file) { return file.path == request.path; });
  return reads && has_file && (request.path != "/" || WantsHtml(request));
}

}  // namespace twofold::http
