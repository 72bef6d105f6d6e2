// SPDX-License-Identifier: Apache-2.0
/// Version, compiler, options and libraries of this build.
#include "build_info.h"

#include "cli/cli.h"

typedef struct library {
    const char *name, *version, *for_what;
    bool is_in;
} library;

static const library libraries[] = {
    {"jansson", SP_BUILD_JANSSON, "scenes", true},
    {"hdf5", SP_BUILD_HDF5, "frames and checkpoints", true},
    {"libpng", SP_BUILD_PNG, "pictures and height maps", SPUME_WITH_PNG},
    {"libmicrohttpd", SP_BUILD_MICROHTTPD, "the page's web server", SPUME_WITH_PAGE},
    {"embree", SP_BUILD_EMBREE, "path-traced pictures", SPUME_WITH_EMBREE},
    {"openvdb", SP_BUILD_OPENVDB, "volumes for Houdini and Blender", SPUME_WITH_VDB},
    {"fftw", SP_BUILD_FFTW, "the procedural ocean", SPUME_WITH_FFTW},
    {"openmp", SP_BUILD_OPENMP, "threads", SPUME_WITH_OPENMP},
};
enum { LIBRARIES = sizeof libraries / sizeof *libraries };

void cli_build_json(sp_text *out)
{
    sp_text_format(out,
                   "{\"version\":\"%s\",\"compiler\":\"%s\",\"build\":\"%s\",\"machine\":\"%s\","
                   "\"sanitizers\":\"%s\",\"libraries\":{",
                   SPUME_VERSION, SP_BUILD_COMPILER, SP_BUILD_TYPE, SP_BUILD_MACHINE,
                   SP_BUILD_SANITIZERS);
    for (int i = 0; i < LIBRARIES; ++i) {
        sp_text_format(out, "%s\"%s\":", i ? "," : "", libraries[i].name);
        sp_text_quote(out, libraries[i].is_in ? libraries[i].version : NULL);
    }
    sp_text_add(out, "}}");
}

void cli_build_text(FILE *out)
{
    fprintf(out, "spume %s\n", SPUME_VERSION);
    fprintf(out, "built with %s, %s, for %s%s%s\n", SP_BUILD_COMPILER, SP_BUILD_TYPE,
            SP_BUILD_MACHINE, SP_BUILD_SANITIZERS[0] ? ", sanitizers " : "", SP_BUILD_SANITIZERS);
    for (int i = 0; i < LIBRARIES; ++i)
        fprintf(out, "  %-13s %-10s %s\n", libraries[i].name,
                libraries[i].is_in ? libraries[i].version : "left out", libraries[i].for_what);
}
