// SPDX-License-Identifier: Apache-2.0
#ifndef SP_EXCHANGE_VDB_VDB_CHECK_TREE_HPP
#define SP_EXCHANGE_VDB_VDB_CHECK_TREE_HPP

/// Checks the sizes in a tree's bytes before OpenVDB reads them. OpenVDB trusts the sizes in a
/// file: for an uncompressed array it reads as many bytes as the file says, and only then checks
/// that number. So one damaged byte can make it write far beyond an array's end.

#include <cstddef>
#include <cstdint>
#include <istream>

namespace spume __attribute__((visibility("hidden")))
{

    /// How a tree of 32^3, 16^3 and 8^3 is stored.
    struct tree_layout {
        size_t value;         ///< bytes of a single value
        size_t stored;        ///< bytes of a value in an array; smaller for half floats
        bool halves;          ///< stored as half floats: arrays without values take no bytes
        uint32_t compression; ///< OpenVDB's flags
        bool points;          ///< leaves hold points instead of an array
    };

    /// Walks from the stream's position to the tree's end. Throws std::runtime_error if sizes
    /// contradict each other, and the stream's own exceptions at its end.
    void check_tree(std::istream & stream, const tree_layout &layout);

} // namespace )

#endif
