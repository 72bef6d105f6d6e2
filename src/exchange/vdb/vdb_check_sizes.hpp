// SPDX-License-Identifier: Apache-2.0
#ifndef SP_EXCHANGE_VDB_VDB_CHECK_SIZES_HPP
#define SP_EXCHANGE_VDB_VDB_CHECK_SIZES_HPP

/// Checks the sizes in a file's bytes before OpenVDB reads them. OpenVDB trusts them: for a text it allocates as many
/// bytes as the file says, and for an uncompressed array it reads as many, and only then checks that number. So one
/// damaged byte can make it take gigabytes, or write far beyond an array's end.

#include <cstddef>
#include <cstdint>
#include <istream>
#include <stdexcept>
#include <string>

namespace spume __attribute__((visibility("hidden")))
{

    /// A stream, and where its file ends.
    struct bounded_stream {
        std::istream &stream;
        uint64_t end;

        uint64_t left() const
        {
            const auto at = uint64_t(stream.tellg());
            return at < end ? end - at : 0;
        }
        template <typename T> T read()
        {
            T value;
            stream.read(reinterpret_cast<char *>(&value), sizeof value);
            return value;
        }
        void skip(uint64_t bytes)
        {
            if (bytes > 65536 && bytes > left()) throw std::runtime_error("ends early");
            stream.ignore(std::streamsize(bytes));
            if (uint64_t(stream.gcount()) != bytes) throw std::runtime_error("ends early");
        }
        /// u32 bytes, then as many.
        std::string text(uint64_t most = 4096)
        {
            const auto length = read<uint32_t>();
            if (length > most) throw std::runtime_error("holds a name that is too long");
            if (length > left()) throw std::runtime_error("ends early");
            std::string value(length, ' ');
            if (length > 0) stream.read(&value[0], std::streamsize(length));
            return value;
        }
    };

    /// Both check what comes next and go back to where they began: the entry of a grid in the file's list, and a
    /// grid's transform.
    void check_entry(bounded_stream from);
    void check_transform(bounded_stream from);

    /// How a tree of 32^3, 16^3 and 8^3 is stored.
    struct tree_layout {
        size_t value;         ///< bytes of a single value
        size_t stored;        ///< bytes of a value in an array; smaller for half floats
        bool halves;          ///< stored as half floats: arrays without values take no bytes
        uint32_t compression; ///< OpenVDB's flags
        bool points;          ///< leaves hold points instead of an array
    };

    /// Walks from the stream's position to the tree's end and returns the bytes of memory that OpenVDB will need for
    /// it. Throws std::runtime_error if sizes contradict each other, and the stream's own exceptions at its end.
    uint64_t check_tree(bounded_stream from, const tree_layout &layout);

} // namespace )

#endif
