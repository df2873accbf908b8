#pragma once

namespace twofold::results {

/// The steps of the schema that have a file of their own; see AllMigrations.
extern const char* const kRunsAndMeasurements;
extern const char* const kPlacesOfBests;

}  // namespace twofold::results
