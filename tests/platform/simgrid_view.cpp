// Both views sort hosts and links by name and print every number with all its digits, latencies of routes with 12.
#include "simgrid_view.h"

#include "platform/platform.h"

#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <simgrid/s4u.hpp>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace tandem::platform {

namespace {

namespace sg4 = simgrid::s4u;

std::string host_line(const std::string& name, double speed, int cores) {
  return fmt::format("host {} {} {}\n", name, speed, cores);
}

std::string link_line(const std::string& name, double bandwidth, double latency, bool is_fatpipe) {
  return fmt::format("link {} {} {} {}\n", name, bandwidth, latency, is_fatpipe ? "FATPIPE" : "SHARED");
}

std::string no_route_line(const std::string& from, const std::string& to) {
  return fmt::format("{} -> {} none\n", from, to);
}

std::string route_line(const std::string& from, const std::string& to, const std::vector<std::string>& links,
                       double latency) {
  return fmt::format("{} -> {} {} {:.12g}\n", from, to, fmt::join(links, " "), latency);
}

std::string route_by_simgrid(const sg4::Host& from, const sg4::Host& to) {
  std::vector<sg4::Link*> links;
  double latency = 0.0;
  try {
    from.route_to(&to, links, &latency);
  } catch (const std::invalid_argument&) { // how Floyd and Dijkstra say that there is no route
    return no_route_line(from.get_name(), to.get_name());
  }
  if (links.empty()) // how Full says it
    return no_route_line(from.get_name(), to.get_name());
  std::vector<std::string> names;
  for (const sg4::Link* link : links)
    names.push_back(link->get_name());
  return route_line(from.get_name(), to.get_name(), names, latency);
}

std::string view_by_simgrid(const std::string& path) {
  std::string program = "view";
  std::string quiet = "--log=root.thresh:critical";
  std::vector<char*> arguments = {program.data(), quiet.data(), nullptr};
  int count = 2;
  sg4::Engine engine(&count, arguments.data());
  sg4::Engine::set_config("network/model:CM02");
  engine.load_platform(path);
  engine.seal_platform();
  std::map<std::string, std::string> lines;
  for (const sg4::Host* host : engine.get_all_hosts())
    lines["host " + host->get_name()] = host_line(host->get_name(), host->get_speed(), host->get_core_count());
  for (const sg4::Link* link : engine.get_all_links()) {
    if (link->get_name() != "__loopback__") // SimGrid's own, from a host to itself
      lines["link " + link->get_name()] = link_line(link->get_name(), link->get_bandwidth(), link->get_latency(),
                                                    link->get_sharing_policy() == sg4::Link::SharingPolicy::FATPIPE);
  }
  for (const sg4::Host* from : engine.get_all_hosts()) {
    for (const sg4::Host* to : engine.get_all_hosts()) {
      if (from != to)
        lines["route " + from->get_name() + " " + to->get_name()] = route_by_simgrid(*from, *to);
    }
  }
  std::string text;
  for (const auto& [key, line] : lines)
    text += line;
  return text;
}

} // namespace

SimgridView simgrid_view(const std::string& path) {
  int ends[2];
  if (pipe(ends) != 0)
    return {"pipe failed", true};
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    close(STDERR_FILENO); // SimGrid prints backtraces of files that it refuses
    alarm(20);            // and some disconnected Dijkstra zones never end
    std::string text;
    try {
      text = view_by_simgrid(path);
    } catch (const std::exception&) {
      _exit(1);
    }
    std::size_t written = 0;
    while (written < text.size()) {
      const ssize_t step = write(ends[1], text.data() + written, text.size() - written);
      if (step <= 0)
        _exit(1);
      written += static_cast<std::size_t>(step);
    }
    _exit(0);
  }
  close(ends[1]);
  SimgridView view;
  std::vector<char> buffer(65536);
  for (ssize_t got = 0; (got = read(ends[0], buffer.data(), buffer.size())) > 0;)
    view.text.append(buffer.data(), static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  view.failed = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  return view;
}

std::string tandem_view(const std::string& path, const std::string& devices) {
  const model::Cluster cluster = read_cluster(path, {devices});
  std::map<std::string, std::string> lines;
  for (const model::Host& host : cluster.hosts)
    lines["host " + host.name] = host_line(host.name, host.speed.value(), host.cores);
  for (const model::Link& link : cluster.links)
    lines["link " + link.name] =
        link_line(link.name, link.bandwidth.value(), link.latency.value(), link.sharing == model::Sharing::FATPIPE);
  for (std::uint32_t i = 0; i < cluster.hosts.size(); ++i) {
    for (std::uint32_t j = 0; j < cluster.hosts.size(); ++j) {
      if (i == j)
        continue;
      const std::string& from = cluster.hosts[i].name;
      const std::string& to = cluster.hosts[j].name;
      const auto route = cluster.router->route(model::HostId(i), model::HostId(j));
      std::vector<std::string> names;
      if (route) {
        for (const model::LinkId link : route->links)
          names.push_back(cluster.links[link.index].name);
      }
      lines["route " + from + " " + to] =
          route ? route_line(from, to, names, route->latency.value()) : no_route_line(from, to);
    }
  }
  std::string text;
  for (const auto& [key, line] : lines)
    text += line;
  return text;
}

} // namespace tandem::platform
