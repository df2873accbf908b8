#pragma once

#include <string_view>
#include <vector>

#include "lib/http/message.h"
#include "lib/http/router.h"

/// Serves the files of a web application that are inside of the program.
namespace twofold::http {

/// One file. Everything points into the program.
struct AppFile {
  std::string_view path;  ///< "/" is the page itself
  std::string_view content_type;
  std::string_view body;  ///< compressed by gzip
  std::string_view etag;  ///< with its quotes
};

template <typename Assets>
std::vector<AppFile> FilesOf(const Assets& assets) {
  std::vector<AppFile> files;
  for (const auto& asset : assets) {
    files.push_back({asset.path, asset.content_type, asset.body, asset.etag});
  }
  return files;
}

/// Whether the answer is meant for people: browsers name text/html in Accept, programs do not.
bool WantsHtml(const Request& request);

/// Routes of all `files`. At "/", `other` answers requests that do not want HTML.
///
/// The page may load only what this server has, be in no frame, and run no script of its text. Each
/// file is checked for a newer one with each use, by its ETag; peers that do not take gzip get it
/// unpacked.
std::vector<Route> AppRoutes(const std::vector<AppFile>& files, const Handler& other);

/// Whether the request gets a file of the application, so that anybody may have it: a browser shows
/// no token before the page has asked for one.
bool IsForApp(const std::vector<AppFile>& files, const Request& request);

}  // namespace twofold::http
