// SPDX-License-Identifier: Apache-2.0
/// vdb_read.h in builds without OpenVDB: no file opens, so nothing else is called.
#include "exchange/exchange.h"
#include "exchange/vdb/vdb_read.h"

#if !defined(SPUME_WITH_VDB)

sp_status sp_vdb_file_open(const char *path, int threads, const sp_host *host, sp_vdb_file **out,
                           sp_error *err)
{
    (void)path;
    (void)threads;
    (void)host;
    *out = NULL;
    return sp_fail(err, SP_UNSUPPORTED, "%s", sp_export_vdb_missing());
}

void sp_vdb_file_close(sp_vdb_file *file)
{
    SP_ASSERT(!file);
    (void)file;
}

size_t sp_vdb_file_count(const sp_vdb_file *file)
{
    (void)file;
    return 0;
}

const sp_vdb_grid_info *sp_vdb_file_look(const sp_vdb_file *file, size_t grid)
{
    static const sp_vdb_grid_info nothing;
    (void)file;
    (void)grid;
    return &nothing;
}

bool sp_vdb_file_number(const sp_vdb_file *file, const char *key, double *number)
{
    (void)file;
    (void)key;
    (void)number;
    return false;
}

sp_status sp_vdb_volume_open(sp_vdb_file *file, size_t grid, sp_vdb_volume **out, sp_error *err)
{
    (void)file;
    (void)grid;
    *out = NULL;
    return sp_fail(err, SP_UNSUPPORTED, "%s", sp_export_vdb_missing());
}

void sp_vdb_volume_close(sp_vdb_volume *volume)
{
    (void)volume;
}

size_t sp_vdb_volume_tiles(const sp_vdb_volume *volume)
{
    (void)volume;
    return 0;
}

float sp_vdb_volume_background(const sp_vdb_volume *volume)
{
    (void)volume;
    return 0.0f;
}

void sp_vdb_volume_at(const sp_vdb_volume *volume, int32_t (*at)[3])
{
    (void)volume;
    (void)at;
}

void sp_vdb_volume_fill(const sp_vdb_volume *volume, const uint32_t *slot, float *const values[3],
                        uint64_t (*active)[8])
{
    (void)volume;
    (void)slot;
    (void)values;
    (void)active;
}

sp_status sp_vdb_cloud_open(sp_vdb_file *file, size_t grid, sp_vdb_cloud **out, sp_error *err)
{
    (void)file;
    (void)grid;
    *out = NULL;
    return sp_fail(err, SP_UNSUPPORTED, "%s", sp_export_vdb_missing());
}

void sp_vdb_cloud_close(sp_vdb_cloud *cloud)
{
    (void)cloud;
}

size_t sp_vdb_cloud_count(const sp_vdb_cloud *cloud)
{
    (void)cloud;
    return 0;
}

sp_status sp_vdb_cloud_fill(const sp_vdb_cloud *cloud, double (*position)[3], sp_error *err)
{
    (void)cloud;
    (void)position;
    return sp_fail(err, SP_UNSUPPORTED, "%s", sp_export_vdb_missing());
}

#endif
