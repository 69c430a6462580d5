// Reads the values of strategy parameters, with errors in the user's terms.
#pragma once

#include "collective/strategy.h"

#include <string>
#include <vector>

namespace tandem::collective {

/// A whole number in [minimum, maximum]. Throws UserError that names the parameter.
int whole_parameter(const Parameters& parameters, const std::string& name, int minimum, int maximum);
constexpr int MOST_SMS = 4096;
/// Throws UserError when the parameter `sms` asks for more than the cluster's GPUs have.
void check_sms(int sms, const model::Cluster& cluster);
/// One of `allowed`. Throws UserError with the nearest match.
std::string word_parameter(const Parameters& parameters, const std::string& name,
                           const std::vector<std::string>& allowed);

} // namespace tandem::collective
