// SPDX-License-Identifier: Apache-2.0
/// Spume from C++: the headers are plain C, a unique_ptr closes what was opened, and algorithms run on
/// the arrays without a copy.
#include <spume/spume.h>

#include <algorithm>
#include <cstdio>
#include <memory>

struct close_pond {
    void operator()(sp_pond *pond) const
    {
        sp_pond_close(pond);
    }
};

int main()
{
    sp_pond_nozzle nozzle = sp_pond_nozzle();
    nozzle.x = nozzle.y = 0.2f;
    nozzle.rate = 20;
    nozzle.radius = 0.004f;
    nozzle.jitter = 0.1f;
    nozzle.on = true;

    sp_pond_def def = sp_pond_defaults();
    def.nx = def.ny = 40;
    def.nozzles = &nozzle;
    def.nozzle_count = 1;

    sp_error err = sp_error();
    sp_pond *opened = nullptr;
    if (sp_pond_open(&def, nullptr, &opened, &err) != SP_OK) {
        std::fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    const std::unique_ptr<sp_pond, close_pond> pond(opened);
    for (int k = 1; k <= 90; ++k)
        if (sp_pond_step(pond.get(), k / 60.0, &err) != SP_OK) {
            std::fprintf(stderr, "%s\n", err.text);
            return 1;
        }
    const sp_pond_view *view =
        sp_pond_draw(pond.get()); // arrays that a renderer can upload directly
    const float *end = view->level + std::size_t(view->width) * view->height;
    const auto range = std::minmax_element(view->level, end);
    std::printf("Spume %s: %u bubbles; the surface lies between %.1f and %.1f mm\n", SPUME_VERSION,
                unsigned(view->bubble_count), 1e3 * double(*range.first),
                1e3 * double(*range.second));
}
