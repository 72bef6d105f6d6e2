// SPDX-License-Identifier: Apache-2.0
#ifndef SP_EXCHANGE_VDB_VDB_EXCEPTIONS_HPP
#define SP_EXCHANGE_VDB_VDB_EXCEPTIONS_HPP

/// Turns C++ exceptions into statuses: none leaves the C interface.

#include <spume/status.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ios>
#include <memory>
#include <new>
#include <openvdb/Exceptions.h>
#include <tbb/global_control.h>

namespace spume
{

/// Text from a file in one line: control characters become '?'.
inline std::string printable(std::string text)
{
    for (char &c : text)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    return text;
}

/// An exception with a complete message.
struct complaint {
    sp_status status;
    std::string text;
};

inline sp_status fail(sp_error *err, sp_status status, const char *what, const char *why)
{
    if (err) {
        err->status = status;
        std::snprintf(err->text, sizeof err->text, "OpenVDB: %s: %s", what, why);
    }
    return status;
}

/// Runs a body that may throw, on at most `threads` threads (0: any number), and turns exceptions
/// into a status.
template <typename Body>
sp_status guarded(int threads, const char *what, sp_error *err, Body body) noexcept
{
    try {
        std::unique_ptr<tbb::global_control> limit;
        if (threads > 0)
            limit = std::make_unique<tbb::global_control>(
                tbb::global_control::max_allowed_parallelism, size_t(threads));
        body();
        return SP_OK;
    } catch (const complaint &c) {
        if (err) {
            err->status = c.status;
            std::snprintf(err->text, sizeof err->text, "%s", c.text.c_str());
        }
        return c.status;
    } catch (const std::bad_alloc &) {
        return fail(err, SP_NO_MEMORY, what, "no memory");
    } catch (const std::ios_base::failure &) {
        return fail(err, SP_IO, what, errno ? std::strerror(errno) : "cannot be written");
    } catch (const openvdb::IoError &e) {
        return fail(err, SP_IO, what, e.what());
    } catch (const std::exception &e) {
        return fail(err, SP_UNSUPPORTED, what, e.what());
    } catch (...) {
        return fail(err, SP_UNSUPPORTED, what, "failed without saying why");
    }
}

} // namespace spume

#endif
