// SPDX-License-Identifier: Apache-2.0
#include "validate/martin_moyce.h"

const sp_martin_moyce_point sp_martin_moyce[SP_MARTIN_MOYCE_POINTS] = {
    {0.41, 1.11}, {0.84, 1.22}, {1.19, 1.44}, {1.43, 1.67}, {1.63, 1.89},
    {1.83, 2.11}, {1.98, 2.33}, {2.20, 2.56}, {2.32, 2.78}, {2.51, 3.00},
    {2.65, 3.22}, {2.83, 3.44}, {2.98, 3.67}, {3.11, 3.89}, {3.33, 4.11},
};
