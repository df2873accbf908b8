#pragma once

#include <span>
#include <string_view>

/// The live pages: the applications that web/ bundles, as files inside of the programs.
namespace twofold::web {

/// One file of a page. Everything points into the program.
struct Asset {
  std::string_view path;          ///< below the page, "/" is the page itself: "/", "/app.js"
  std::string_view content_type;  ///< with its charset
  std::string_view body;          ///< compressed by gzip
  std::string_view etag;          ///< with its quotes; other bytes have another one
};

/// The files of the frontend's page, "/" first. All of their links are relative, so that the page
/// works below any path that ends in a slash; it loads nothing from elsewhere, and has neither
/// scripts nor styles inline, so the strictest Content-Security-Policy suits it.
///
/// Threads  Safe.
std::span<const Asset> FrontendAssets();

/// The same for the client's page.
std::span<const Asset> ClientAssets();

}  // namespace twofold::web
