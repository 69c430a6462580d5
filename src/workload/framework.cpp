// YAML to model::HostIssue.
#include "workload/framework.h"

#include "base/error.h"
#include "base/file.h"
#include "base/yaml.h"
#include "workload/yaml_map.h"

#include <algorithm>
#include <filesystem>

namespace tandem::workload {

namespace {

base::Seconds issue_time(const YamlMap& map, const std::string& key) {
  try {
    return base::parse_seconds(map.text(key));
  } catch (const base::UserError& error) {
    map.fail(key, key + ": " + error.what());
  }
}

model::HostIssue read_framework(const std::string& path) {
  const YamlMap map(base::load_yaml(base::read_text_file(path, base::MOST_YAML_BYTES), path), path, "",
                    framework_keys());
  (void)map.text("source");
  return {map.text("name"), path, issue_time(map, "kernel_issue"), issue_time(map, "collective_issue")};
}

} // namespace

model::HostIssue find_framework(const std::string& name, const std::vector<std::string>& folders) {
  std::error_code error;
  if (std::filesystem::is_regular_file(name, error))
    return read_framework(name);
  std::vector<std::string> known{"none"};
  for (const auto& folder : folders)
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
      if (entry->path().extension() == ".yaml") {
        known.push_back(entry->path().stem());
        if (known.back() == name)
          return read_framework(entry->path());
      }
  std::sort(known.begin(), known.end());
  throw base::UserError(base::unknown_word("framework (a file, or a name)", name, known));
}

const std::vector<KeyInfo>& framework_keys() {
  static const std::vector<KeyInfo> keys{
      {"", "name", "text", true, "", "name of the framework, as results have it", 0, 0, {}},
      {"", "source", "text", true, "", "where the numbers come from", 0, 0, {}},
      {"",
       "kernel_issue",
       "time, as 30us",
       true,
       "",
       "of the host's time for each kernel that it launches: interpreter, dispatch, allocation and driver",
       0,
       0,
       {}},
      {"",
       "collective_issue",
       "time, as 90us",
       true,
       "",
       "of the host's time for each call of a collective, a send or a receive",
       0,
       0,
       {}},
  };
  return keys;
}

} // namespace tandem::workload
