#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/suite/mpirun.h"

namespace twofold::suite {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(MpirunOptions, WhatShapesARunIsListed) {
  EXPECT_THAT(UnlistedMpirunOptions({}), IsEmpty());
  EXPECT_THAT(UnlistedMpirunOptions({"--report-bindings", "--map-by", "ppr:2:node", "-mca", "btl",
                                     "^openib", "--mca", "btl_tcp_if_include", "10.0.0.0/8", "-x",
                                     "UCX_NET_DEVICES=mlx5_0:1", "--bind-to", "core"}),
              IsEmpty());
}

TEST(MpirunOptions, WhatStartsProgramsOrReachesFilesIsNot) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"--mca", "plm_rsh_agent", "sh"},
           {"--mca", "orte_launch_agent", "sh"},
           {"--mca", "mca_base_component_path", "here"},
           {"--mca", "mca_base_param_files", "here"},
           {"--mca", "orte_fork_agent", "sh"},
           {"--mca", "coll_tuned_dynamic_rules_filename", "/etc/passwd"},
           {"--mca", "btl", "tcp;touch x"},
           {"--mca", "btl", "$(touch x)"},
           {"--mca", "btl"},
           {"--mca", "btl_x;touch x", "1"},
           {"--mca", "btl_/x_tcp_if_include", "eth0"},
           {"-x", "LD_PRELOAD=x.so"},
           {"-x", "TWOFOLD_TOKEN"},
           {"-x", "OMPI_MCA_mca_base_component_path=here"},
           {"-x", "UCX_MODULE_DIR=here"},
           {"-x", "UCX_TLS=/x"},
           {"--map-by", "rankfile:file=x"},
       }) {
    EXPECT_EQ(UnlistedMpirunOptions(arguments).size(), 1U) << arguments.back();
  }
  for (const char* argument : {"--launch-agent",
                               "--prefix",
                               "--output-filename",
                               "--appfile",
                               "--tune",
                               "--am",
                               "--wdir",
                               "--preload-files",
                               "--preload-binary",
                               "--host",
                               "--hostfile",
                               "-np",
                               "/bin/sh",
                               "sh",
                               "",
                               "-",
                               "--",
                               "--mca=x",
                               "---mca",
                               "--display-map=x"}) {
    EXPECT_THAT(UnlistedMpirunOptions({argument}), ElementsAre(argument));
  }
}

// Values of one that is unlisted are looked at as options: none of them hides.
TEST(MpirunOptions, AllThatIsUnlistedIsNamed) {
  EXPECT_THAT(UnlistedMpirunOptions({"--prefix", "/x", "--quiet", "--mca", "plm", "rsh"}),
              ElementsAre("--prefix", "/x", "--mca plm rsh"));
}

}  // namespace
}  // namespace twofold::suite
