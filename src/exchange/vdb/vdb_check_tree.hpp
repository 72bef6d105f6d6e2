// SPDX-License-Identifier: Apache-2.0
#ifndef SP_EXCHANGE_VDB_VDB_CHECK_TREE_HPP
#define SP_EXCHANGE_VDB_VDB_CHECK_TREE_HPP

/// A look at a tree's bytes before OpenVDB gets them. It believes the sizes that a file tells: where
/// an array is stored as it is, it reads as many bytes as stand in front of it, and only then asks
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
