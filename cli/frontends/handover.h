#pragma once

#include <functional>
#include <string>

#include "lib/common/result.h"
#include "twofold/v1/frontends.pb.h"

/// Handing queues over from frontend to frontend: what may be asked, and what is left to do. Pure.
namespace twofold::cli {

/// The frontend called `given`, which may lack scalability-tester-.
///
/// Errors   kNotFound: there is none; with a hint.
Result<v1::Frontend> FindFrontend(const v1::ListFrontendsReply& list, const std::string& given);

/// A list of what belongs to this queue, and no more.
///
/// Errors   kNotFound: there is no such queue; with a hint.
Result<v1::ListFrontendsReply> OnlyOf(const v1::ListFrontendsReply& list, const std::string& queue);

/// Whether another frontend than `name` could take queues.
///
/// Errors   kFailedPrecondition: none could, and why.
Status CheckOthers(const v1::ListFrontendsReply& list, const std::string& name);

/// What is not done yet, for people; empty: all is.
using Left = std::function<std::string(const v1::ListFrontendsReply&)>;

/// `frontend` serves nothing any more, and others serve what it serves now.
Left LeftToDrain(const v1::Frontend& frontend);

/// The frontend called `to` serves the queue, and answers.
Left LeftToMove(const std::string& queue, const std::string& to);

}  // namespace twofold::cli
