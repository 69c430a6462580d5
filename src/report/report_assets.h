// Style and program of the page, as text: the files of report/assets, which the build puts into the program.
#pragma once

namespace tandem::report {

extern const char* const REPORT_STYLE;
extern const char* const REPORT_PROGRAM;

} // namespace tandem::report
