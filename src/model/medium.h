// What a link is made of.
#pragma once

#include <cstddef>
#include <string>

namespace tandem::model {

/// Algorithms and their costs differ by it, the simulated transfer does not. A route's medium is its slowest kind: the
/// last of these that it crosses.
enum class Medium { OTHER, NVLINK, XGMI, PCIE, NETWORK };
constexpr std::size_t MEDIA = 5;

/// "nvlink"; and back. Throws UserError with the nearest name.
std::string medium_name(Medium medium);
Medium medium_of(const std::string& name);

} // namespace tandem::model
