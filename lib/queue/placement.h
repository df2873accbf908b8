#pragma once

#include <string_view>

namespace twofold::queue {

/// Where a job may run, as lines of text, so that it is kept, compared and recorded as it is:
///
///     label KEY=VALUE    its workers have this label; so for each such line
///     node NAME          they are on this node, or on that of another such line
///
/// No line: anywhere. A worker says of itself what labels it has, a line "KEY=VALUE" each.
///
/// Cost     Linear in the product of both texts: a few hundred nanoseconds as people use them.
bool Suits(std::string_view placement, std::string_view labels, std::string_view node);

/// The words that the lines of a placement begin with.
inline constexpr std::string_view kPlacementLabel = "label ";
inline constexpr std::string_view kPlacementNode = "node ";

/// Takes the first line off a text, without the end of the line. REQUIRES: the text is not empty.
std::string_view TakeLine(std::string_view& text);

}  // namespace twofold::queue
