#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# portable_math.sh LIBRARY...: these rooms hold the state of simulations, so they call no function of libm whose last bit
# depends on the machine; core/numbers/portable_math.h has ours. Square roots, roundings and fma are exact.
set -euo pipefail
inexact='(a?(cos|sin|tan)h?|atan2|sincos|exp(2|10|m1)?|log(2|10|1p)?|pow|hypot|cbrt|erfc?|[lt]gamma)[fl]?|_ZGV.*'
[ $# -gt 0 ] || { echo "no libraries"; exit 2; }
calls=$(nm -A -u "$@" 2> /dev/null)
# every room calls something: otherwise nm failed or its output has changed
for library in "$@"; do
    grep -qF "$library" <<< "$calls" || { echo "$library: nm lists no calls"; exit 1; }
done
if grep -E " U $inexact\$" <<< "$calls"; then
    echo "these calls differ between machines: use core/numbers/portable_math.h"
    exit 1
fi
echo "$# rooms call only exact functions"
