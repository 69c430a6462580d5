// Pieces of Markdown for the pages that the program writes about itself.
#pragma once

#include <string>
#include <vector>

namespace tandem::app {

/// A table; cells are escaped. Precondition: every row has as many cells as the header.
std::string markdown_table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows);

/// `text` as code; "" stays empty.
std::string code(const std::string& text);

/// Words as code, separated by commas.
std::string code_list(const std::vector<std::string>& words);

} // namespace tandem::app
