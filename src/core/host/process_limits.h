// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_HOST_PROCESS_LIMITS_H
#define SP_CORE_HOST_PROCESS_LIMITS_H

/// Limits that the system sets for this process. Libraries end the program when they meet one, so they are looked at
/// before.

/// Bytes that the process may still take, by ulimit -v and ulimit -d; INFINITY without a limit.
double sp_memory_room(void);
/// How many of `wanted` threads can run at once, at least 1; limits on memory or on threads may leave fewer.
int sp_threads_possible(int wanted);

#endif
