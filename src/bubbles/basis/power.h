// SPDX-License-Identifier: Apache-2.0
#ifndef SP_BUBBLES_POWER_H
#define SP_BUBBLES_POWER_H

struct bubbles;

/// Frees the state of the power basis, if there is any; s->power is NULL afterwards.
void bubbles_power_close(struct bubbles *s);

#endif
