// SPDX-License-Identifier: Apache-2.0
/// The archive's format from version 222 on, as far as sizes go:
///
///     tree      i32 buffers, value background, u32 tiles, u32 children
///               tiles:    i32[3] corner, value, u8 active
///               children: i32[3] corner, node of 32^3
///     node      bits children, bits active, array of n^3, then its children: nodes of 16^3 or leaves
///     leaf      bits active
///     then, for each leaf by its root child's corner: bits active, array of 8^3
///     array     u8 kind, up to two values, perhaps bits, then the bytes of all or of the active
///     bytes     compressed: i64 n and n bytes; n <= 0: -n bytes as they are
#include "exchange/vdb_walk.hpp"

#include <array>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{

enum { ZIP = 1, ACTIVE_ONLY = 2, BLOSC = 4 };
enum { ONE_VALUE = 2, BITS = 3, BITS_ONE_VALUE = 4, BITS_TWO_VALUES = 5, EVERYTHING = 6 };

using counts = std::vector<uint32_t>; // active values of leaves

struct walk {
    std::istream &stream;
    const spume::tree_layout &layout;

    template <typename T> T read()
    {
        T value;
        stream.read(reinterpret_cast<char *>(&value), sizeof value);
        return value;
    }

    std::vector<uint64_t> bits(size_t count)
    {
        std::vector<uint64_t> words(count / 64);
        stream.read(reinterpret_cast<char *>(words.data()), std::streamsize(count / 8));
        return words;
    }

    void skip(size_t bytes)
    {
        stream.ignore(std::streamsize(bytes));
        if (size_t(stream.gcount()) != bytes) throw std::runtime_error("ends early");
    }

    /// Blosc says in its own head, too, how long things are: u32 at 4 and at 12.
    void blosc(int64_t size, uint64_t expected)
    {
        if (size < 16) throw std::runtime_error("holds an array of wrong size");
        const auto head = read<std::array<uint32_t, 4>>();
        if (head[1] != expected || head[3] != uint64_t(size))
            throw std::runtime_error("holds an array of wrong size");
        skip(size_t(size) - sizeof head);
    }

    void bytes(uint64_t expected)
    {
        if (!(layout.compression & (ZIP | BLOSC))) return skip(expected);
        const auto size = read<int64_t>();
        const bool plain = size <= 0;
        if (plain ? uint64_t(0) - uint64_t(size) != expected : uint64_t(size) > 2 * expected + 1024)
            throw std::runtime_error("holds an array of wrong size");
        if (plain || !(layout.compression & BLOSC)) return skip(size_t(plain ? -size : size));
        blosc(size, expected);
    }

    void array(size_t count, size_t active)
    {
        const auto kind = read<uint8_t>();
        if (kind > EVERYTHING) throw std::runtime_error("holds an array of unknown kind");
        if (kind == ONE_VALUE || kind == BITS_ONE_VALUE) skip(layout.value);
        if (kind == BITS_TWO_VALUES) skip(2 * layout.value);
        if (kind == BITS || kind == BITS_ONE_VALUE || kind == BITS_TWO_VALUES) skip(count / 8);
        const size_t n = layout.compression & ACTIVE_ONLY && kind != EVERYTHING ? active : count;
        if (n > 0 || !layout.halves) bytes(uint64_t(n) * layout.stored);
    }

    static uint32_t count_of(const std::vector<uint64_t> &words)
    {
        uint32_t count = 0;
        for (const uint64_t word : words)
            count += uint32_t(__builtin_popcountll(word));
        return count;
    }

    void node(size_t edge, counts &leaves)
    {
        const size_t count = edge * edge * edge;
        const auto children = bits(count), active = bits(count);
        array(count, count_of(active));
        for (uint32_t child = count_of(children); child > 0; --child)
            if (edge == 32)
                node(16, leaves);
            else
                leaves.push_back(count_of(bits(512)));
    }

    void tree()
    {
        skip(4 + layout.value);
        const auto tiles = read<uint32_t>(), children = read<uint32_t>();
        for (uint32_t n = 0; n < tiles; ++n)
            skip(12 + layout.value + 1);
        std::map<std::array<int32_t, 3>, counts> nodes; // in OpenVDB's order
        for (uint32_t n = 0; n < children; ++n) {
            const auto corner = read<std::array<int32_t, 3>>();
            counts leaves;
            node(32, leaves);
            nodes[corner] = std::move(leaves); // the later one of two, as there
        }
        if (!layout.leaves) return;
        for (const auto &at : nodes)
            for (const uint32_t active : at.second) {
                skip(64);
                array(512, active);
            }
    }
};

} // namespace

void spume::check_tree(std::istream &stream, const tree_layout &layout)
{
    walk{stream, layout}.tree();
}
