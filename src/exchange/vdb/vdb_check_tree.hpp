// SPDX-License-Identifier: Apache-2.0
#ifndef SP_EXCHANGE_VDB_VDB_CHECK_TREE_HPP
#define SP_EXCHANGE_VDB_VDB_CHECK_TREE_HPP

/// Checks the sizes in a tree's bytes before OpenVDB reads them. OpenVDB trusts the sizes in a file:
/// where an array is stored as it is, it reads as many bytes as the file says, and only then checks
/// whether that many were expected. One damaged byte can thus write far beyond an array's end.

#include <cstddef>
#include <cstdint>
#include <istream>

namespace spume
{

/// How a tree of 32^3, 16^3 and 8^3 is stored.
struct tree_layout {
    size_t value;         ///< bytes of a value that stands alone
    size_t stored;        ///< and of one in an array: halves are shorter
    bool halves;          ///< then nothing is stored of an array without values
    uint32_t compression; ///< OpenVDB's flags
    bool points;          ///< leaves hold points rather than an array each
};

/// Walks from the stream's place to the tree's end. Throws std::runtime_error where sizes contradict
/// each other, and whatever the stream throws at its end.
void check_tree(std::istream &stream, const tree_layout &layout);

} // namespace spume

#endif
