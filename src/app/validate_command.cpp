// tandem validate --fit: constants of a device from the user's own measurements.
#include "app/commands.h"
#include "app/options.h"
#include "app/shipped_files.h"
#include "base/error.h"
#include "platform/devices.h"
#include "report/kernel_fit_table.h"
#include "study/fit_kernels.h"
#include "workload/kernel_times.h"

#include <memory>

namespace tandem::app {

namespace {

constexpr std::size_t WIDTH = 132;

struct ValidateFlags {
  std::vector<std::string> fit; ///< what, and the file
  std::string device, gpu;
  std::vector<std::string> devices;
  Output output;
  Verbosity verbosity;
};

void run_fit(const ValidateFlags& flags, const Origins& origins) {
  flags.verbosity.apply();
  const auto format = flags.output.choose(origins).format;
  if (flags.fit[0] != "kernels")
    throw base::UserError("--fit: " + base::unknown_word("kind of measurement", flags.fit[0], {"kernels"}));
  auto paths = flags.devices;
  paths.push_back(shipped_folder("platforms/devices"));
  const auto device = platform::find_device(flags.device, paths);
  auto fit = study::fit_kernels(device, workload::read_kernel_times(flags.fit[1], flags.gpu));
  fit.file = flags.fit[1];
  if (format == "json")
    flags.output.write(report::kernel_fit_json(fit, program_version()));
  else if (format == "csv")
    flags.output.write(report::kernel_fit_csv(fit));
  else
    flags.output.write(report::kernel_fit_table(fit, {.width = WIDTH}));
}

} // namespace

void add_validate(CLI::App& app) {
  auto flags = std::make_shared<ValidateFlags>();
  auto* command = app.add_subcommand("validate", "fit a device's constants to measured kernel times");
  command->footer(
      "Examples:\n"
      "  tandem validate --fit kernels workloads/validation/gemm.csv --gpu 'V100 (CUDA10.1)' --device v100-sxm\n"
      "  tandem validate --fit kernels workloads/validation/gemm.csv --gpu 'H800 (NVCC 12.8)' --device h100-sxm\n"
      "FILE is a table (CSV) with the columns gpu, dtype, m, n, k and time_us, a row for each measured GEMM.");
  command
      ->add_option("--fit", flags->fit,
                   "what was measured (kernels) and the table: fits every other shape, and checks the rest")
      ->type_name("WHAT FILE")
      ->expected(2)
      ->required();
  command->add_option("--device", flags->device, "device whose constants are fitted: a name, or a device file")
      ->type_name("NAME")
      ->required()
      ->check(not_empty());
  command->add_option("--gpu", flags->gpu, "rows of this GPU only (default: all, which must be of one GPU)")
      ->type_name("NAME")
      ->check(not_empty());
  add_repeatable(*command, "--devices", flags->devices, "device file, or folder of device files, to look in first")
      ->type_name("PATH");
  flags->output.add_to(*command);
  flags->verbosity.add_to(*command);
  command->callback([flags, command] { run_fit(*flags, apply_environment(*command)); });
}

} // namespace tandem::app
