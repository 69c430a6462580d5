// YAML to model::Device through the table of keys: walks the maps, finds each value's source, and places every
// complaint.
#include "platform/devices.h"

#include "base/error.h"
#include "base/file.h"
#include "base/yaml.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <set>
#include <system_error>

namespace tandem::platform {

namespace {

using base::UserError;
using model::Device;

class DeviceReader {
public:
  explicit DeviceReader(const std::string& path) : path_(path) {}

  Device read() {
    const YAML::Node root = base::load_yaml(base::read_text_file(path_, base::MOST_YAML_BYTES), path_);
    if (!root.IsMap())
      fail(root, "a device file is a map of keys, as 'name: my-gpu'");
    device_.file = path_;
    read_map(root, "");
    finish(root);
    return std::move(device_);
  }

private:
  [[noreturn]] void fail(const YAML::Node& node, const std::string& message) const {
    throw UserError(base::yaml_location(node.Mark(), path_), message);
  }

  std::string scalar(const YAML::Node& node, const std::string& what) const {
    if (!node.IsScalar())
      fail(node, what + " must be one value");
    return node.Scalar();
  }

  /// A map of the file: the whole of it, or the group `prefix` ("queue.") of dotted keys.
  void read_map(const YAML::Node& map, const std::string& prefix) {
    for (const auto& entry : map) {
      const std::string name = prefix + scalar(entry.first, "a key");
      if (!seen_.insert(name).second)
        fail(entry.first, fmt::format("key {} is given twice", base::in_quotes(name)));
      if (name == "name")
        device_.name = text_of(entry.second, name);
      else if (name == "source")
        file_source_ = text_of(entry.second, name);
      else if (is_group(name))
        read_group(entry.second, name);
      else
        read_key(entry.first, entry.second, name);
    }
  }

  std::string text_of(const YAML::Node& node, const std::string& name) const {
    std::string text = scalar(node, name);
    if (text.empty())
      fail(node, name + " must not be empty");
    return text;
  }

  static bool is_group(const std::string& name) {
    return std::ranges::any_of(device_keys(), [&](const DeviceKey& key) { return key.name.starts_with(name + "."); });
  }

  void read_group(const YAML::Node& node, const std::string& name) {
    if (!node.IsMap())
      fail(node, fmt::format("{} is a group; allowed: a map of keys", base::in_quotes(name)));
    read_map(node, name + ".");
  }

  void read_key(const YAML::Node& where, const YAML::Node& node, const std::string& name) {
    const DeviceKey* key = nullptr;
    try {
      key = &device_key(name);
    } catch (const UserError& error) {
      fail(where, error.what());
    }
    if (node.IsNull())
      fail(where, fmt::format("{} has no value ({})", name, key->unit));
    const YAML::Node value = node.IsMap() ? read_provenance(node, name) : node;
    if (!node.IsMap())
      plain_.insert(name);
    try {
      key->set(device_, value.IsSequence() ? rows_of(value, name) : scalar(value, name));
    } catch (const UserError& error) {
      const std::string message = error.what();
      if (message.starts_with(path_ + ":"))
        throw;
      fail(value, fmt::format("{}: {} ({})", name, message, key->unit));
    }
  }

  /// {value:, source:} or {value:, assumed:}; returns the value.
  YAML::Node read_provenance(const YAML::Node& map, const std::string& name) {
    YAML::Node value;
    bool has_value = false;
    for (const auto& entry : map) {
      const std::string word = scalar(entry.first, "a key");
      if (word == "value") {
        value.reset(entry.second);
        has_value = true;
      } else if (word == "source" || word == "assumed") {
        if (device_.sources.contains(name))
          fail(entry.first, name + ": give either 'source' or 'assumed', once");
        const std::string text = text_of(entry.second, fmt::format("{}.{}", name, word));
        device_.sources[name] = word == "source" ? text : "assumed: " + text;
        if (word == "assumed")
          device_.assumed.push_back(name);
      } else {
        fail(entry.first, name + ": " + base::unknown_word("key", word, {"value", "source", "assumed"}));
      }
    }
    if (!has_value)
      fail(map, name + " has no 'value'");
    if (!device_.sources.contains(name))
      plain_.insert(name);
    return value;
  }

  /// A list of {intensity:, entries:} in the notation of the command line.
  std::string rows_of(const YAML::Node& list, const std::string& name) const {
    std::string text;
    for (const YAML::Node& row : list) {
      if (!row.IsMap())
        fail(row, name + ": each row is {intensity: 0.5, entries: 5}");
      std::map<std::string, std::string> cells;
      for (const auto& entry : row) {
        const std::string word = scalar(entry.first, "a key");
        if (word != "intensity" && word != "entries")
          fail(entry.first, name + ": " + base::unknown_word("key", word, {"intensity", "entries"}));
        if (!cells.emplace(word, scalar(entry.second, word)).second)
          fail(entry.first, fmt::format("key '{}' is given twice", word));
      }
      if (cells.size() != 2)
        fail(row, name + ": each row needs 'intensity' and 'entries'");
      text += fmt::format("{}{}:{}", text.empty() ? "" : ",", cells["intensity"], cells["entries"]);
    }
    return text.empty() ? "none" : text;
  }

  void finish(const YAML::Node& root) {
    if (device_.name.empty())
      fail(root, "a device file needs the key 'name'");
    for (const DeviceKey& key : device_keys()) {
      if (key.required && !seen_.contains(key.name))
        fail(root, fmt::format("device '{}' lacks the key '{}' ({}): {}", device_.name, key.name, key.unit, key.help));
    }
    if (device_.peak.empty())
      fail(root, fmt::format("device '{}' states no peak; allowed: 'peak: {{fp16: 312TFLOPS}}'", device_.name));
    settle_sources();
  }

  /// Gives the file's source to the plain values, and sorts the assumed keys in the order of the table.
  void settle_sources() {
    std::set<std::string> assumed(device_.assumed.begin(), device_.assumed.end());
    for (const DeviceKey& key : device_keys()) {
      if (!seen_.contains(key.name) && !key.get(device_).empty()) {
        device_.sources[key.name] = "assumed: default";
        assumed.insert(key.name);
      } else if (plain_.contains(key.name)) {
        device_.sources[key.name] = file_source_.empty() ? "assumed: no source given" : file_source_;
        if (file_source_.empty())
          assumed.insert(key.name);
      }
    }
    device_.assumed.clear();
    for (const DeviceKey& key : device_keys()) {
      if (assumed.contains(key.name))
        device_.assumed.push_back(key.name);
    }
  }

  std::string path_;
  Device device_;
  std::string file_source_;
  std::set<std::string> seen_;  ///< keys and groups of the file, dotted
  std::set<std::string> plain_; ///< keys without a source of their own
};

bool is_file(const std::filesystem::path& path) {
  std::error_code ignored; // what cannot be examined is not a file to us; find_device lists where it looked
  return std::filesystem::is_regular_file(path, ignored);
}

/// Names of the devices that the search paths hold, sorted.
std::vector<std::string> device_names(const std::vector<std::string>& search_paths) {
  std::set<std::string> names;
  for (const std::string& path : search_paths) {
    if (is_file(path)) {
      names.insert(std::filesystem::path(path).stem());
      continue;
    }
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
      if (entry.path().extension() == ".yaml")
        names.insert(entry.path().stem());
    }
  }
  return {names.begin(), names.end()};
}

} // namespace

Device read_device(const std::string& path) {
  return DeviceReader(path).read();
}

Device find_device(const std::string& name, const std::vector<std::string>& search_paths) {
  for (const std::string& search_path : search_paths) {
    const std::filesystem::path path(search_path);
    std::filesystem::path candidate = path / (name + ".yaml");
    if (is_file(path))
      candidate = path.stem() == name ? path : std::filesystem::path();
    if (name.empty() || name.find('/') != std::string::npos || !is_file(candidate))
      continue;
    Device device = read_device(candidate);
    if (device.name != name)
      throw UserError({candidate}, fmt::format("the device is named {} inside, but the file is named {}",
                                               base::in_quotes(device.name), base::in_quotes(name)));
    return device;
  }
  throw UserError(fmt::format("{} (searched: {})", base::unknown_word("device", name, device_names(search_paths)),
                              search_paths.empty() ? "nowhere" : fmt::format("{}", fmt::join(search_paths, ", "))));
}

} // namespace tandem::platform
