// SPDX-License-Identifier: Apache-2.0
#ifndef SP_VALIDATE_MARTIN_MOYCE_H
#define SP_VALIDATE_MARTIN_MOYCE_H

/// The collapse of a column of water, as measured by J. C. Martin and W. J. Moyce, "An experimental
/// study of the collapse of liquid columns on a rigid horizontal plane", Phil. Trans. R. Soc. A 244
/// (1952) 312-324, doi:10.1098/rsta.1952.0006.

/// One point of the front's path on a dry floor.
typedef struct sp_martin_moyce_point {
    double time;  ///< T = t sqrt(2g/a); n t sqrt(g/a) in the paper, whose n^2 is height over width
    double front; ///< Z: distance of the front from the closed wall, over the column's width a
} sp_martin_moyce_point;

/// The column twice as high as wide (n^2 = 2) with a = 2.25 in: their table 2, up to Z = 4.11. We
/// have it from later works that reproduce the table, not from the paper itself; points that others
/// read off the paper's figure 3 for this column lie within 0.04 of it in T and in Z. The column as
/// high as wide (n^2 = 1, table 1) has the same Z at other T, so the two are easily confused.
enum { SP_MARTIN_MOYCE_POINTS = 15 };
extern const sp_martin_moyce_point sp_martin_moyce[SP_MARTIN_MOYCE_POINTS];

/// Width of that column, m: 2.25 inches.
#define SP_MARTIN_MOYCE_WIDTH 0.05715

#endif
