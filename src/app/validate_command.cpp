// tandem validate: predicted beside measured iterations, and constants of a device from the user's own measurements.
#include "app/commands.h"
#include "app/exit_codes.h"
#include "app/options.h"
#include "app/progress.h"
#include "app/shipped_files.h"
#include "app/validate_sets.h"
#include "base/error.h"
#include "platform/devices.h"
#include "report/kernel_fit_table.h"
#include "report/validation_table.h"
#include "study/fit_kernels.h"
#include "workload/kernel_times.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <unistd.h>
#include <utility>

namespace tandem::app {

namespace {

constexpr std::size_t VALIDATION_WIDTH = 160;

struct ValidateFlags {
  std::vector<std::string> sets;
  std::vector<std::string> fit; ///< what, and the file
  std::string device, gpu;
  std::vector<std::string> devices;
  std::vector<std::string> constants; ///< that are fitted; none: all
  int jobs = 0;
  Output output;
  Verbosity verbosity;
};

void run_fit(const ValidateFlags& flags, const std::string& format) {
  if (flags.device.empty())
    throw base::UserError("--fit needs --device: the device whose constants are fitted");
  if (flags.fit[0] != "kernels")
    throw base::UserError("--fit: " + base::unknown_word("kind of measurement", flags.fit[0], {"kernels"}));
  auto paths = flags.devices;
  paths.push_back(shipped_folder("platforms/devices"));
  const auto device = platform::find_device(flags.device, paths);
  auto fit = study::fit_kernels(device, workload::read_kernel_times(flags.fit[1], flags.gpu), flags.constants);
  fit.file = flags.fit[1];
  if (format == "json")
    flags.output.write(report::kernel_fit_json(fit, program_version()));
  else if (format == "csv")
    flags.output.write(report::kernel_fit_csv(fit));
  else
    flags.output.write(report::kernel_fit_table(fit, {.width = VALIDATION_WIDTH}));
}

void run_sets(const ValidateFlags& flags, const std::string& format) {
  if (!flags.constants.empty())
    throw base::UserError("--constants is for --fit; a set names its platform");
  for (const auto& [flag, value] : {std::pair{"--device", flags.device}, std::pair{"--gpu", flags.gpu}})
    if (!value.empty() || !flags.devices.empty())
      throw base::UserError(std::string(value.empty() ? "--devices" : flag) +
                            " is for --fit; a set names its platform");
  const auto files = validation_files(flags.sets);
  std::vector<model::ValidationResult> results;
  {
    Progress progress;
    std::function<void(std::size_t, std::size_t)> show;
    if (!flags.verbosity.quiet)
      show = [&progress](std::size_t done, std::size_t count) { progress.show({.done = done, .all = count}); };
    results = validate_sets(files, flags.jobs, show);
  }
  const bool terminal = flags.output.file == "-" && isatty(STDOUT_FILENO) != 0;
  if (format == "json")
    flags.output.write(report::validation_json(results, program_version()));
  else if (format == "csv")
    flags.output.write(report::validation_csv(results));
  else
    flags.output.write(report::validation_table(results, {.width = VALIDATION_WIDTH, .colour = terminal}));
  if (!std::all_of(results.begin(), results.end(), [](const auto& result) { return result.is_within_tolerance(); }))
    throw OutOfTolerance("a set is outside its tolerance");
}

void run_validate(const ValidateFlags& flags, const Origins& origins) {
  flags.verbosity.apply();
  const auto format = flags.output.choose(origins).format;
  if (!flags.fit.empty() && !flags.sets.empty())
    throw base::UserError("--fit makes constants and a SET checks predictions; give one");
  if (flags.fit.empty())
    run_sets(flags, format);
  else
    run_fit(flags, format);
}

} // namespace

void add_validate(CLI::App& app) {
  auto flags = std::make_shared<ValidateFlags>();
  auto* command = app.add_subcommand(
      "validate", "compare with published iteration times, or fit a device's constants to measured kernel times");
  command->footer(
      "Examples:\n"
      "  tandem validate megatron-sc21\n"
      "  tandem validate --fit kernels workloads/validation/gemm.csv --gpu 'V100 (CUDA10.1)' --device v100-sxm\n"
      "  tandem validate --fit kernels workloads/validation/gemm.csv --gpu 'H800 (NVCC 12.8)' --device h100-sxm\n"
      "  tandem validate --fit kernels workloads/validation/gemm-a100.csv --gpu A100 --device a100-sxm-40 --constants "
      "gemm_efficiency,gemm_wave_setup\n"
      "SET is a name of workloads/validation/, or a YAML file (docs/inputs.md); without one all of them run.\n"
      "FILE is a table (CSV) with the columns gpu, dtype, m, n, k and time_us, and batch where products are batched: a "
      "row for each measured GEMM.");
  command->add_option("set", flags->sets, "sets of measured iterations (default: all that come with Tandem)")
      ->type_name("SET");
  command
      ->add_option("--fit", flags->fit,
                   "what was measured (kernels) and the table: fits every other shape, and checks the rest")
      ->type_name("WHAT FILE")
      ->expected(2);
  command
      ->add_option("--constants", flags->constants,
                   "fit these constants only, as gemm_efficiency,gemm_wave_setup, where rows are few (default: all)")
      ->delimiter(',')
      ->type_name("LIST");
  command->add_option("--device", flags->device, "device whose constants are fitted: a name, or a device file")
      ->type_name("NAME")
      ->check(not_empty());
  command->add_option("--gpu", flags->gpu, "rows of this GPU only (default: all, which must be of one GPU)")
      ->type_name("NAME")
      ->check(not_empty());
  add_repeatable(*command, "--devices", flags->devices, "device file, or folder of device files, to look in first")
      ->type_name("PATH");
  add_jobs(*command, flags->jobs);
  flags->output.add_to(*command);
  flags->verbosity.add_to(*command);
  command->callback([flags, command] { run_validate(*flags, apply_environment(*command)); });
}

} // namespace tandem::app
