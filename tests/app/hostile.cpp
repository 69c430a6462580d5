// Sound input, and the checks that every refusal must pass.
#include "app/hostile.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::app {

const std::string& sound_workload() {
  static const std::string text = "title: sound\n"
                                  "platform: p.xml\n"
                                  "strategies: [sequential, t3]\n"
                                  "models:\n"
                                  "  - {name: a, hidden: 64, tokens: 32, tp: 2, heads: 4, sequence: 16}\n"
                                  "sublayers: [OP]\n";
  return text;
}

const std::string& sound_platform() {
  static const std::string text = ring(2);
  return text;
}

std::string platform_of(const std::string& body, const std::string& routing) {
  return "<platform version='4.1'>\n<zone id='z' routing='" + routing + "'>\n" + body + "\n</zone>\n</platform>\n";
}

std::string gpu(const std::string& name) {
  return "<host id='" + name + "' speed='1.4336Tf' core='80'><prop id='device' value='t3-gpu'/></host>\n";
}

std::string ring(int gpus, const std::string& bandwidth, const std::string& latency) {
  std::string hosts, links, routes;
  for (int i = 0; i < gpus; ++i) {
    const int next = (i + 1) % gpus;
    hosts += gpu(fmt::format("g{}", i));
    for (const char* way : {"up", "down"})
      links += fmt::format("<link id='{}{}' bandwidth='{}' latency='{}'/>\n", way, i, bandwidth, latency);
    if (gpus < 2 || (gpus == 2 && i == 1))
      continue;
    routes += fmt::format("<route src='g{}' dst='g{}' symmetrical='NO'><link_ctn id='up{}'/></route>\n", i, next, i);
    routes += fmt::format("<route src='g{}' dst='g{}' symmetrical='NO'><link_ctn id='down{}'/></route>\n", next, i, i);
  }
  return platform_of(hosts + links + routes, "Floyd");
}

std::string gemm_workload(const std::string& strategies, const std::string& gemm, const std::string& more) {
  return "platform: p.xml\nstrategies: [" + strategies + "]\ngemms: [{name: g, " + gemm + "}]\n" + more;
}

Hostile bad_workload(const std::string& name, const std::string& text, const std::string& message) {
  return {name, {{"w.yaml", text}}, {}, message};
}

Hostile bad_platform(const std::string& name, const std::string& text, const std::string& message) {
  return {name, {{"p.xml", text}}, {}, message};
}

Hostile bad_flags(const std::string& name, const std::vector<std::string>& flags, const std::string& message) {
  return {name, {}, flags, message};
}

void PrintTo(const Hostile& row, std::ostream* out) {
  *out << row.name << ":";
  for (const auto& argument : row.arguments)
    *out << " '" << argument << "'";
}

void expect_refused(const Hostile& row) {
  Files files = row.files;
  files.emplace("w.yaml", sound_workload());
  files.emplace("p.xml", sound_platform());
  files.emplace("out.json", "old\n");
  const Folder folder(files);
  const auto before = folder.names();
  const bool own_command = !row.arguments.empty() && !row.arguments.front().starts_with('-');
  std::vector<std::string> arguments;
  if (!own_command)
    arguments = {"compare", "w.yaml"};
  arguments.insert(arguments.end(), row.arguments.begin(), row.arguments.end());
  const bool own_output = std::find(arguments.begin(), arguments.end(), "-o") != arguments.end();
  if (!own_command && !own_output)
    arguments.insert(arguments.end(), {"-o", "out.json"});

  const auto outcome = run({.arguments = arguments, .folder = folder.path().string()});
  EXPECT_FALSE(outcome.too_long) << outcome.seconds << " s";
  EXPECT_EQ(outcome.signal, 0);
  EXPECT_EQ(outcome.code, row.code);
  EXPECT_THAT(outcome.err, testing::StartsWith("error: "));
  EXPECT_THAT(outcome.err, testing::ContainsRegex(row.message));
  EXPECT_THAT(outcome.err, testing::Not(testing::HasSubstr("bug in Tandem")));
  EXPECT_LT(outcome.err.size(), 2000U) << "a message that nobody reads";
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(folder.names(), before) << "something was left behind";
  EXPECT_EQ(folder.read("out.json"), "old\n");
}

} // namespace tandem::app
