// Platform and device files that are wrong, as a user meets the refusal. The readers' own tests go deeper.
#include "app/hostile.h"

#include <gtest/gtest.h>

namespace tandem::app {
namespace {

class HostilePlatform : public testing::TestWithParam<Hostile> {};
TEST_P(HostilePlatform, IsRefused) {
  expect_refused(GetParam());
}

const std::string TWO_GPUS = gpu("a") + gpu("b");

std::string with_link(const std::string& bandwidth, const std::string& latency) {
  return platform_of(TWO_GPUS + "<link id='l' bandwidth='" + bandwidth + "' latency='" + latency +
                     "'/>\n<route src='a' dst='b'><link_ctn id='l'/></route>");
}

Hostile bad_link(const std::string& name, const std::string& bandwidth, const std::string& message) {
  return bad_platform(name, with_link(bandwidth, "0"), "p\\.xml:5:25: bandwidth of <link>: " + message);
}

const std::vector<Hostile> NUMBERS = {
    bad_link("NotANumber", "nan", ".*finite"),
    bad_link("Infinite", "infGBps", ".*finite"),
    bad_link("Negative", "-1GBps", ".*minus"),
    bad_link("NegativeZero", "-0GBps", ".*minus"),
    bad_link("Zero", "0GBps", ".*above 0"),
    bad_link("BeyondDouble", "1e400GBps", ".*range"),
    bad_link("SizeAsBandwidth", "150GB", ".*unknown unit 'GB'"),
    bad_link("ThousandsSeparator", "1,500GBps", ".*unknown unit"),
    bad_link("Hexadecimal", "0x10GBps", ".*unknown unit"),
    bad_platform("Empty", with_link("", "0"), "p\\.xml:5:14: bandwidth of <link>: .*empty"),
    bad_platform("NegativeLatency", with_link("1GBps", "-1us"), "p\\.xml:5:[0-9]+: latency of <link>: .*minus"),
    bad_platform("NoSpeed", platform_of("<host id='a' speed='0' core='80'/>"), "p\\.xml:3:.*above 0"),
};
INSTANTIATE_TEST_SUITE_P(Numbers, HostilePlatform, testing::ValuesIn(NUMBERS),
                         row_name<testing::TestParamInfo<Hostile>>);

TEST(PlatformCheck, APlatformWithoutAGpuCannotBeUsed) {
  const Folder folder({{"p.xml", platform_of("<host id='nic0' speed='1f'/>")}});
  const auto outcome = run({.arguments = {"platform", "check", folder.file("p.xml")}});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err,
            "error: " + folder.file("p.xml") + ": no GPU: no host has a <prop id=\"device\" value=\"...\"/>\n");
}

const std::vector<Hostile> STRUCTURE = {
    bad_platform("Empty", "", "p\\.xml:1:1: the file is empty"),
    bad_platform("Truncated", ring(2).substr(0, 200), "p\\.xml:[0-9]+:[0-9]+: not valid XML"),
    bad_platform("NotXml", sound_workload(), "p\\.xml:1:1:"),
    bad_platform("NoHosts", platform_of(""), "p\\.xml: no GPU"),
    bad_platform("NoGpus", platform_of("<host id='nic0' speed='1f'/>\n<host id='nic1' speed='1f'/>"),
                 "p\\.xml: no GPU"),
    bad_platform("DuplicateHost", platform_of(gpu("a") + gpu("a")), "p\\.xml:4:[0-9]+: .*'a'.*already defined at.*3"),
    bad_platform("MissingLink", platform_of(TWO_GPUS + "<route src='a' dst='b'><link_ctn id='l'/></route>"),
                 "p\\.xml:5:[0-9]+: .*unknown link 'l'"),
    bad_platform("UnknownAttribute", platform_of("<host id='a' speed='1Gf' cores='8'/>"),
                 "p\\.xml:3:26: unknown attribute of <host> 'cores' \\(did you mean 'core'\\?\\)"),
    bad_platform("UnknownElement", platform_of("<hots id='a' speed='1Gf'/>"), "p\\.xml:3:2: .*did you mean 'host'"),
    bad_platform("Disconnected", platform_of(TWO_GPUS), "p\\.xml: .*no route.*'a'.*'b'"),
    bad_platform("OneWayOnly",
                 platform_of(TWO_GPUS + "<link id='l' bandwidth='1GBps' latency='0'/>\n"
                                        "<route src='a' dst='b' symmetrical='NO'><link_ctn id='l'/></route>"),
                 "p\\.xml: .*no route.*'b'.*'a'"),
    bad_platform("Torus",
                 "<platform version='4.1'>\n<cluster id='c' prefix='n' suffix='' radical='0-3' speed='1Gf' bw='1GBps' "
                 "lat='0' topology='TORUS' topo_parameters='1,4'/>\n</platform>\n",
                 "p\\.xml:2:[0-9]+: .*TORUS is not supported"),
    bad_platform("UnknownDevice", platform_of("<host id='a' speed='1Gf'><prop id='device' value='t3-gpo'/></host>"),
                 "p\\.xml:3:11: .*unknown device 't3-gpo' \\(did you mean 't3-gpu'\\?\\)"),
    bad_platform("WrongCores",
                 platform_of("<host id='a' speed='1Gf' core='81'><prop id='device' value='t3-gpu'/></host>"),
                 "p\\.xml:3:11: .*81 cores.*80 SMs"),
    {"MixedGpus",
     {{"p.xml", platform_of(gpu("a") + "<host id='b' speed='7.49568Tf' core='132'><prop id='device' value='h100-sxm'/>"
                                       "</host>\n<link id='l' bandwidth='1GBps' latency='0'/>\n"
                                       "<route src='a' dst='b'><link_ctn id='l'/></route>")}},
     {},
     "strategy sequential cannot do OP: .*GPUs",
     1},
};
INSTANTIATE_TEST_SUITE_P(Structure, HostilePlatform, testing::ValuesIn(STRUCTURE),
                         row_name<testing::TestParamInfo<Hostile>>);

/// A device file in the folder `devices`, which is looked at first.
Hostile bad_device(const std::string& name, const std::string& text, const std::string& message) {
  return {name, {{"mine/t3-gpu.yaml", text}}, {"--devices", "mine"}, message};
}

const std::vector<Hostile> DEVICES = {
    bad_device("Empty", "", "mine/t3-gpu\\.yaml"),
    bad_device("List", "- sms\n", "mine/t3-gpu\\.yaml:1:1: .*map"),
    bad_device("UnknownKey", "name: t3-gpu\nhbm_bandwith: 1TBps\n",
               "mine/t3-gpu\\.yaml:2:1: unknown device key 'hbm_bandwith' \\(did you mean 'hbm_bandwidth'\\?\\)"),
    bad_device("MissingKey", "name: t3-gpu\nsms: 80\n", "mine/t3-gpu\\.yaml:1:1: .*lacks the key"),
    bad_device("BareBandwidth", "name: t3-gpu\nhbm_bandwidth: 1000G\n",
               "mine/t3-gpu\\.yaml:2:16: .*does not say bits or bytes"),
    bad_device("NoSms", "name: t3-gpu\nsms: 0\n", "mine/t3-gpu\\.yaml:2:6: .*out of range"),
    bad_device("EfficiencyAboveOne", "name: t3-gpu\ngemm_efficiency: 1.1\n",
               "mine/t3-gpu\\.yaml:2:18: .*above 0, up to 1"),
    bad_device("OtherName", text_of(repository("platforms/devices/h100-sxm.yaml")),
               "mine/t3-gpu\\.yaml: the device is named 'h100-sxm' inside"),
};
INSTANTIATE_TEST_SUITE_P(Devices, HostilePlatform, testing::ValuesIn(DEVICES),
                         row_name<testing::TestParamInfo<Hostile>>);

} // namespace
} // namespace tandem::app
