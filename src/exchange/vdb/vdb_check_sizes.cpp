// SPDX-License-Identifier: Apache-2.0
/// The sizes in the archive's format, from version 222 on:
///
///     entry     three texts: name, type, parent; i64[3] positions
///     transform text type, numbers; of a frustum: 8 numbers and another transform
///     tree      i32 buffers, value background, u32 tiles, u32 children
///               tiles:    i32[3] corner, value, u8 active
///               children: i32[3] corner, node of 32^3
///     node      bits children, bits active, array of n^3, then its children: nodes of 16^3 or leaves
///     leaf      bits active
///     leaves in order of their root child's corner: bits active, array of 8^3; or points, see below
///     array     u8 kind, up to two values, optional bits, then all or the active values
///     bytes     compressed: i64 n and n bytes; n <= 0: -n bytes uncompressed
#include "exchange/vdb/vdb_check_sizes.hpp"

#include <array>
#include <cstring>
#include <map>
#include <vector>

namespace
{

enum { ZIP = 1, ACTIVE_ONLY = 2, BLOSC = 4 };
enum { ONE_VALUE = 2, BITS = 3, BITS_ONE_VALUE = 4, BITS_TWO_VALUES = 5, EVERYTHING = 6 };

using counts = std::vector<uint32_t>; // active values of leaves

/// Sizes of OpenVDB's objects: an entry of an inner node holds a pointer and a value.
enum { POINTER = 8, OBJECT = 128, ATTRIBUTE = 256 };

struct walk : spume::bounded_stream {
    const spume::tree_layout &layout;
    uint64_t memory = 0; ///< bytes that the tree will take

    std::vector<uint64_t> bits(size_t count)
    {
        std::vector<uint64_t> words(count / 64);
        stream.read(reinterpret_cast<char *>(words.data()), std::streamsize(count / 8));
        return words;
    }

    /// Blosc's own header also has sizes: u32 at 4 and at 12.
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

    void leaf(counts &leaves)
    {
        leaves.push_back(count_of(bits(512)));
        memory += OBJECT + 64 + 512 * layout.value;
    }

    void node(size_t edge, counts &leaves)
    {
        const size_t count = edge * edge * edge;
        memory += OBJECT + count / 4 + count * (POINTER + (layout.value + 7) / 8 * 8);
        const auto children = bits(count), active = bits(count);
        array(count, count_of(active));
        for (uint32_t child = count_of(children); child > 0; --child)
            if (edge == 32)
                node(16, leaves);
            else
                leaf(leaves);
    }

    /// ---- Points: u16 passes, then one pass after the other with data of each leaf --------------

    enum { STRIDED = 1, UNIFORM = 2, PAGED = 8 };
    uint64_t follows = 0; ///< bytes of the passes that are not walked through

    /// Bytes of a value; 0 for types that are not read here.
    static size_t size_of(const std::string &type, const std::string &codec)
    {
        if (type != "vec3s") return 0;
        return codec == "null"                                              ? 12
               : codec == "trnc" || codec == "fxpt16" || codec == "ufxpt16" ? 6
               : codec == "fxpt8" || codec == "ufxpt8"                      ? 3
                                                                            : 0;
    }

    /// u64 n, n types, n names and u64 which; u64 n, n names of groups and u64 where; metadata.
    std::vector<size_t> descriptor(size_t most)
    {
        const auto count = read<uint64_t>();
        if (count > most) throw std::runtime_error("claims a wild number of attributes");
        std::vector<size_t> sizes(count);
        for (auto &size : sizes) {
            const std::string type = text(), codec = text();
            size = size_of(type, codec);
        }
        for (uint64_t n = 0; n < count; ++n) {
            text();
            if (read<uint64_t>() >= count)
                throw std::runtime_error("names an attribute that is not there");
        }
        for (auto groups = read<uint64_t>(); groups > 0; --groups) {
            text();
            skip(sizeof(uint64_t));
        }
        for (auto n = read<uint32_t>(); n > 0; --n) {
            text();
            text();
            skip(read<uint32_t>());
        }
        return sizes;
    }

    /// u64 bytes (these six and the flags included); records the arrays that are stored in pages. Others follow later
    /// in the file, as many bytes as they say or fewer.
    void attribute(size_t size, std::vector<uint64_t> &paged)
    {
        const uint64_t bytes = read<uint64_t>() - 6;
        skip(1);
        const auto flags = read<uint8_t>();
        const uint64_t count = read<uint32_t>(),
                       stride = flags & STRIDED ? read<uint32_t>() : uint32_t(1),
                       values = flags & UNIFORM ? 1 : count * stride;
        const bool told = size > 0 && flags & PAGED;
        if (bytes == 0 || bytes > INT32_MAX || (told && bytes != values * size))
            throw std::runtime_error("holds an attribute of wrong size");
        memory += ATTRIBUTE + bytes;
        if (flags & PAGED)
            paged.push_back(bytes);
        else
            follows += bytes;
    }

    /// Arrays fill pages exactly: i32 compressed and i32 size, or only i32 -size.
    void pages(const std::vector<uint64_t> &arrays)
    {
        int64_t used = 0, size = 0;
        for (const uint64_t bytes : arrays) {
            if (used == size) {
                const int64_t packed = read<int32_t>();
                size = packed > 0 ? int64_t(read<int32_t>()) : -packed;
                used = 0;
                follows += uint64_t(packed > 0 ? packed : size);
            }
            used += int64_t(bytes);
            if (used > size) throw std::runtime_error("holds a page of wrong size");
        }
        if (used != size) throw std::runtime_error("holds a page of wrong size");
    }

    void points(size_t leaves)
    {
        const size_t passes = read<uint16_t>(), attributes = passes < 4 ? 0 : (passes - 4) / 2;
        std::vector<std::vector<uint64_t>> paged(attributes);
        std::vector<size_t> sizes;
        bool shared = false;
        skip(2 * leaves); // sizes of the arrays that map voxels to points
        for (size_t leaf = 0; leaf < leaves; ++leaf) {
            if (!shared) {
                const auto head = read<uint8_t>();
                sizes = descriptor(attributes);
                if (head & 2) skip(read<uint64_t>());
                shared = head & 1;
            }
            for (size_t a = 0; a < sizes.size(); ++a)
                attribute(sizes[a], paged[a]);
        }
        for (const auto &arrays : paged)
            pages(arrays);
        if (follows > left()) throw std::runtime_error("ends early");
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
            nodes[corner] = std::move(leaves); // of two, the later one, as in OpenVDB
        }
        size_t leaves = 0;
        for (const auto &at : nodes)
            leaves += at.second.size();
        if (layout.points && leaves > 0) return points(leaves);
        for (const auto &at : nodes)
            for (const uint32_t active : at.second) { // empty for points
                skip(64);
                array(512, active);
            }
    }
};

} // namespace

void spume::check_entry(bounded_stream from)
{
    const auto begin = from.stream.tellg();
    for (int texts = 0; texts < 3; ++texts)
        from.text();
    from.stream.seekg(begin);
}

void spume::check_transform(bounded_stream from)
{
    const auto begin = from.stream.tellg();
    while (from.text() == "NonlinearFrustumMap")
        from.skip(8 * sizeof(double));
    from.stream.seekg(begin);
}

uint64_t spume::check_tree(bounded_stream from, const tree_layout &layout)
{
    walk w{from, layout};
    w.tree();
    return w.memory;
}
