# cmake -D OUTPUT=assets.cc -D FOLDER=... -P embed.cmake: writes the files of the pages, compressed, as C++.
# FOLDER/NAME.gz is the file NAME of each page; the list of pages and files is here alone.

# twofold_asset(PAGE PATH FILE TYPE): appends one row to `rows`, and its bytes to `bytes`.
function(twofold_asset page path file type)
  file(READ ${FOLDER}/${page}/${file}.gz hex HEX)
  file(SHA256 ${FOLDER}/${page}/${file}.gz hash)
  string(SUBSTRING ${hash} 0 16 hash)
  string(MAKE_C_IDENTIFIER "k_${page}_${file}" name)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," literals "${hex}")
  string(APPEND bytes "constexpr char ${name}[] = {${literals}};\n")
  string(APPEND rows_${page} "    {\"${path}\", \"${type}\", {${name}, sizeof ${name}}, \"\\\"${hash}\\\"\"},\n")
  set(bytes "${bytes}" PARENT_SCOPE)
  set(rows_${page} "${rows_${page}}" PARENT_SCOPE)
endfunction()

foreach(page frontend client)
  twofold_asset(${page} / index.html "text/html; charset=utf-8")
  twofold_asset(${page} /app.js app.js "text/javascript; charset=utf-8")
  twofold_asset(${page} /app.css app.css "text/css; charset=utf-8")
  twofold_asset(${page} /icon.svg icon.svg "image/svg+xml")
endforeach()

file(WRITE ${OUTPUT} "#include \"web/assets.h\"

namespace twofold::web {
namespace {

${bytes}
constexpr Asset kFrontend[] = {
${rows_frontend}};
constexpr Asset kClient[] = {
${rows_client}};

}  // namespace

std::span<const Asset> FrontendAssets() { return kFrontend; }
std::span<const Asset> ClientAssets() { return kClient; }

}  // namespace twofold::web
")
