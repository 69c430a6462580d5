// Flags to a store and a shard.
#include "app/sweep_flags.h"

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"

#include <filesystem>
#include <fmt/format.h>

namespace tandem::app {

void SweepFlags::add_to(CLI::App& command) {
  command.add_option("STUDY", study, "study file (YAML)")->required();
  command
      .add_option(
          "--store", store,
          "results, in one SQLite file: what is in it is not run again (default: the study's name with .sqlite, "
          "in the working directory)")
      ->type_name("FILE")
      ->check(not_empty());
  auto* dry =
      add_switch(command, "--dry-run", dry_run, "list the points with their state and estimated time, and stop");
  auto* part = command
                   .add_option("--shard", shard,
                               "run every N-th point only, from the I-th on, 0 <= I < N: one of N independent runs")
                   ->type_name("I/N")
                   ->check(not_empty());
  command
      .add_option("--merge", merge,
                  "run nothing: take the results of these stores, of shards, into the store, and write what there is")
      ->type_name("FILE...")
      ->check(not_empty())
      ->excludes(dry)
      ->excludes(part);
  auto* cluster = add_switch(command, "--slurm", slurm,
                             "run as a job array of Slurm and follow it; interrupted, the same command follows again")
                      ->excludes(dry)
                      ->excludes(part);
  constexpr int MOST_ARRAY = 4'000'000; // Slurm's own bound
  command.add_option("--array-size", array_size, "tasks of the array (default: 0, one for each point, 1000 at most)")
      ->type_name("N")
      ->check(whole_number(0, MOST_ARRAY))
      ->needs(cluster);
  command.add_option("--partition", partition, "partition of the array (default: the cluster's)")
      ->type_name("NAME")
      ->check(not_empty())
      ->needs(cluster);
  command
      .add_option("--time", time, "time limit of a task, as sbatch takes it: 30, 1:00:00 (default: the partition's)")
      ->type_name("TIME")
      ->check(not_empty())
      ->needs(cluster);
  add_repeatable(command, "--sbatch", sbatch, "another option for sbatch, as --sbatch=--mem=8G")
      ->type_name("OPTION")
      ->needs(cluster);
  add_jobs(command, jobs);
  output.add_to(command);
  verbosity.add_to(command);
}

std::string SweepFlags::store_path() const {
  return store.empty() ? std::filesystem::path(study).stem().string() + ".sqlite" : store;
}

std::vector<std::string> SweepFlags::sbatch_words() const {
  std::vector<std::string> words;
  if (!partition.empty())
    words.push_back("--partition=" + partition);
  if (!time.empty())
    words.push_back("--time=" + time);
  words.insert(words.end(), sbatch.begin(), sbatch.end());
  return words;
}

study::Shard SweepFlags::which_shard() const {
  if (shard.empty())
    return {};
  constexpr long long MOST_SHARDS = 1'000'000;
  const auto parts = base::split(shard, '/');
  if (parts.size() != 2)
    throw base::UserError(fmt::format("--shard: {} is not I/N", base::in_quotes(shard)));
  const auto number = [&](const std::string& part, long long least, long long most) {
    return value_of_flag("--shard " + shard, [&] { return base::parse_integer(part, least, most); });
  };
  const auto count = number(parts[1], 1, MOST_SHARDS);
  const auto index = number(parts[0], 0, count - 1);
  return {static_cast<std::size_t>(index), static_cast<std::size_t>(count)};
}

} // namespace tandem::app
